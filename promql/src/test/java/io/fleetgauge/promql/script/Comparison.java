package io.fleetgauge.promql.script;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compares an answer with the expected result of a script and describes the difference. */
final class Comparison {
  private static final double TOLERANCE = 1e-6;

  private Comparison() {}

  /**
   * @param annotations whether warnings and infos are compared
   */
  static Optional<String> difference(ScriptCommand.Eval eval, Answer answer, boolean annotations) {
    if (!annotations) {
      return result(eval, answer.result());
    }
    return annotations("warning", eval.expected().warnings(), answer.warnings())
        .or(() -> annotations("info", eval.expected().infos(), answer.infos()))
        .or(() -> result(eval, answer.result()));
  }

  private static Optional<String> annotations(
      String kind, List<ScriptCommand.TextRule> wanted, List<String> got) {
    if (wanted == null) {
      return Optional.empty();
    }
    for (ScriptCommand.TextRule rule : wanted) {
      if (got.stream().noneMatch(rule::allows)) {
        return Optional.of("expected " + kind + ": " + rule + "\n  got " + got);
      }
    }
    for (String text : got) {
      if (wanted.stream().noneMatch(rule -> rule.allows(text))) {
        return Optional.of("expected no such " + kind + "\n  got " + text);
      }
    }
    return Optional.empty();
  }

  private static Optional<String> result(ScriptCommand.Eval eval, Answer.Result result) {
    ScriptCommand.Expectation expected = eval.expected();
    return switch (result) {
      case Answer.Scalar scalar ->
          expected.scalar().isPresent() && same(expected.scalar().get(), scalar.value())
              ? Optional.empty()
              : unlike(expected, result);
      case Answer.Text text ->
          expected.text().isPresent() && expected.text().get().equals(text.value())
              ? Optional.empty()
              : unlike(expected, result);
      case Answer.Vector vector -> vector(expected, vector);
      case Answer.Matrix matrix -> {
        long[] grid = expected.grid().orElse(new long[] {eval.start(), eval.end(), eval.step()});
        yield matrix(expected, grid, matrix, !eval.isInstant());
      }
    };
  }

  private static Optional<String> unlike(ScriptCommand.Expectation expected, Answer.Result result) {
    return Optional.of("expected " + shown(expected) + "\n  got " + shown(result));
  }

  private static Optional<String> vector(ScriptCommand.Expectation expected, Answer.Vector vector) {
    boolean otherKind =
        expected.scalar().isPresent()
            || expected.text().isPresent()
            || vector.samples().size() != expected.series().size();
    if (otherKind) {
      return unlike(expected, vector);
    }
    Map<Labels, Notation.Item> wanted = new LinkedHashMap<>();
    for (Notation.Line line : expected.series()) {
      wanted.put(line.labels(), line.items().isEmpty() ? Notation.Item.NONE : line.items().get(0));
    }
    List<Labels> order = new ArrayList<>(wanted.keySet());
    int place = 0;
    for (Answer.Sample sample : vector.samples()) {
      Notation.Item item = wanted.get(sample.labels());
      boolean same =
          item != null
              && item.present()
              && (item.histogram() == null
                  ? sample.histogram() == null && same(item.value(), sample.value())
                  : same(item.histogram(), sample.histogram()));
      if (!same || expected.ordered() && !order.get(place).equals(sample.labels())) {
        return unlike(expected, vector);
      }
      place++;
    }
    return Optional.empty();
  }

  private static Optional<String> matrix(
      ScriptCommand.Expectation expected, long[] grid, Answer.Matrix matrix, boolean ordered) {
    Map<Labels, Notation.Line> wanted = new HashMap<>();
    for (Notation.Line line : expected.series()) {
      if (line.items().stream().anyMatch(Notation.Item::present)) {
        wanted.put(line.labels(), line);
      }
    }
    Set<Labels> got = new HashSet<>();
    Labels before = null;
    for (Series series : matrix.series()) {
      boolean disorder = ordered && before != null && before.compareTo(series.labels()) >= 0;
      before = series.labels();
      Notation.Line line = wanted.get(series.labels());
      if (disorder || line == null || !got.add(series.labels()) || !same(line, grid, series)) {
        return unlike(expected, matrix);
      }
    }
    return got.equals(wanted.keySet()) ? Optional.empty() : unlike(expected, matrix);
  }

