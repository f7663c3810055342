package io.fleetgauge.operator.rules;

import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.Slots;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Evaluates recording rules over a range of the past, piece by piece: the rules of a group in their
 * order, so that a rule reads what those before it have written. Alerting rules are left out.
 */
final class Backfill {
  /** Steps of one range query. */
  static final int STEPS = 1_000;

  /** Answers range queries. */
  @FunctionalInterface
  interface Queries {
    /**
     * @param start time of the first step, ms since the epoch
     * @param end time of the last step
     * @param step ms
     */
    List<Series> range(String query, long start, long end, long step) throws CommandFailure;
  }

  /** Stores samples; returns when queries see them. */
  @FunctionalInterface
  interface Writer {
    void write(List<Series> series) throws CommandFailure;
  }

  /**
   * The result for one group.
   *
   * @param rules recording rules
   * @param samples that were written, staleness markers included
   */
  record Result(int rules, long samples) {
    Result plus(Result other) {
      return new Result(rules + other.rules, samples + other.samples);
    }
  }

  private final Queries queries;
  private final Writer writer;
  private final long queryOffset;
  private final Labels more;

  /**
   * @param queryOffset of groups that name none, ms
   * @param more labels that all results get, as those of a tenant's scope
   */
  Backfill(Queries queries, Writer writer, long queryOffset, Labels more) {
    this.queries = queries;
    this.writer = writer;
    this.queryOffset = queryOffset;
    this.more = more;
  }

  /**
   * Fills all slots of a group from {@code start} up to and with {@code end}, ms since the epoch.
   *
   * @throws CommandFailure at the first query or write that fails; what was written before stays
   */
  Result fill(RuleGroup group, long start, long end) throws CommandFailure {
    List<Rule.Recording> rules = new ArrayList<>();
    for (Rule rule : group.rules()) {
      if (rule instanceof Rule.Recording recording) {
        rules.add(recording);
      }
    }
    long interval = group.interval();
    long first = Slots.at(group, start + interval - 1);
    List<Map<Labels, Boolean>> before = new ArrayList<>();
    rules.forEach(rule -> before.add(new HashMap<>()));
    Result done = new Result(rules.size(), 0);
    for (long from = first; from <= end; from += STEPS * interval) {
      long to = Math.min(Slots.at(group, end), from + (STEPS - 1) * interval);
      for (int i = 0; i < rules.size(); i++) {
        done = done.plus(piece(group, rules.get(i), before.get(i), from, to));
      }
    }
    return done;
  }

  /**
   * @param present the series that the slot before the piece has
   */
  private Result piece(
      RuleGroup group, Rule.Recording rule, Map<Labels, Boolean> present, long from, long to)
      throws CommandFailure {
    long offset = group.queryOffset().orElse(queryOffset);
    long interval = group.interval();
    Map<Labels, Series> found = new TreeMap<>();
    for (Series series :
        queries.range(rule.expression().toString(), from - offset, to - offset, interval)) {
      Labels labels = named(group, rule, series.labels());
      if (found.put(labels, series) != null) {
        throw new CommandFailure(
            "rule "
                + rule.name()
                + " of "
                + group.id().key()
                + ": vector contains metrics with the same labelset after applying rule labels");
      }
    }
    List<Series> written = new ArrayList<>();
    long samples = 0;
    for (var entry : found.entrySet()) {
      boolean continues = present.remove(entry.getKey()) != null;
      Series series =
          withEnds(
              entry.getKey(), entry.getValue(), continues, from - offset, to - offset, interval);
      samples += series.size();
      written.add(series);
    }
    for (Labels gone : present.keySet()) {
      written.add(
          new Series(gone, new long[] {from - offset}, new double[] {Staleness.MARKER}, null));
      samples++;
    }
    present.clear();
    for (var entry : found.entrySet()) {
      long[] times = entry.getValue().times();
      if (times.length > 0 && times[times.length - 1] == to - offset) {
        present.put(entry.getKey(), true);
      }
    }
    if (!written.isEmpty()) {
      writer.write(written);
    }
    return new Result(0, samples);
  }

  private Labels named(RuleGroup group, Rule.Recording rule, Labels labels) {
    Labels named = labels.with(Labels.NAME, rule.name());
    TreeMap<String, String> own = new TreeMap<>(group.labels());
    own.putAll(rule.labels());
    for (var label : own.entrySet()) {
      named = named.with(label.getKey(), label.getValue());
    }
    return named.with(more);
  }

  /** The samples of a series, with a marker at the first step of each gap. */
  private static Series withEnds(
      Labels labels, Series series, boolean continues, long from, long to, long interval) {
    int size = series.size();
    long[] times = new long[2 * size + 1];
    double[] values = new double[2 * size + 1];
    io.fleetgauge.sample.Histogram[] histograms =
        series.histograms() == null ? null : new io.fleetgauge.sample.Histogram[2 * size + 1];
    int count = 0;
    long next = continues ? from : Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      if (next < series.times()[i]) {
        times[count] = next;
        values[count++] = Staleness.MARKER;
      }
      times[count] = series.times()[i];
      values[count] = series.values()[i];
      if (histograms != null) {
        histograms[count] = series.histograms()[i];
      }
      count++;
      next = series.times()[i] + interval;
    }
    if (next <= to) {
      times[count] = next;
      values[count++] = Staleness.MARKER;
    }
    return new Series(
        labels,
        Arrays.copyOf(times, count),
        Arrays.copyOf(values, count),
        histograms == null ? null : Arrays.copyOf(histograms, count));
  }
}
