package io.fleetgauge.query.answer;

/**
 * What a query would read.
 *
 * @param series how many series match its selectors
 * @param samples about how many samples of them are in its range
 * @param work what it amounts to, in samples; less than they are where rollups may serve
 */
public record Cost(long series, long samples, long work) {
  static final Cost NONE = new Cost(0, 0, 0);

  /** Above this a query is a heavy one. */
  private static final long HEAVY_WORK = 3_000_000;

  boolean isHeavy() {
    return work > HEAVY_WORK;
  }

  @Override
  public String toString() {
    return series + " series, " + samples + " samples, work " + work;
  }
}
