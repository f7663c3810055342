package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.Missing;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.io.IOException;

/** node_exporter's collector {@code selinux}. */
public final class SeLinux implements Collector {
  private final NodeFiles files;
  private final Metric enabled = new Metric("node_selinux_enabled");
  private final Metric configured = new Metric("node_selinux_config_mode");
  private final Metric current = new Metric("node_selinux_current_mode");

  public SeLinux(NodeFiles files) {
    this.files = files;
  }

  @Override
  public void read(Readings out) throws IOException {
    String folder = files.inSys("fs/selinux/");
    boolean isOn = files.isThere(folder + "enforce");
    out.add(enabled, isOn ? 1 : 0);
    if (isOn) {
      out.add(configured, configuredMode());
      out.add(current, files.number(folder + "enforce"));
    }
  }

  /** 1 enforcing, 0 permissive, -1 disabled. */
  private int configuredMode() throws IOException {
    try {
      KernelText text = files.text(files.inRoot("/etc/selinux/config"));
      while (text.nextLine()) {
        if (text.lineStartsWith("SELINUX=enforcing")) {
          return 1;
        }
        if (text.lineStartsWith("SELINUX=permissive")) {
          return 0;
        }
      }
    } catch (Missing e) {
      // As if it were disabled.
    }
    return -1;
  }
}
