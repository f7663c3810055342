package io.fleetgauge.promql.script;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Series in the notation of scripts, of which queries see what is not after a time. */
public final class TestSeries implements SeriesSource {
  private final TreeMap<Labels, TreeMap<Long, Notation.Item>> series = new TreeMap<>();
  private long until = Long.MAX_VALUE;

  /**
   * Adds the samples of a series.
   *
   * @param line the series and its values: {@code up{job="a"} 1 0x5 _ 1+2x3}
   * @param start time of the first value, ms
   * @param step from one value to the next, ms
   * @throws ScriptException if the line is wrong
   */
  public void load(String line, long start, long step) throws ScriptException {
    Notation.Line read = new Notation(1).parse(line);
    Histogram before = null;
    for (int i = 0; i < read.items().size(); i++) {
      Notation.Item item = read.items().get(i);
      if (item.present()) {
        Histogram histogram = item.histogram();
        if (histogram != null && before != null) {
          item = Notation.Item.of(continuing(before, histogram));
        }
        before = histogram;
        put(read.labels(), start + i * step, item);
      }
    }
  }

  /** A histogram as Prometheus's storage returns it: it says whether it continues the last one. */
  private static Histogram continuing(Histogram before, Histogram histogram) {
    if (histogram.hint() != Histogram.ResetHint.UNKNOWN
        || before.hint() == Histogram.ResetHint.GAUGE) {
      return histogram;
    }
    boolean reset =
        histogram.schema() != before.schema()
            || histogram.count() < before.count()
            || histogram.zeroThreshold() != before.zeroThreshold()
            || histogram.zeroCount() < before.zeroCount()
            || !Arrays.equals(histogram.customBounds(), before.customBounds())
            || falls(before.positive(), histogram.positive())
            || falls(before.negative(), histogram.negative());
    return new Histogram(
        histogram.schema(),
        reset ? Histogram.ResetHint.RESET : Histogram.ResetHint.NOT_RESET,
        histogram.count(),
        histogram.sum(),
        histogram.zeroThreshold(),
        histogram.zeroCount(),
        histogram.positive(),
        histogram.negative(),
        histogram.customBounds());
  }

  /** Returns true if a bucket has less than before. */
  private static boolean falls(Histogram.Buckets before, Histogram.Buckets now) {
    for (int i = 0; i < before.size(); i++) {
      int at = Arrays.binarySearch(now.indexes(), before.indexes()[i]);
      if ((at < 0 ? 0 : now.counts()[at]) < before.counts()[i]) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds a sample.
   *
   * @param histogram null when it is a number
   */
  public void put(Labels labels, long time, double value, Histogram histogram) {
    put(labels, time, histogram == null ? Notation.Item.of(value) : Notation.Item.of(histogram));
  }

  void put(Labels labels, long time, Notation.Item item) {
    series.computeIfAbsent(labels, none -> new TreeMap<>()).put(time, item);
  }

  /** Hides all samples after a time. */
  public void showUntil(long time) {
    until = time;
  }

  @Override
  public void select(Selection selection, Receiver receiver) throws QueryFailure {
    for (var entry : series.entrySet()) {
      Labels labels = entry.getKey();
      if (selection.matchers().stream().allMatch(matcher -> matcher.matches(labels))) {
        long to = Math.min(selection.to(), until);
        if (to <= selection.from()) {
          continue;
        }
        var samples = entry.getValue().subMap(selection.from(), false, to, true);
        if (!samples.isEmpty()) {
          receiver.accept(seriesOf(labels, samples));
        }
      }
    }
  }

  private static Series seriesOf(Labels labels, Map<Long, Notation.Item> samples) {
    long[] times = new long[samples.size()];
    double[] values = new double[samples.size()];
    Histogram[] histograms = new Histogram[samples.size()];
    boolean any = false;
    int i = 0;
    for (var sample : samples.entrySet()) {
      times[i] = sample.getKey();
      values[i] = sample.getValue().value();
      histograms[i] = sample.getValue().histogram();
      any |= histograms[i++] != null;
    }
    return new Series(labels, times, values, any ? histograms : null);
  }

  /**
   * A histogram in the notation of scripts.
   *
   * @throws ScriptException if the text is not one histogram
   */
  public static Histogram histogram(String text) throws ScriptException {
    List<Notation.Item> items = new Notation(1).parse("{} " + text).items();
    if (items.size() != 1) {
      throw new ScriptException(1, "expected 1 value, got " + items.size());
    }
    if (items.getFirst().histogram() == null) {
      throw new ScriptException(1, "expected a histogram, got " + text);
    }
    return items.getFirst().histogram();
  }
}
