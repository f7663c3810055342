package io.fleetgauge.probe.faults;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.Locale;
import java.util.Set;

/** Which windows of faults are kept, and how the high-rate readings do, as series. */
public final class RecentReport implements Reader {
  private static final double MILLIS = 1000;
  private static final String WINDOW = GpuMetrics.of("gpu_fault_window_timestamp_seconds").name();
  private static final String WINDOWS = GpuMetrics.of("gpu_fault_windows_total").name();
  private static final String READINGS = GpuMetrics.of("gpu_recent_readings_total").name();

  private final Recorder recorder;
  private final TickClass core;

  public RecentReport(Recorder recorder, TickClass core) {
    this.recorder = recorder;
    this.core = core;
  }

  @Override
  public String name() {
    return "recent";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    for (FaultWindow window : recorder.faults()) {
      GpuFault fault = window.first();
      Labels series =
          fault
              .gpu()
              .with(
                  Labels.of(
                      Labels.NAME, WINDOW, "fault", window.id(), "kind", fault.kind().text()));
      if (fault.xid() > 0) {
        series = series.with("xid", Integer.toString(fault.xid()));
      }
      out.add(core, series, fault.time() / MILLIS);
    }
    for (FaultWindows.Result result : FaultWindows.Result.values()) {
      add(out, WINDOWS, result.name().toLowerCase(Locale.ROOT), recorder.count(result));
    }
    add(out, WINDOWS, "not_saved", recorder.notSaved());
    add(out, READINGS, "read", recorder.rows() - recorder.late());
    add(out, READINGS, "late", recorder.late());
    add(out, READINGS, "left_out", recorder.leftOut());
  }

  private void add(Readings out, String metric, String result, double value) {
    out.add(core, Labels.of(Labels.NAME, metric, "result", result), value);
  }
}
