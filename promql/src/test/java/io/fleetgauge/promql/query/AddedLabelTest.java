package io.fleetgauge.promql.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddedLabelTest {
  private static final AddedLabel LABEL = new AddedLabel("cluster", "b");

  private static Series series(Labels labels) {
    return new Series(labels, new long[] {1}, new double[] {1});
  }

  private static List<Labels> seen(List<Labels> stored, Matcher... matchers) throws QueryFailure {
    List<Labels> seen = new ArrayList<>();
    LABEL
        .over(
            (selection, receiver) -> {
              for (Labels each : stored) {
                if (selection.matchers().stream().allMatch(matcher -> matcher.matches(each))) {
                  receiver.accept(series(each));
                }
              }
            })
        .select(new Selection(List.of(matchers), 0, 1), series -> seen.add(series.labels()));
    return seen;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_128})
  void seriesAreInTheOrderThatTheyHaveWithTheLabel(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> names = List.of("A", "a", "b", "clus", "cluster", "clustes", "d", "z");
    for (int round = 0; round < 200; round++) {
      TreeSet<Labels> stored = new TreeSet<>();
      for (int i = 0; i < 30; i++) {
        Labels labels = Labels.EMPTY;
        for (String name : names) {
          if (random.nextInt(3) > 0) {
            labels = labels.with(name, "" + (char) ('a' + random.nextInt(3)));
          }
        }
        stored.add(labels);
      }
      assertThat(seen(List.copyOf(stored)))
          .isEqualTo(stored.stream().map(LABEL::seen).sorted().distinct().toList());
    }
  }

  @Test
  void matchersOfTheLabelAreDecidedWithoutLookingAtSeries() throws Exception {
    List<Labels> stored = List.of(Labels.of("x", "1"));
    assertThat(seen(stored, Matcher.equal("cluster", "b"))).hasSize(1);
    assertThat(seen(stored, Matcher.equal("cluster", "a"))).isEmpty();
    assertThat(seen(stored, Matcher.equal("cluster", ""))).isEmpty();
    assertThat(seen(stored, Matcher.of(Matcher.Kind.REGEX, "cluster", "a|b"))).hasSize(1);
    assertThat(seen(stored, Matcher.of(Matcher.Kind.NOT_REGEX, "cluster", "b.*"))).isEmpty();
    assertThat(LABEL.stored(List.of(Matcher.equal("cluster", "b"), Matcher.equal("x", "1"))))
        .contains(List.of(Matcher.equal("x", "1")));
  }

  @Test
  void aSeriesThatIsStoredWithTheLabelKeepsIt() throws Exception {
    List<Labels> stored = List.of(Labels.of("cluster", "x"), Labels.of("y", "1"));
    assertThat(seen(stored))
        .containsExactly(Labels.of("cluster", "b", "y", "1"), Labels.of("cluster", "x"));
    assertThat(seen(stored, Matcher.equal("cluster", "x")))
        .containsExactly(Labels.of("cluster", "x"));
    assertThat(seen(stored, Matcher.of(Matcher.Kind.NOT_EQUAL, "cluster", "x")))
        .containsExactly(Labels.of("cluster", "b", "y", "1"));
  }
}
