package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads the samples of one host piece by piece of time, so that few are in memory at a time. How
 * many there are is no reason to refuse: they are those of all who use the host.
 */
public final class SampledUsage {
  /**
   * Samples of a piece, if they come evenly; few enough to be garbage while they are young, so that
   * the heap does not grow by them.
   */
  private static final long PIECE = 50_000;

  /** Blocks of samples end with an hour, and pieces that are longer with a block. */
  private static final long HOUR = KeptDay.HOUR;

  /** Most samples of a piece; the next one is shorter if there are more. */
  private static final long MOST = 4 * PIECE;

  private final UsageSamples samples;
  private final UsageTerms terms;
  private final Collection<String> labels;
  private final List<Matcher> metrics;

  /**
   * @param labels as in {@link HostUsage}
   * @param metrics matchers of the metric's name, which all series have to match
   */
  public SampledUsage(
      UsageSamples samples, UsageTerms terms, Collection<String> labels, List<Matcher> metrics) {
    this.samples = samples;
    this.terms = terms;
    this.labels = labels;
    this.metrics = metrics;
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
    long longest = Math.max(1, (end - after) / (expected / PIECE + 1));
    long length = longest;
    while (after < end) {
      // The last one takes what is left over.
      long to = end - after < 2 * length ? end : after + length;
      to = to == end || length < HOUR ? to : Math.floorDiv(to + 1, HOUR) * HOUR - 1;
      Optional<List<Series>> piece = piece(after, to);
      if (piece.isPresent()) {
        usage.feed(to, piece.get());
        after = to;
        length = Math.min(longest, 2 * length);
      } else {
        length = (to - after) / 2;
      }
    }
    return usage.rows();
  }

  /** The samples of a time; empty if they are too many. */
  private Optional<List<Series>> piece(long after, long to) throws TooManySamples, QueryFailure {
    List<Series> found = new ArrayList<>();
    long left = to - after > 1 ? MOST : Long.MAX_VALUE;
    try {
      for (Selection selection : selections(metrics, after, to)) {
        List<Series> read = samples.samples(selection, left);
        left -= read.stream().mapToLong(Series::size).sum();
        found.addAll(read);
      }
      return Optional.of(found);
    } catch (TooManySamples e) {
      return Optional.empty();
    }
  }
}
