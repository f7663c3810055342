package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Integrates the series of one host. It is given samples piece by piece of time; what it keeps
 * between pieces is a value of each series, what happened within the bridge, and the rows.
 */
public final class HostUsage {
  private final Accounts accounts;
  private final UsagePeriod period;
  private final UsageTerms terms;
  private final SteadyRun run;
  private final Map<String, GpuUsage> gpus = new HashMap<>();

  /**
   * @param labels of owners that rows have besides {@link UsageLabels#OWNER}
   */
  public HostUsage(UsagePeriod period, UsageTerms terms, Collection<String> labels) {
    this.accounts = new Accounts(labels);
    this.period = period;
    this.terms = terms;
    this.run = new SteadyRun(terms);
  }

  /** Names of the metrics that usage is made of. */
  public static List<String> metrics() {
    return Arrays.stream(Measure.values()).map(each -> each.metric).toList();
  }

  /** Selectors of the series; none matches what another does. */
  public static List<List<Matcher>> selectors() {
    String most =
        Arrays.stream(Measure.values())
            .filter(each -> each != Measure.NVLINK && each != Measure.ALLOCATION)
            .map(each -> each.metric)
            .collect(Collectors.joining("|"));
    return List.of(
        List.of(Matcher.of(Matcher.Kind.REGEX, Labels.NAME, most)),
        List.of(Matcher.equal(Labels.NAME, Measure.NVLINK.metric), Matcher.equal("nvlink", "")),
        List.of(
            Matcher.equal(Labels.NAME, Measure.ALLOCATION.metric),
            Matcher.equal("basis", "allocation")));
  }

  /** Samples up to this time are not needed, ms. */
  public static long after(UsagePeriod period, UsageTerms terms) {
    return period.from() - 2 * terms.lookback() - terms.bridge() - 1;
  }

  /** Samples after this time are not needed, ms. */
  public static long to(UsagePeriod period, UsageTerms terms) {
    return period.to() + terms.bridge();
  }

  /**
   * Goes on to a time.
   *
   * @param samples of the time from the last piece up to this one, included
   */
  public void feed(long to, List<Series> samples) {
    for (Series series : samples) {
      Measure measure = Measure.of(series.labels());
      if (measure != null && series.size() > 0) {
        gpus.computeIfAbsent(
                GpuUsage.of(series.labels()), none -> new GpuUsage(accounts, period, terms, run))
            .give(measure, series);
      }
    }
    gpus.values()
        .removeIf(
            gpu -> {
              gpu.advance(to);
              boolean isDone = gpu.isDone(to);
              if (isDone) {
                gpu.finish();
              }
              return isDone;
            });
  }

  /** The rows in order, after the last piece. */
  public List<UsageRow> rows() {
    gpus.values().forEach(GpuUsage::finish);
    gpus.clear();
    return new ArrayList<>(accounts.rows());
  }
}
