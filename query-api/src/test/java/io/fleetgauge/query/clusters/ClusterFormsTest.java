package io.fleetgauge.query.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClusterFormsTest {
  private static final LabelNamesQuestion NAMES =
      new LabelNamesQuestion(new SeriesSearch(1, 2, 3, List.of()));
  private static final Changes CHANGES = new Changes(7, -5, true, List.of(1L, -2L), 99L);
  private static final ClusterAnswer<Strings> ANSWER =
      new ClusterAnswer<>(
          List.of(new Strings(List.of("a", "b")), new Strings(List.of())),
          new Coverage(8, List.of("n1", "n2"), 7, List.of(), true, "it is split"),
          Optional.of(CHANGES));

  private static ClusterQuestion question() {
    return new ClusterQuestion(
        5_000,
        ClusterQuestion.START,
        List.of("n3"),
        new SamplesQuestion(10, List.of(new Selection(List.of(Matcher.equal("a", "b")), -1, 2))));
  }

  @Test
  void whatIsDecodedIsWhatWasEncoded() throws Exception {
    assertThat(ClusterQuestion.decode(question().encode())).isEqualTo(question());
    assertThat(ClusterAnswer.decode(ANSWER.encode(NAMES), NAMES)).isEqualTo(ANSWER);
    ClusterAnswer<Strings> none =
        new ClusterAnswer<>(List.of(), Coverage.whole(0, -1), Optional.empty());
    assertThat(ClusterAnswer.decode(none.encode(NAMES), NAMES)).isEqualTo(none);
  }

  @Test
  void anyBytesGiveAValueOrAFailure() {
    SplittableRandom random = new SplittableRandom(20_261_128);
    for (byte[] whole : List.of(question().encode(), ANSWER.encode(NAMES))) {
      for (int i = 0; i < 20_000; i++) {
        byte[] damaged = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
        for (int change = random.nextInt(4); change > 0 && damaged.length > 0; change--) {
          damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        try {
          ClusterQuestion.decode(damaged);
        } catch (WireException e) {
          assertThat(e).hasMessageMatching("(?s).+");
        }
        try {
          ClusterAnswer.decode(damaged, NAMES);
        } catch (WireException e) {
          assertThat(e).hasMessageMatching("(?s).+");
        }
      }
    }
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] later = question().encode();
    later[2] = 2;
    assertThatThrownBy(() -> ClusterQuestion.decode(later))
        .isInstanceOf(WireException.class)
        .hasMessage("a read of another cluster of format version 2, this program reads 1");
  }
}
