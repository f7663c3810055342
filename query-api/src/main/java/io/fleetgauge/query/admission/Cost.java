package io.fleetgauge.query.admission;

import io.fleetgauge.promql.fair.Load;

/**
 * What a query is expected to read, known before it runs.
 *
 * @param series how many series match its selectors
 * @param samples about how many samples they have in its range
 * @param work what it amounts to, in samples; fewer than {@code samples} where rollups may serve
 */
public record Cost(long series, long samples, long work) {
  public static final Cost NONE = new Cost(0, 0, 0);

  public boolean isHeavy() {
    return Load.isHeavy(work);
  }

  @Override
  public String toString() {
    return series + " series, " + samples + " samples, work " + work;
  }
}
