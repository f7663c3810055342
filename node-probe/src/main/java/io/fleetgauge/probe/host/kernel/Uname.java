package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code uname}. */
public final class Uname implements Collector {
  private final NodeFiles files;
  private final Metric info =
      new Metric(
          "node_uname_info", "sysname", "release", "version", "machine", "nodename", "domainname");

  public Uname(NodeFiles files) {
    this.files = files;
  }

  @Override
  public void read(CollectorReadings out) throws MissingSource {
    String name = kernel("ostype");
    if (name.isEmpty()) {
      throw new MissingSource(files.inProc("sys/kernel/ostype"));
    }
    String machine = kernel("arch");
    out.add(
        info,
        1,
        name,
        kernel("osrelease"),
        kernel("version"),
        machine.isEmpty() ? machineOfJava() : machine,
        kernel("hostname"),
        kernel("domainname"));
  }

  private String kernel(String file) {
    return files.lineOrEmpty(files.inProc("sys/kernel/" + file));
  }

  /** For kernels before 6.1, which do not say it in a file. */
  private static String machineOfJava() {
    String arch = System.getProperty("os.arch");
    return arch.equals("amd64") ? "x86_64" : arch;
  }
}
