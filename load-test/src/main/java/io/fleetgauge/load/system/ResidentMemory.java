package io.fleetgauge.load.system;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** The memory that processes hold, looked at now and then. Not for several threads. */
public final class ResidentMemory {
  private static final double MIB = 1 << 20;

  private final List<MeasuredProcess> processes;
  private final double[] highest;

  public ResidentMemory(List<MeasuredProcess> processes) {
    this.processes = processes;
    this.highest = new double[processes.size()];
  }

  /** Looks at what each holds now, MiB. */
  public double[] look() throws IOException {
    double[] now = new double[highest.length];
    for (int i = 0; i < now.length; i++) {
      now[i] = processes.get(i).cost().residentBytes() / MIB;
      highest[i] = Math.max(highest[i], now[i]);
    }
    return now;
  }

  /** The most that each held when it was looked at, MiB. */
  public double[] highest() {
    return highest.clone();
  }

  /** Amounts of processes of one kind, as a table has them: one, or the range of several. */
  public static String range(double[] mib) {
    double[] sorted = mib.clone();
    Arrays.sort(sorted);
    String lowest = Long.toString(Math.round(sorted[0]));
    String highest = Long.toString(Math.round(sorted[sorted.length - 1]));
    return lowest.equals(highest) ? lowest : lowest + "-" + highest;
  }
}
