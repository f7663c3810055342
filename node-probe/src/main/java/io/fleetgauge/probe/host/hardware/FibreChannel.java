package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.Missing;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** node_exporter's collector {@code fibrechannel}. */
public final class FibreChannel implements Collector {
  /** What an adapter says of a counter that it does not have: all bits are set. */
  private static final double UNIMPLEMENTED = 0x1p64;

  private static final String[] ATTRIBUTES = {
    "speed",
    "port_state",
    "port_type",
    "port_id",
    "port_name",
    "fabric_name",
    "symbolic_name",
    "supported_classes",
    "supported_speeds",
    "dev_loss_tmo"
  };

  private final NodeFiles files;
  private final Metric info;
  private final Map<String, Metric> counters = new TreeMap<>();

  public FibreChannel(NodeFiles files) {
    this.files = files;
    List<String> labels = new ArrayList<>(List.of("fc_host"));
    labels.addAll(List.of(ATTRIBUTES));
    info = new Metric("node_fibrechannel_info", labels.toArray(String[]::new));
    for (String same :
        "dumped_frames error_frames rx_frames rx_words tx_frames tx_words".split(" ")) {
      counter(same, same);
    }
    counter("invalid_crc_count", "invalid_crc");
    counter("seconds_since_last_reset", "seconds_since_last_reset");
    counter("invalid_tx_word_count", "invalid_tx_words");
    counter("link_failure_count", "link_failure");
    counter("loss_of_sync_count", "loss_of_sync");
    counter("loss_of_signal_count", "loss_of_signal");
    counter("nos_count", "nos");
    counter("fcp_packet_aborts", "fcp_packet_aborts");
  }

  private void counter(String file, String name) {
    counters.put(file, new Metric("node_fibrechannel_" + name + "_total", "fc_host"));
  }

  @Override
  public void read(Readings out) throws Missing {
    String folder = files.inSys("class/fc_host/");
    for (String host : files.listed(folder)) {
      String path = folder + host + "/";
      String[] labels = new String[ATTRIBUTES.length + 1];
      labels[0] = host;
      for (int i = 0; i < ATTRIBUTES.length; i++) {
        String value = files.lineOrEmpty(path + ATTRIBUTES[i]);
        boolean isHex = ATTRIBUTES[i].matches("port_id|port_name|fabric_name");
        labels[i + 1] = isHex && value.startsWith("0x") ? value.substring(2) : value;
      }
      out.add(info, 1, labels);
      counters.forEach(
          (file, metric) -> {
            double value = files.number(path + "statistics/" + file);
            out.add(metric, value == UNIMPLEMENTED ? Double.NaN : value, host);
          });
    }
  }
}
