package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.ClockState;
import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Libc;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code timex}. */
public final class Timex implements Collector {
  private static final double NANOS = 1e9;
  private static final double MICROS = 1e6;

  /** Frequencies are in ppm with a binary fraction of 16 bits. */
  private static final double FREQUENCY = 1e6 * 65_536;

  private final Metric synced = timex("sync_status");
  private final Metric offset = timex("offset_seconds");
  private final Metric frequency = timex("frequency_adjustment_ratio");
  private final Metric maxError = timex("maxerror_seconds");
  private final Metric estimatedError = timex("estimated_error_seconds");
  private final Metric status = timex("status");
  private final Metric constant = timex("loop_time_constant");
  private final Metric tick = timex("tick_seconds");
  private final Metric ppsFrequency = timex("pps_frequency_hertz");
  private final Metric jitter = timex("pps_jitter_seconds");
  private final Metric shift = timex("pps_shift_seconds");
  private final Metric stability = timex("pps_stability_hertz");
  private final Metric jitterCount = timex("pps_jitter_total");
  private final Metric calibrations = timex("pps_calibration_total");
  private final Metric errors = timex("pps_error_total");
  private final Metric stabilityCount = timex("pps_stability_exceeded_total");
  private final Metric tai = timex("tai_offset_seconds");

  private static Metric timex(String name) {
    return new Metric("node_timex_" + name);
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    ClockState clock = Libc.clock();
    if (clock == null) {
      throw new MissingSource("adjtimex");
    }
    double divisor = clock.isInNanos() ? NANOS : MICROS;
    out.add(synced, clock.result() == ClockState.TIME_ERROR ? 0 : 1);
    out.add(offset, clock.offset() / divisor);
    out.add(frequency, 1 + clock.frequency() / FREQUENCY);
    out.add(maxError, clock.maxError() / MICROS);
    out.add(estimatedError, clock.estimatedError() / MICROS);
    out.add(status, clock.status());
    out.add(constant, clock.constant());
    out.add(tick, clock.tick() / MICROS);
    out.add(ppsFrequency, clock.ppsFrequency() / FREQUENCY);
    out.add(jitter, clock.jitter() / divisor);
    out.add(shift, clock.shift());
    out.add(stability, clock.stability() / FREQUENCY);
    out.add(jitterCount, clock.jitterCount());
    out.add(calibrations, clock.calibrationCount());
    out.add(errors, clock.errorCount());
    out.add(stabilityCount, clock.stabilityCount());
    out.add(tai, clock.tai());
  }
}
