package io.fleetgauge.promql.usage.series;

import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.SampledUsage;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageTerms;
import java.util.List;
import java.util.Optional;

/**
 * Series of usage that are read, and their samples.
 *
 * @param selection as it is written
 * @param selector what it names
 */
public record UsageSelection(Selection selection, UsageSelector selector, UsageTimes times) {
  /** By which usage is counted, as it is kept. */
  public static final UsageTerms TERMS = UsageTerms.DEFAULT;

  /** With every sample; empty if it selects no series of usage. */
  public static Optional<UsageSelection> of(Selection selection) {
    UsageTimes times = new UsageTimes(selection.from(), selection.to(), List.of(), 0);
    return UsageSelector.of(selection.matchers())
        .map(selector -> new UsageSelection(selection, selector, times));
  }

  /** With the samples that some looks see; looks that are closer than samples see all. */
  public UsageSelection at(List<Grid> looks, long lookback) {
    boolean isSparse =
        looks.stream().allMatch(each -> each.size() < 2 || each.step() > UsageTimes.MINUTE);
    return isSparse
        ? new UsageSelection(
            selection, selector, new UsageTimes(selection.from(), selection.to(), looks, lookback))
        : this;
  }

  /** The stored series that it is made of. */
  public List<Selection> stored() {
    long begin = times.begin();
    UsagePeriod period = UsagePeriod.of(List.of(begin, Math.max(begin + 1, times.to())));
    return SampledUsage.selections(
        selector.rows(), HostUsage.after(period, TERMS), HostUsage.to(period, TERMS));
  }
}
