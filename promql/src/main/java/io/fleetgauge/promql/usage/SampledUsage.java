package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Reads the samples of one host piece by piece of time, so that few are in memory at a time. */
public final class SampledUsage {
  /** Most samples that are in memory at one time, if they come evenly. */
  private static final long PIECE = 1_000_000;

  private final UsageSamples samples;
  private final UsageTerms terms;
  private final Collection<String> labels;
  private final List<Matcher> metrics;
  private long left;

  /**
   * @param labels as in {@link HostUsage}
   * @param metrics matchers of the metric's name, which all series have to match
   * @param budget most samples that may be read
   */
  public SampledUsage(
      UsageSamples samples,
      UsageTerms terms,
      Collection<String> labels,
      List<Matcher> metrics,
      long budget) {
    this.samples = samples;
    this.terms = terms;
    this.labels = labels;
    this.metrics = metrics;
    this.left = budget;
  }

  /** What is left of the budget. */
  public long left() {
    return left;
  }

  /**
   * The series of usage.
   *
   * @param more matchers besides
   */
  public static List<Selection> selections(List<Matcher> more, long after, long to) {
    return HostUsage.selectors().stream()
        .map(each -> new Selection(Stream.concat(each.stream(), more.stream()).toList(), after, to))
        .toList();
  }

  /** The rows of a period in order. */
  public List<UsageRow> rows(UsagePeriod period) throws TooManySamples, QueryFailure {
    HostUsage usage = new HostUsage(period, terms, labels);
    long after = HostUsage.after(period, terms);
    long end = HostUsage.to(period, terms);
    long expected = 0;
    for (Selection selection : selections(metrics, after, end)) {
      expected += samples.extent(selection).samples();
    }
    long pieces = Math.max(1, Math.min(expected / PIECE + 1, end - after));
    long length = (end - after) / pieces;
    for (long piece = 1; piece <= pieces; piece++) {
      long to = piece == pieces ? end : after + length;
      List<Series> found = new ArrayList<>();
      for (Selection selection : selections(metrics, after, to)) {
        List<Series> read = samples.samples(selection, left);
        left -= read.stream().mapToLong(Series::size).sum();
        found.addAll(read);
      }
      usage.feed(to, found);
      after = to;
    }
    return usage.rows();
  }
}
