package io.fleetgauge.query.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CoverageTest {
  private static Coverage missing(String... hosts) {
    return new Coverage(51, List.of(hosts), 3, List.of(), false, "");
  }

  @Test
  void aWholeAnswerHasNoWarning() {
    assertThat(missing().isWhole()).isTrue();
    assertThat(missing().warnings()).isEmpty();
  }

  @Test
  void missingHostsAreNamedUpToTen() {
    assertThat(missing("n1", "n2").isWhole()).isFalse();
    assertThat(missing("n1", "n2").warnings())
        .containsExactly("incomplete result: 2 of 51 hosts are missing: n1, n2");
    String[] eleven = IntStream.range(10, 21).mapToObj(i -> "n" + i).toArray(String[]::new);
    assertThat(missing(eleven).warnings())
        .containsExactly(
            "incomplete result: 11 of 51 hosts are missing: n10, n11, n12, n13, n14, n15, n16, n17,"
                + " n18, n19, 1 more");
    String[] ten = IntStream.range(10, 20).mapToObj(i -> "n" + i).toArray(String[]::new);
    assertThat(missing(ten).warnings().getFirst()).endsWith("n18, n19");
  }

  @Test
  void aSplitIsAGapOfItsOwn() {
    Coverage split = new Coverage(51, List.of(), 3, List.of(), false, "the cluster is split");
    assertThat(split.isWhole()).isFalse();
    assertThat(split.warnings()).containsExactly("the cluster is split");
    assertThat(split.and(missing("n1")).warnings())
        .containsExactly(
            "incomplete result: 1 of 51 hosts are missing: n1", "the cluster is split");
    assertThat(missing("n1").and(split).split()).isEqualTo("the cluster is split");
  }

  @Test
  void twoReadsAreMissingWhatEitherIsMissing() {
    ShardTime time = new ShardTime("g1", 5, 2);
    Coverage one = new Coverage(51, List.of("n2", "n3"), 4, List.of(time), true, "");
    Coverage other = new Coverage(40, List.of("n1", "n2"), 3, List.of(time), false, "");
    Coverage both = new Coverage(51, List.of("n1", "n2", "n3"), 4, List.of(time, time), true, "");
    assertThat(one.and(other)).isEqualTo(both);
    assertThat(other.and(one)).isEqualTo(both);
  }

  @Test
  void whatOtherStoresLackIsNamedWhateverElseIsMissing() {
    Coverage.Lack lack = new Coverage.Lack("thanos", "did not answer");
    Coverage lacking = Coverage.NONE.lacking(List.of(lack, lack));
    assertThat(lacking.isWhole()).isFalse();
    assertThat(lacking.warnings())
        .containsExactly("incomplete result: the source thanos did not answer");
    assertThat(lacking.lackingSources()).containsExactly("thanos");
    Coverage one = missing("n1");
    for (Coverage both : List.of(lacking.and(one), one.and(lacking), one.lacking(List.of(lack)))) {
      assertThat(both.warnings())
          .containsExactly(
              "incomplete result: 1 of 51 hosts are missing: n1",
              "incomplete result: the source thanos did not answer");
      assertThat(both.withoutTimes().without(List.of("n2")).lacks()).containsExactly(lack);
    }
    assertThat(Coverage.NONE.and(lacking).and(Coverage.whole(7, 2)).lacks()).containsExactly(lack);
  }

  @Test
  void aReadThatAskedNoShardAddsNothing() {
    Coverage one = missing("n1");
    assertThat(one.and(Coverage.NONE)).isSameAs(one);
    assertThat(Coverage.NONE.and(one)).isSameAs(one);
    assertThat(Coverage.whole(7, 2)).isEqualTo(new Coverage(7, List.of(), 2, List.of(), false, ""));
  }
}