  private static boolean same(Notation.Line line, long[] grid, Series series) {
    int next = 0;
    for (int i = 0; i < line.items().size(); i++) {
      Notation.Item item = line.items().get(i);
      if (!item.present()) {
        continue;
      }
      if (next == series.size() || series.times()[next] != grid[0] + i * grid[2]) {
        return false;
      }
      Histogram histogram = series.histograms() == null ? null : series.histograms()[next];
      boolean same =
          item.histogram() == null
              ? histogram == null && same(item.value(), series.values()[next])
              : same(item.histogram(), histogram);
      if (!same) {
        return false;
      }
      next++;
    }
    return next == series.size();
  }

  /** Returns true if the values differ by less than a millionth of the sum of their magnitudes. */
  static boolean same(double wanted, double got) {
    if (Staleness.isMarker(wanted) || Staleness.isMarker(got)) {
      return Staleness.isMarker(wanted) && Staleness.isMarker(got);
    }
    if (Double.isNaN(wanted) && Double.isNaN(got) || wanted == got) {
      return true;
    }
    double sum = Math.abs(wanted) + Math.abs(got);
    double difference = Math.abs(wanted - got);
    if (wanted == 0 || got == 0 || sum < Double.MIN_NORMAL) {
      return difference < TOLERANCE * Double.MIN_NORMAL;
    }
    return difference / Math.min(sum, Double.MAX_VALUE) < TOLERANCE;
  }

  private static boolean same(Histogram wanted, Histogram got) {
    return got != null
        && wanted.schema() == got.schema()
        && same(wanted.count(), got.count())
        && same(wanted.sum(), got.sum())
        && same(wanted.zeroCount(), got.zeroCount())
        && wanted.zeroThreshold() == got.zeroThreshold()
        && same(wanted.positive(), got.positive())
        && same(wanted.negative(), got.negative())
        && Arrays.equals(wanted.customBounds(), got.customBounds())
        && (wanted.hint() == Histogram.ResetHint.UNKNOWN || wanted.hint() == got.hint());
  }

  private static boolean same(Histogram.Buckets wanted, Histogram.Buckets got) {
    Map<Integer, Double> left = populated(wanted);
    Map<Integer, Double> right = populated(got);
    return left.keySet().equals(right.keySet())
        && left.entrySet().stream()
            .allMatch(entry -> same(entry.getValue(), right.get(entry.getKey())));
  }

  private static Map<Integer, Double> populated(Histogram.Buckets buckets) {
    Map<Integer, Double> populated = new HashMap<>();
    for (int i = 0; i < buckets.size(); i++) {
      if (buckets.counts()[i] != 0) {
        populated.put(buckets.indexes()[i], buckets.counts()[i]);
      }
    }
    return populated;
  }

  // --- as text ---

  private static String shown(ScriptCommand.Expectation expected) {
    if (expected.scalar().isPresent()) {
      return Numbers.text(expected.scalar().get());
    }
    if (expected.text().isPresent()) {
      return "\"" + expected.text().get() + "\"";
    }
    List<String> lines = new ArrayList<>();
    for (Notation.Line line : expected.series()) {
      List<String> items = new ArrayList<>();
      for (Notation.Item item : line.items()) {
        items.add(item.present() ? shown(item.value(), item.histogram()) : "_");
      }
      lines.add(line.labels() + " " + String.join(" ", items));
    }
    return lines.isEmpty() ? "nothing" : String.join("\n           ", lines);
  }

  private static String shown(Answer.Result result) {
    return switch (result) {
      case Answer.Scalar scalar -> "scalar " + Numbers.text(scalar.value());
      case Answer.Text text -> "\"" + text.value() + "\"";
      case Answer.Vector vector -> {
        List<String> lines = new ArrayList<>();
        for (Answer.Sample sample : vector.samples()) {
          lines.add(sample.labels() + " " + shown(sample.value(), sample.histogram()));
        }
        yield lines.isEmpty() ? "nothing" : String.join("\n      ", lines);
      }
      case Answer.Matrix matrix -> {
        List<String> lines = new ArrayList<>();
        for (Series series : matrix.series()) {
          StringBuilder line = new StringBuilder(series.labels().toString());
          for (int i = 0; i < series.size(); i++) {
            Histogram histogram = series.histograms() == null ? null : series.histograms()[i];
            line.append(' ')
                .append(shown(series.values()[i], histogram))
                .append('@')
                .append(Numbers.seconds(series.times()[i]));
          }
          lines.add(line.toString());
        }
        yield lines.isEmpty() ? "nothing" : String.join("\n      ", lines);
      }
    };
  }

  private static String shown(double value, Histogram histogram) {
    return histogram == null ? Numbers.text(value) : histogram.toString();
  }
}
