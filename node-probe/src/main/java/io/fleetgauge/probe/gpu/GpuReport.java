package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.gpu.reading.NodeGpu;
import io.fleetgauge.probe.nvml.CallLog;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Series of the reading of GPUs itself; it never waits for the driver. */
public final class GpuReport implements Reader {
  private static final Logger LOG = LoggerFactory.getLogger(GpuReport.class);
  private static final double NANOS = 1e9;

  private final GpuThread thread;
  private final GpuReader reader;
  private final Watchdog watchdog;
  private final TickClass core;
  private final TickClass other;
  private final Map<List<String>, Labels> series = new HashMap<>();
  private Watchdog.State said = Watchdog.State.NORMAL;

  /**
   * @param other when durations of calls are told: there are many series of them
   */
  public GpuReport(GpuThread thread, TickClass core, TickClass other) {
    this.thread = thread;
    this.reader = thread.reader();
    this.watchdog = thread.watchdog();
    this.core = core;
    this.other = other;
  }

  @Override
  public String name() {
    return "gpu_probe";
  }

  @Override
  public Set<TickClass> classes() {
    return core.equals(other) ? Set.of(core) : Set.of(core, other);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    if (due.contains(core)) {
      add(out.of(core));
    }
    if (due.contains(other)) {
      addDurations(out.of(other));
    }
  }

  private void add(Tick.Builder out) {
    CallLog.InProgress stuck = watchdog.stuck();
    Watchdog.State state = Watchdog.state(stuck);
    boolean responsive = state.compareTo(Watchdog.State.LATE) < 0;
    say(state, stuck);
    add(out, reader.state().isEmpty() && responsive ? 1 : 0, "gpu_probe_up");
    add(out, responsive ? 1 : 0, "gpu_probe_driver_responsive");
    add(out, state.ordinal(), "gpu_probe_call_state");
    add(out, stuck != null && watchdog.isBlockedInKernel() ? 1 : 0, "gpu_probe_thread_blocked");
    if (stuck != null) {
      String gpu = stuck.gpu() < 0 ? "" : Integer.toString(stuck.gpu());
      String call = stuck.call().label();
      add(out, stuck.nanos() / NANOS, "gpu_probe_blocked_seconds", "call", call, "gpu", gpu);
    }
    devices(out);
    counts(out);
    reader
        .log()
        .errors()
        .forEach(
            (of, count) ->
                add(
                    out,
                    count,
                    "gpu_probe_call_errors_total",
                    "call",
                    of.getFirst(),
                    "code",
                    of.getLast()));
  }

  private void addDurations(Tick.Builder out) {
    reader
        .log()
        .eachDuration(
            new CallLog.Durations() {
              @Override
              public void bucket(String call, String bound, long count) {
                add(out, count, "gpu_probe_call_seconds_bucket", "call", call, "le", bound);
              }

              @Override
              public void sum(String call, double seconds, long count) {
                add(out, seconds, "gpu_probe_call_seconds_sum", "call", call);
                add(out, count, "gpu_probe_call_seconds_count", "call", call);
              }
            });
  }

  private void devices(Tick.Builder out) {
    long now = reader.now();
    List<NodeGpu> gpus = reader.gpus();
    GpuReader.Census census = reader.census();
    int lost = 0;
    long oldest = 0;
    for (NodeGpu gpu : gpus) {
      lost += gpu.isLost() ? 1 : 0;
      long age = now - gpu.readAt();
      oldest = Math.max(oldest, gpu.isLost() ? 0 : age);
      out.add(of(gpu, "gpu_lost"), gpu.isLost() ? 1 : 0);
      out.add(of(gpu, "gpu_probe_sample_age_seconds"), age / NANOS);
    }
    add(out, gpus.size() - lost, "gpu_probe_devices", "state", "ok");
    add(out, lost, "gpu_probe_devices", "state", "lost");
    add(out, census.denied(), "gpu_probe_devices", "state", "denied");
    add(out, census.failed(), "gpu_probe_devices", "state", "error");
    int expected = reader.expected();
    add(out, expected, "gpu_expected");
    if (gpus.size() > lost) {
      add(out, oldest / NANOS, "gpu_probe_age_seconds");
    }
  }

  private void counts(Tick.Builder out) {
    add(out, reader.log().made(), "gpu_probe_calls_total");
    add(out, reader.log().slow(), "gpu_probe_slow_calls_total");
    add(out, thread.missed(), "gpu_probe_readings_missed_total");
    add(out, reader.counts().clampedRatios(), "gpu_probe_clamped_ratios_total");
    NvmlCall[] calls = NvmlCall.values();
    for (int i = 0; i < calls.length; i++) {
      long dropped = reader.counts().dropped(i);
      if (dropped > 0) {
        add(out, dropped, "gpu_probe_dropped_values_total", "call", calls[i].label());
      }
    }
  }

  /** Says once what became of a call, with where the kernel shows its thread. */
  private void say(Watchdog.State state, CallLog.InProgress stuck) {
    if (state.compareTo(said) > 0) {
      LOG.warn(
          "the driver call {} of GPU {} is {} after {} s{}",
          stuck.call().label(),
          stuck.gpu(),
          state.name().toLowerCase(Locale.ROOT),
          stuck.nanos() / (long) NANOS,
          watchdog.isBlockedInKernel() ? "; its thread is in uninterruptible sleep" : "");
    }
    said = state;
  }

  private Labels of(NodeGpu gpu, String metric) {
    return series.computeIfAbsent(
        List.of(metric, gpu.labels().value("UUID")),
        key -> gpu.labels().with(Labels.NAME, GpuMetrics.of(metric).name()));
  }

  private void add(Tick.Builder out, double value, String metric, String... labels) {
    List<String> key = labels.length == 0 ? List.of(metric) : key(metric, labels);
    Labels of = series.computeIfAbsent(key, name -> Labels.of(labels).with(Labels.NAME, metric));
    out.add(of, value);
  }

  private static List<String> key(String metric, String... labels) {
    return labels.length == 2
        ? List.of(metric, labels[0], labels[1])
        : List.of(metric, labels[0], labels[1], labels[2], labels[3]);
  }
}
