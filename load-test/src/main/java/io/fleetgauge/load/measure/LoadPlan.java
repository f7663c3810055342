package io.fleetgauge.load.measure;

import io.fleetgauge.load.traffic.GpuHost;

/**
 * What is sent.
 *
 * @param hosts of 380 series each
 * @param hours length of the backlog
 * @param seed of all values
 * @param restSeconds pause after the load until memory and disk are looked at
 */
record LoadPlan(int hosts, double hours, long seed, int restSeconds) {
  /** Connections on which remote writes come, and samples of a request. */
  static final int SENDERS = 4;

  static final int WRITE_SAMPLES = 2_000;

  /** Ticks of a request of frames: ten minutes. */
  static final int FRAME_TICKS = 40;

  int ticks() {
    return (int) Math.max(1, Math.round(hours * 3_600_000 / GpuHost.TICK));
  }
}
