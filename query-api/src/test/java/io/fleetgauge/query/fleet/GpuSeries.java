package io.fleetgauge.query.fleet;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;

/** Series of hosts {@code n0}, {@code n1}, …, in two racks, with a job for each GPU. */
public final class GpuSeries {
  private GpuSeries() {}

  public static Labels labels(String metric, int host, int gpu) {
    return Labels.of(
        Labels.NAME,
        metric,
        "Hostname",
        "n" + host,
        "gpu",
        "" + gpu,
        "rack",
        "r" + host % 2,
        "job",
        "j" + gpu);
  }

  /**
   * A gauge if the metric is {@code power}, otherwise a counter. The values are exact in sums, so
   * that no order of adding them shows.
   */
  public static Series series(String metric, int host, int gpu, long start, long step, int count) {
    long[] times = new long[count];
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      times[i] = start + i * step;
      values[i] = metric.equals("power") ? 100 + host * 8 + gpu + i % 5 : i * (host + 1);
    }
    return new Series(labels(metric, host, gpu), times, values);
  }
}
