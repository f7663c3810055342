package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Rollups of hosts as series: of each group and step, {@code METRIC:sum}, {@code :count}, {@code
 * :min} and {@code :max}, and of rates {@code METRIC:rate60s:sum} and so on. They have the labels
 * of the group, and the host's name. Safe for all threads.
 */
final class HostRollups {
  private static final String HOST = "Hostname";

  private final Store store;

  HostRollups(Store store) {
    this.store = store;
  }

  /** The rollups of the steps of a range. */
  List<Series> read(String host, Range range) {
    RollupRules rules = store.rollupRules();
    long step = rules.step();
    long first = Math.floorDiv(range.after(), step) * step + step;
    Optional<Lane> lane = store.find(host);
    List<Series> all = new ArrayList<>();
    if (rules.isEmpty() || first > range.to() || lane.isEmpty()) {
      return all;
    }
    long oldest = range.after() - rules.horizon();
    SeriesSearch search = new SeriesSearch(oldest, range.to(), 0, List.of());
    for (String metric : store.labelValues(List.of(host), Labels.NAME, search, ignored -> {})) {
      for (RollupKey key : rules.of(metric).keys()) {
        if (key.kind() != RollupShape.Kind.INCREASE) { // it is a multiple of the rate
          List<RollupPage> pages =
              lane.get().rollups(key, first, range.to(), Integer.MAX_VALUE).orElse(List.of());
          pages.forEach(page -> add(host, key, page, range, all::add));
        }
      }
    }
    return all;
  }

  private void add(String host, RollupKey key, RollupPage page, Range range, Consumer<Series> to) {
    String name =
        key.kind() == RollupShape.Kind.LATEST
            ? key.metric()
            : key.metric() + ":rate" + key.window() / 1_000 + "s";
    for (RollupPage.Group group : page.groups()) {
      Labels labels =
          group.labels().value(HOST).isEmpty() ? group.labels().with(HOST, host) : group.labels();
      long step = store.rollupRules().step();
      int from = (int) Math.max(0, Math.floorDiv(range.after() - page.first(), step) + 1);
      int end = (int) Math.min(page.steps(), Math.floorDiv(range.to() - page.first(), step) + 1);
      int size = 0;
      long[] times = new long[Math.max(0, end - from)];
      double[][] values = new double[4][times.length];
      for (int i = from; i < end; i++) {
        if (group.count()[i] > 0) {
          times[size] = page.first() + i * step;
          values[0][size] = sum(group, i);
          values[1][size] = group.count()[i];
          values[2][size] = group.min()[i];
          values[3][size] = group.max()[i];
          size++;
        }
      }
      if (size > 0) {
        String[] operations = {":sum", ":count", ":min", ":max"};
        for (int k = 0; k < operations.length; k++) {
          to.accept(
              new Series(
                  labels.with(Labels.NAME, name + operations[k]),
                  Arrays.copyOf(times, size),
                  Arrays.copyOf(values[k], size)));
        }
      }
    }
  }

  private static double sum(RollupPage.Group group, int i) {
    double lost = group.carry() == null ? 0 : group.carry()[i];
    return group.sum()[i] + (group.rest() == null ? lost : lost + group.rest()[i]);
  }
}
