package io.fleetgauge.promql.usage.series;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageLabels;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the series of a selection of rows, period by period. Not thread-safe. */
public final class UsageSeries {
  /** The labels of rows that series have. */
  public static final List<String> LABELS = UsageLabels.OWNER.stream().sorted().toList();

  private final UsageSelection selection;
  private final long most;
  private final TreeMap<Labels, Samples> all = new TreeMap<>();
  private long count;

  /** Samples in order of time. */
  private static final class Samples {
    private long[] times = new long[16];
    private double[] values = new double[16];
    private int size;

    private void add(long time, double value) {
      if (size == times.length) {
        times = Arrays.copyOf(times, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
      }
      times[size] = time;
      values[size++] = value;
    }
  }

  /**
   * @param most more samples are an error
   */
  public UsageSeries(UsageSelection selection, long most) {
    this.selection = selection;
    this.most = most;
  }

  /**
   * Takes the rows of a period; periods come in order.
   *
   * @param rows in order; each owner and interval once, without labels of devices
   */
  public void add(UsagePeriod period, List<UsageRow> rows) throws QueryFailure {
    int from = 0;
    while (from < rows.size()) {
      int to = from + 1;
      while (to < rows.size() && rows.get(to).owner().equals(rows.get(from).owner())) {
        to++;
      }
      add(period, rows.get(from).owner(), rows.subList(from, to));
      from = to;
    }
  }

  private void add(UsagePeriod period, Labels owner, List<UsageRow> rows) throws QueryFailure {
    List<Counter> counters = counters(owner);
    Hour hour = new Hour();
    int next = 0;
    for (int i = rows.getFirst().interval(); i < period.intervals(); i++) {
      if (period.start(i) % UsageTimes.HOUR == 0) {
        if (next == rows.size()) {
          return;
        }
        hour = new Hour();
      }
      if (next < rows.size() && rows.get(next).interval() == i) {
        hour.add(rows.get(next++));
      }
      for (Counter counter : counters) {
        if (hour.has(counter.metric)) {
          add(counter, period.end(i), hour);
        }
      }
    }
  }

  /** What an owner has used since an hour began. */
  private static final class Hour {
    private final Integral[] sums = new Integral[Amount.values().length];
    private int known;

    private Hour() {
      Arrays.fill(sums, new Integral());
    }

    private void add(UsageRow row) {
      known |= row.counted();
      for (int i = 0; i < sums.length; i++) {
        Integral more = row.amounts().get(i);
        if (!more.isZero()) {
          known |= 1 << i;
          sums[i] = sums[i].plus(more);
        }
      }
    }

    /** Returns true if there is something that a metric counts, in any class. */
    private boolean has(UsageMetric metric) {
      return (known & metric.bits) != 0;
    }

    private double value(UsageMetric.Part part) {
      double value = 0;
      for (Map.Entry<Amount, Double> each : part.units().entrySet()) {
        value += sums[each.getKey().ordinal()].toDouble() / each.getValue();
      }
      return value;
    }
  }

  private void add(Counter counter, long minute, Hour hour) throws QueryFailure {
    sample(counter.labels, minute, hour.value(counter.part));
    if (minute % UsageTimes.HOUR == 0) {
      sample(counter.labels, minute + 1, 0);
    }
  }

  private void sample(Labels labels, long time, double value) throws QueryFailure {
    if (time > selection.times().after() && time <= selection.times().to()) {
      all.computeIfAbsent(labels, none -> new Samples()).add(time, value);
      if (++count > most) {
        throw QueryFailure.tooManySamples(most);
      }
    }
  }

  /** One series of an owner. */
  private record Counter(Labels labels, UsageMetric metric, UsageMetric.Part part) {}

  private List<Counter> counters(Labels owner) {
    List<Counter> counters = new ArrayList<>();
    for (UsageMetric metric : selection.selector().metrics()) {
      for (UsageMetric.Part part : metric.parts) {
        if (selection.selector().isMeant(part.name())) {
          counters.add(new Counter(metric.labels(owner, part.name()), metric, part));
        }
      }
    }
    return counters;
  }

  /** The series in order of their labels. */
  public List<Series> series() {
    List<Series> series = new ArrayList<>(all.size());
    all.forEach(
        (labels, samples) ->
            series.add(
                new Series(
                    labels,
                    Arrays.copyOf(samples.times, samples.size),
                    Arrays.copyOf(samples.values, samples.size))));
    return series;
  }
}
