package io.fleetgauge.probe;

import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.nvml.GpuThread;
import io.fleetgauge.probe.uplink.Uplink;
import java.util.List;
import java.util.Optional;

/**
 * What a probe counts of itself. The law between them, at every moment: {@code
 * fleetgauge_probe_samples_read_total} is the sum of kept, dropped and refused and of the samples
 * that are queued.
 */
final class ProbeMeters {
  private ProbeMeters() {}

  static Meters of(Uplink uplink, HostReader host, Optional<GpuThread> gpus) {
    Meters meters = new Meters("fleetgauge_probe");
    meters.counter("samples_read", "Samples read.", () -> uplink.counts().read());
    meters.counter(
        "samples_kept", "Samples that a gateway acknowledged.", () -> uplink.counts().kept());
    meters.counter(
        "samples_dropped",
        "Samples that were too old or too many to wait longer.",
        () -> uplink.counts().dropped());
    meters.counter(
        "samples_refused",
        "Samples that a gateway will never take.",
        () -> uplink.counts().refused());
    meters.gauge("samples_queued", "Samples not acknowledged.", () -> uplink.counts().queued());
    meters.gauge("frames_queued", "Ticks not acknowledged.", () -> uplink.counts().queuedFrames());
    meters.gauge("queued_bytes", "Bytes of ticks in memory.", () -> uplink.counts().queuedBytes());
    meters.gauge("spool_bytes", "Bytes of the spool.", () -> uplink.counts().diskBytes());
    meters.counter("host_read_failures", "Files or lines not understood.", host::failures);
    gpus.ifPresent(
        thread -> {
          meters.counter(
              "gpu_readings_missed",
              "Readings given up because the driver did not answer.",
              thread::missed);
          meters.gauge(
              "gpu_driver_up",
              "Whether the driver answers and sees a GPU.",
              () -> thread.state().isEmpty() ? 1 : 0);
          meters.counters(
              "gpu_call_errors",
              "Failed driver calls, by call and NVML return code.",
              List.of("call", "code"),
              thread::errors);
        });
    return meters;
  }
}
