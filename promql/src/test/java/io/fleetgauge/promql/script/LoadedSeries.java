package io.fleetgauge.promql.script;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;

/** The series that a script has loaded. Records which kinds of samples queries have read. */
final class LoadedSeries implements SeriesSource {
  private final Set<Labels> withStartTimes = new HashSet<>();
  private TestSeries series = new TestSeries();
  private boolean touchedHistogram;
  private boolean touchedStartTimes;

  void clear() {
    series = new TestSeries();
    withStartTimes.clear();
  }

  /** Adds the items of each line: the first at 0, then one every {@code step} ms. */
  void load(List<Notation.Line> lines, long step, boolean alsoCustomBuckets) {
    Map<Labels, Notation.Line> last = new HashMap<>();
    for (Notation.Line line : lines) {
      if (line.startTimes()) {
        withStartTimes.add(line.labels());
      } else {
        last.put(line.labels(), line);
      }
    }
    for (Notation.Line line : last.values()) {
      for (int i = 0; i < line.items().size(); i++) {
        if (line.items().get(i).present()) {
          series.put(line.labels(), i * step, line.items().get(i));
        }
      }
    }
    if (alsoCustomBuckets) {
      loadCustomBuckets(last.values(), step);
    }
  }

  /** Returns true if a histogram has been read since {@link #forget}. */
  boolean touchedHistogram() {
    return touchedHistogram;
  }

  boolean touchedStartTimes() {
    return touchedStartTimes;
  }

  void forget() {
    touchedHistogram = false;
    touchedStartTimes = false;
  }

  @Override
  public void select(Selection selection, Receiver receiver) throws QueryFailure {
    series.select(
        selection,
        each -> {
          touchedHistogram |= each.histograms() != null;
          touchedStartTimes |= withStartTimes.contains(each.labels());
          receiver.accept(each);
        });
  }

  // --- classic histograms as native ones ---

  private static final class Parts {
    final TreeMap<Double, Double> buckets = new TreeMap<>();
    double count = Double.NaN;
    double sum;
  }

  private void loadCustomBuckets(Iterable<Notation.Line> lines, long step) {
    Map<Labels, TreeMap<Long, Parts>> histograms = new HashMap<>();
    for (Notation.Line line : lines) {
      String name = line.labels().metric();
      String suffix = name.replaceFirst(".*(_bucket|_count|_sum)$", "$1");
      OptionalDouble bound = Numbers.parse(line.labels().value("le"));
      if (suffix.equals(name) || suffix.equals("_bucket") && bound.isEmpty()) {
        continue;
      }
      String base = name.substring(0, name.length() - suffix.length());
      Labels labels = line.labels().without("le").with(Labels.NAME, base);
      var byTime = histograms.computeIfAbsent(labels, none -> new TreeMap<>());
      for (int i = 0; i < line.items().size(); i++) {
        Notation.Item item = line.items().get(i);
        if (item.present() && item.histogram() == null) {
          Parts parts = byTime.computeIfAbsent(i * step, none -> new Parts());
          switch (suffix) {
            case "_bucket" -> parts.buckets.put(bound.getAsDouble(), item.value());
            case "_count" -> parts.count = item.value();
            default -> parts.sum = item.value();
          }
        }
      }
    }
    for (var entry : histograms.entrySet()) {
      entry.getValue().forEach((time, parts) -> series.put(entry.getKey(), time, item(parts)));
    }
  }

  private static Notation.Item item(Parts parts) {
    if (Double.isNaN(parts.count)) {
      parts.count = parts.buckets.isEmpty() ? 0 : parts.buckets.lastEntry().getValue();
    }
    parts.buckets.put(Double.POSITIVE_INFINITY, parts.count);
    List<Double> bounds = new ArrayList<>(parts.buckets.keySet());
    int[] indexes = new int[bounds.size()];
    double[] counts = new double[bounds.size()];
    double below = 0;
    for (int i = 0; i < counts.length; i++) {
      double cumulative = parts.buckets.get(bounds.get(i));
      indexes[i] = i;
      counts[i] = cumulative - below;
      below = cumulative;
    }
    return Notation.Item.of(
        new Histogram(
            Histogram.CUSTOM_SCHEMA,
            Histogram.ResetHint.UNKNOWN,
            parts.count,
            parts.sum,
            0,
            0,
            new Histogram.Buckets(indexes, counts),
            Histogram.Buckets.NONE,
            bounds.stream().mapToDouble(Double::doubleValue).limit(counts.length - 1).toArray()));
  }
}
