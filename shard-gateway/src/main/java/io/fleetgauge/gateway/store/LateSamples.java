package io.fleetgauge.gateway.store;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;

/** Hears of samples of a host that are stored although those of their time have been read. */
public interface LateSamples {
  /** The time up to which samples have been read, ms. */
  long readUntil();

  /**
   * A sample was stored. On the thread of the lane's writer.
   *
   * @param time up to {@link #readUntil}
   * @param histogram null if it is a number
   */
  void stored(Labels labels, long time, double value, Histogram histogram);
}
