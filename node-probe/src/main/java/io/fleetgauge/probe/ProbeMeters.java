package io.fleetgauge.probe;

import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.uplink.Spool;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.runtime.process.Meters;
import java.util.List;
import java.util.Optional;

/**
 * What a probe counts of itself. The law between them, at every moment: {@code
 * fleetgauge_probe_samples_read_total} is the sum of kept, dropped and refused and of the samples
 * that are queued.
 */
final class ProbeMeters {
  private ProbeMeters() {}

  static Meters of(
      Uplink uplink,
      Optional<Spool> spool,
      HostReader host,
      Optional<GpuThread> gpus,
      Sampler sampler) {
    Meters meters = new Meters("fleetgauge_probe");
    meters.counter(
        "samples_read", "Samples read from GPUs and host.", () -> uplink.counts().read());
    meters.counter(
        "samples_kept", "Samples that a gateway acknowledged.", () -> uplink.counts().kept());
    meters.counter(
        "samples_dropped",
        "Samples dropped from the queue because they were too old or too many.",
        () -> uplink.counts().dropped());
    meters.counter(
        "samples_refused",
        "Samples that a gateway refused permanently.",
        () -> uplink.counts().refused());
    meters.gauge(
        "samples_queued", "Samples read and not acknowledged yet.", () -> uplink.counts().queued());
    meters.gauge("frames_queued", "Ticks in the queue.", () -> uplink.counts().queuedFrames());
    meters.gauge(
        "queued_bytes",
        "Bytes of the ticks in memory that wait for an acknowledgement.",
        () -> uplink.counts().queuedBytes());
    meters.gauge("spool_bytes", "Bytes of the spool on disk.", () -> uplink.counts().diskBytes());
    meters.gauge(
        "disk_trouble",
        "1 while the spool cannot be written.",
        () -> spool.filter(disk -> !disk.trouble().isEmpty()).isPresent() ? 1 : 0);
    meters.gauge(
        "folder_lost",
        "1 while the folder of the spool is not the one that was there at the start.",
        () -> spool.filter(Spool::isFolderLost).isPresent() ? 1 : 0);
    meters.counter(
        "samples_left_out",
        "Samples of series that the rules of relabel drop, or that two readers have; they do not"
            + " count as read.",
        sampler::leftOut);
    meters.counter(
        "host_read_failures", "Files or lines of /proc that could not be read.", host::failures);
    gpus.ifPresent(
        thread -> {
          meters.counter(
              "gpu_readings_missed",
              "GPU readings that timed out because the driver did not answer.",
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
