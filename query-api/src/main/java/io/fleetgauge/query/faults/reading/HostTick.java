package io.fleetgauge.query.faults.reading;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.SortedMap;

/**
 * All that was read of a host at a tick.
 *
 * @param time ms since the epoch
 * @param place labels of all its series, such as {@code Hostname} and {@code rack}
 * @param gpus by index
 * @param ports of network adapters, by device and port
 */
public record HostTick(
    String host,
    long time,
    Labels place,
    Readings readings,
    List<GpuTick> gpus,
    SortedMap<String, Readings> ports) {
  public double get(Signal signal) {
    return readings.get(signal);
  }

  public boolean has(Signal signal) {
    return readings.has(signal);
  }

  public double rate(Signal signal) {
    return readings.rate(signal);
  }
}
