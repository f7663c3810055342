package io.fleetgauge.probe;

import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.nvml.GpuThread;
import io.fleetgauge.probe.uplink.Uplink;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;

/**
 * What a probe counts of itself. The law between them, at every moment: {@code
 * fleetgauge_probe_samples_read_total} is the sum of kept, dropped and refused and of the samples
 * that are queued.
 */
final class ProbeMeters {
  private ProbeMeters() {}

  static void register(
      PrometheusRegistry registry, Uplink uplink, HostReader host, Optional<GpuThread> gpus) {
    counter(registry, "samples_read", "Samples read.", () -> uplink.counts().read());
    counter(
        registry,
        "samples_kept",
        "Samples that a gateway acknowledged.",
        () -> uplink.counts().kept());
    counter(
        registry,
        "samples_dropped",
        "Samples that the full queue lost.",
        () -> uplink.counts().dropped());
    counter(
        registry,
        "samples_refused",
        "Samples that a gateway will never take.",
        () -> uplink.counts().refused());
    gauge(registry, "samples_queued", "Samples not acknowledged.", () -> uplink.counts().queued());
    gauge(
        registry, "frames_queued", "Ticks not acknowledged.", () -> uplink.counts().queuedFrames());
    gauge(
        registry,
        "queued_bytes",
        "Bytes of ticks not acknowledged.",
        () -> uplink.counts().queuedBytes());
    counter(registry, "host_read_failures", "Files or lines not understood.", host::failures);
    gpus.ifPresent(
        thread -> {
          counter(
              registry,
              "gpu_readings_missed",
              "Readings given up because the driver did not answer.",
              thread::missed);
          gauge(
              registry,
              "gpu_driver_up",
              "Whether the driver answers and sees a GPU.",
              () -> thread.state().isEmpty() ? 1 : 0);
          CounterWithCallback.builder()
              .name("fleetgauge_probe_gpu_call_errors_total")
              .help("Failed driver calls, by call and NVML return code.")
              .labelNames("call", "code")
              .callback(
                  out ->
                      thread.errors().forEach((key, count) -> out.call(count, key.split(" ", 2))))
              .register(registry);
        });
  }

  private interface Reading {
    double value();
  }

  private static void counter(
      PrometheusRegistry registry, String name, String help, Reading reading) {
    CounterWithCallback.builder()
        .name("fleetgauge_probe_" + name + "_total")
        .help(help)
        .callback(out -> out.call(reading.value()))
        .register(registry);
  }

  private static void gauge(
      PrometheusRegistry registry, String name, String help, Reading reading) {
    GaugeWithCallback.builder()
        .name("fleetgauge_probe_" + name)
        .help(help)
        .callback(out -> out.call(reading.value()))
        .register(registry);
  }
}
