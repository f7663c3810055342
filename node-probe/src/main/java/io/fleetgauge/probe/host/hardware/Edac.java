package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** node_exporter's collector {@code edac}: errors of memory. */
public final class Edac implements Collector {
  private static final Pattern CHANNEL = Pattern.compile("ch(\\d+)_ce_count");

  private final Metric corrected = new Metric("node_edac_correctable_errors_total", "controller");
  private final Metric uncorrected =
      new Metric("node_edac_uncorrectable_errors_total", "controller");
  private final Metric ofRow =
      new Metric("node_edac_csrow_correctable_errors_total", "controller", "csrow");
  private final Metric ofRowUncorrected =
      new Metric("node_edac_csrow_uncorrectable_errors_total", "controller", "csrow");
  private final Metric ofChannel = channel("correctable");
  private final Metric ofChannelUncorrected = channel("uncorrectable");

  private static Metric channel(String kind) {
    String name = "node_edac_channel_" + kind + "_errors_total";
    return new Metric(name, "controller", "csrow", "channel", "dimm_label");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    String folder = files.inSys("devices/system/edac/mc/");
    for (String name : files.list(folder)) {
      if (name.matches("mc\\d+")) {
        String path = folder + name + "/";
        String controller = name.substring("mc".length());
        out.add(corrected, files.number(path + "ce_count"), controller);
        out.add(ofRow, files.number(path + "ce_noinfo_count"), controller, "unknown");
        out.add(uncorrected, files.number(path + "ue_count"), controller);
        out.add(ofRowUncorrected, files.number(path + "ue_noinfo_count"), controller, "unknown");
        for (String row : files.list(path)) {
          if (row.matches("csrow\\d+")) {
            read(files, out, path + row + "/", controller, row.substring("csrow".length()));
          }
        }
      }
    }
  }

  private void read(
      NodeFiles files, CollectorReadings out, String path, String controller, String row) {
    out.add(ofRow, files.number(path + "ce_count"), controller, row);
    out.add(ofRowUncorrected, files.number(path + "ue_count"), controller, row);
    for (String file : files.list(path)) {
      Matcher channel = CHANNEL.matcher(file);
      if (channel.matches()) {
        String number = channel.group(1);
        String label = label(files.line(path + "ch" + number + "_dimm_label"));
        out.add(ofChannel, files.number(path + file), controller, row, number, label);
        double count = files.number(path + "ch" + number + "_ue_count");
        out.add(ofChannelUncorrected, count, controller, row, number, label);
      }
    }
  }

  /** The kernel's {@code mc#0csrow#1channel#0} is mc0_csrow1_channel0. */
  private static String label(String text) {
    return text == null
        ? "unknown"
        : text.replace("#", "").replace("csrow", "_csrow").replace("channel", "_channel");
  }
}
