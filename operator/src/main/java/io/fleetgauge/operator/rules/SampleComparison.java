package io.fleetgauge.operator.rules;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.script.ScriptException;
import io.fleetgauge.promql.script.TestSeries;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Compares the samples of an answer with expected ones. */
final class SampleComparison {
  private SampleComparison() {}

  static List<Answer.Sample> expected(List<TestFile.ExpectedSample> samples)
      throws ParseException, ScriptException {
    List<Answer.Sample> expected = new ArrayList<>();
    for (TestFile.ExpectedSample sample : samples) {
      Histogram histogram =
          sample.histogram().isEmpty() ? null : TestSeries.histogram(sample.histogram());
      expected.add(
          new Answer.Sample(Parser.parseSeries(sample.labels()), sample.value(), histogram));
    }
    expected.sort(Comparator.comparing(Answer.Sample::labels));
    return expected;
  }

  /**
   * @param fuzzy whether values that differ in the last bit are equal
   */
  static boolean equal(List<Answer.Sample> wanted, List<Answer.Sample> got, boolean fuzzy) {
    if (wanted.size() != got.size()) {
      return false;
    }
    List<Answer.Sample> sorted = new ArrayList<>(got);
    sorted.sort(Comparator.comparing(Answer.Sample::labels));
    for (int i = 0; i < sorted.size(); i++) {
      Answer.Sample one = wanted.get(i);
      Answer.Sample other = sorted.get(i);
      boolean same =
          one.histogram() == null
              ? other.histogram() == null && equal(one.value(), other.value(), fuzzy)
              : other.histogram() != null && equal(one.histogram(), other.histogram());
      if (!same || !one.labels().equals(other.labels())) {
        return false;
      }
    }
    return true;
  }

  private static boolean equal(double wanted, double got, boolean fuzzy) {
    return wanted == got || fuzzy && (Math.nextDown(wanted) == got || Math.nextUp(wanted) == got);
  }

  private static boolean equal(Histogram wanted, Histogram got) {
    return wanted.schema() == got.schema()
        && wanted.hint() == got.hint()
        && wanted.count() == got.count()
        && wanted.sum() == got.sum()
        && wanted.zeroThreshold() == got.zeroThreshold()
        && wanted.zeroCount() == got.zeroCount()
        && Arrays.equals(wanted.customBounds(), got.customBounds())
        && wanted.buckets().equals(got.buckets());
  }

  static String shown(List<Answer.Sample> samples) {
    return samples.isEmpty()
        ? "nil"
        : samples.stream()
            .map(
                sample ->
                    sample.labels()
                        + " "
                        + (sample.histogram() == null
                            ? Numbers.text(sample.value())
                            : sample.histogram()))
            .collect(Collectors.joining(", "));
  }
}
