package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergeTest {
  private static final Labels A = Labels.of("x", "a");
  private static final Labels B = Labels.of("x", "b");

  @Test
  void seriesOfAllGatewaysComeInOrderAndEqualOnesAreUnited() {
    Series fromOne = series(A, 1, 3, 5);
    Series fromOther = series(A, 2, 3, 9);
    List<FragmentAnswer> answers =
        List.of(
            new FragmentAnswer.Samples(1, List.of(), List.of(List.of(series(B, 1), fromOne))),
            new FragmentAnswer.Samples(1, List.of(), List.of(List.of(fromOther))));
    assertThat(Merge.samples(answers, 1))
        .containsExactly(List.of(series(A, 1, 2, 3, 5, 9), series(B, 1)));
  }

  @Test
  void stringsAndLabelSetsAreUnited() {
    assertThat(
            Merge.strings(
                List.of(
                    new FragmentAnswer.Strings(1, List.of(), List.of("b", "c")),
                    new FragmentAnswer.Strings(1, List.of(), List.of("a", "b")))))
        .containsExactly("a", "b", "c");
    assertThat(
            Merge.labelSets(
                List.of(
                    new FragmentAnswer.LabelSets(1, List.of(), List.of(B)),
                    new FragmentAnswer.LabelSets(1, List.of(), List.of(A, B)))))
        .containsExactly(A, B);
  }

  private static Series series(Labels labels, long... times) {
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      values[i] = times[i];
    }
    return new Series(labels, times, values);
  }
}
