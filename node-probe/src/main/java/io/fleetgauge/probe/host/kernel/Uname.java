package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code uname}. */
public final class Uname implements Collector {
  private final Metric info =
      new Metric(
          "node_uname_info", "sysname", "release", "version", "machine", "nodename", "domainname");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String name = kernel(files, "ostype");
    if (name.isEmpty()) {
      throw new MissingSource(files.inProc("sys/kernel/ostype"));
    }
    String machine = kernel(files, "arch");
    out.add(
        info,
        1,
        name,
        kernel(files, "osrelease"),
        kernel(files, "version"),
        machine.isEmpty() ? machineOfJava() : machine,
        kernel(files, "hostname"),
        kernel(files, "domainname"));
  }

  private static String kernel(NodeFiles files, String file) {
    return files.lineOrEmpty(files.inProc("sys/kernel/" + file));
  }

  /** For kernels before 6.1, which do not say it in a file. */
  private static String machineOfJava() {
    String arch = System.getProperty("os.arch");
    return arch.equals("amd64") ? "x86_64" : arch;
  }
}
