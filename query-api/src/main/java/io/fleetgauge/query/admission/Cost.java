package io.fleetgauge.query.admission;

import io.fleetgauge.promql.fair.Load;

/**
 * Expected reads of a query, known before it runs.
 *
 * @param series number of series that match its selectors
 * @param samples about the number of samples that they have in its range
 * @param work its work, in samples that are read: those of a window that is read at many steps
 *     count at each of them; fewer than {@code samples} where rollups may serve
 * @param known false when shards could not say: then only the work is given, and it is a bound
 */
public record Cost(long series, long samples, long work, boolean known) {
  public static final Cost NONE = new Cost(0, 0, 0);

  /** A cost that is known. */
  public Cost(long series, long samples, long work) {
    this(series, samples, work, true);
  }

  /** So much work at most; of series and samples nothing is known. */
  public static Cost bound(long work) {
    return new Cost(0, 0, work, false);
  }

  /** The cost of both. */
  public Cost plus(Cost other) {
    return new Cost(
        series + other.series, samples + other.samples, work + other.work, known && other.known);
  }

  public boolean isHeavy() {
    return Load.isHeavy(work);
  }

  /** The same where rollups were expected to serve, and samples have to be read. */
  public Cost withoutRollups() {
    return new Cost(series, samples, Load.withoutRollups(work), known);
  }

  @Override
  public String toString() {
    return known
        ? series + " series, " + samples + " samples, work " + work
        : "not known in time, work at most " + work;
  }
}
