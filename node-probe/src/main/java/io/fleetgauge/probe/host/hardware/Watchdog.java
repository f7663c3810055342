package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.Missing;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.util.ArrayList;
import java.util.List;

/** node_exporter's collector {@code watchdog}. */
public final class Watchdog implements Collector {
  /** A file of a watchdog and its metric. */
  private record Attribute(String file, Metric metric) {}

  private static final String[] TEXTS = {
    "options", "identity", "state", "status", "pretimeout_governor"
  };

  private final NodeFiles files;
  private final List<Attribute> attributes = new ArrayList<>();
  private final Metric info;

  public Watchdog(NodeFiles files) {
    this.files = files;
    attribute("bootstatus", "bootstatus");
    attribute("fw_version", "fw_version");
    attribute("nowayout", "nowayout");
    attribute("timeleft", "timeleft_seconds");
    attribute("timeout", "timeout_seconds");
    attribute("pretimeout", "pretimeout_seconds");
    attribute("access_cs0", "access_cs0");
    List<String> labels = new ArrayList<>(List.of("name"));
    labels.addAll(List.of(TEXTS));
    info = new Metric("node_watchdog_info", labels.toArray(String[]::new));
  }

  private void attribute(String file, String name) {
    attributes.add(new Attribute(file, new Metric("node_watchdog_" + name, "name")));
  }

  @Override
  public void read(Readings out) throws Missing {
    String folder = files.inSys("class/watchdog/");
    for (String name : files.listed(folder)) {
      String path = folder + name + "/";
      for (Attribute each : attributes) {
        out.add(each.metric(), files.number(path + each.file()), name);
      }
      String[] texts = new String[TEXTS.length + 1];
      texts[0] = name;
      for (int i = 0; i < TEXTS.length; i++) {
        texts[i + 1] = files.lineOrEmpty(path + TEXTS[i]);
      }
      out.add(info, 1, texts);
    }
  }
}
