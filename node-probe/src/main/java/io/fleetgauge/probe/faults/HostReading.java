package io.fleetgauge.probe.faults;

import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.util.function.ObjDoubleConsumer;

/** CPU and pressure of the host since the reading before. Not for several threads. */
final class HostReading {
  private static final double NANOS = 1e9;
  private static final double MICROS = 1e6;
  private static final int CPU_TIMES = 8;
  private static final int IDLE = 3;
  private static final int IOWAIT = 4;

  /** A resource, and what the kernel says of tasks of which some and of which all wait. */
  private static final class Pressure {
    final String file;
    final Labels some;
    final Labels full;
    double someMicros = Double.NaN;
    double fullMicros = Double.NaN;

    Pressure(String resource, boolean canStall) {
      file = "pressure/" + resource;
      some = series("node_recent_pressure_" + resource + "_waiting_ratio");
      full = canStall ? series("node_recent_pressure_" + resource + "_stalled_ratio") : null;
    }
  }

  private final NodeFiles files;
  private final Labels busy = series("node_recent_cpu_busy_ratio");
  private final Labels iowait = series("node_recent_cpu_iowait_ratio");
  private final Pressure[] pressures = {
    new Pressure("cpu", false), new Pressure("memory", true), new Pressure("io", true)
  };
  private final double[] before = new double[CPU_TIMES];
  private final double[] now = new double[CPU_TIMES];
  private boolean hasCpu;
  private boolean hasTime;
  private long readAt;

  HostReading(NodeFiles files) {
    this.files = files;
  }

  private static Labels series(String metric) {
    return Labels.of(Labels.NAME, metric);
  }

  /**
   * @param nanos a clock that only moves forward
   */
  void read(long nanos, ObjDoubleConsumer<Labels> out) {
    double seconds = hasTime ? (nanos - readAt) / NANOS : Double.NaN;
    hasTime = true;
    readAt = nanos;
    hasCpu = cpu(out);
    for (Pressure pressure : pressures) {
      read(pressure, seconds, out);
    }
  }

  private boolean cpu(ObjDoubleConsumer<Labels> out) {
    try {
      KernelText stat = files.proc("stat");
      if (!stat.nextLine() || !stat.nextWord() || !stat.wordIs("cpu")) {
        return false;
      }
      double sum = 0;
      double all = 0;
      for (int i = 0; i < CPU_TIMES; i++) {
        now[i] = stat.nextNumber();
        sum += now[i];
        all += now[i] - before[i];
      }
      if (hasCpu && all > 0) {
        double idle = now[IDLE] - before[IDLE];
        double waiting = now[IOWAIT] - before[IOWAIT];
        out.accept(busy, share(1 - (idle + waiting) / all));
        out.accept(iowait, share(waiting / all));
      }
      System.arraycopy(now, 0, before, 0, CPU_TIMES);
      return !Double.isNaN(sum);
    } catch (IOException e) {
      return false;
    }
  }

  private void read(Pressure pressure, double seconds, ObjDoubleConsumer<Labels> out) {
    double some = Double.NaN;
    double full = Double.NaN;
    try {
      KernelText text = files.proc(pressure.file);
      while (text.nextLine()) {
        if (!text.nextWord()) {
          continue;
        }
        boolean isSome = text.wordIs("some");
        while (text.nextWord()) {
          if (text.wordStartsWith("total=")) {
            double total = text.number("total=".length(), 0);
            some = isSome ? total : some;
            full = isSome ? full : total;
          }
        }
      }
    } catch (IOException e) {
      // The kernel has no pressure information: there is nothing to keep.
    }
    out.accept(pressure.some, share((some - pressure.someMicros) / MICROS / seconds));
    if (pressure.full != null) {
      out.accept(pressure.full, share((full - pressure.fullMicros) / MICROS / seconds));
    }
    pressure.someMicros = some;
    pressure.fullMicros = full;
  }

  /** The kernel estimates some of these times: a share is cut to what one can be. */
  private static double share(double value) {
    return Double.isNaN(value) ? value : Math.clamp(value, 0, 1);
  }
}
