package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.File;
import java.util.ArrayList;
import java.util.List;

/** node_exporter's collector {@code netclass}. */
public final class NetClass implements Collector {
  private static final double BYTES_PER_MEGABIT = 125_000;
  private static final int UP = 1;

  /** A metric and the file of a device that has its value. */
  private record Attribute(Metric metric, String file) {}

  private final Filter devices;
  private final Metric up = ofDevice("up");
  private final Metric info =
      new Metric(
          "node_network_info",
          "device",
          "address",
          "broadcast",
          "duplex",
          "operstate",
          "adminstate",
          "ifalias");
  private final Metric flags = ofDevice("flags");
  private final Metric speed = ofDevice("speed_bytes");
  private final List<Attribute> attributes = new ArrayList<>();

  public NetClass(Filter devices) {
    this.devices = devices;
    attribute("address_assign_type", "addr_assign_type");
    attribute("carrier", "carrier");
    attribute("carrier_changes_total", "carrier_changes");
    attribute("carrier_up_changes_total", "carrier_up_count");
    attribute("carrier_down_changes_total", "carrier_down_count");
    attribute("device_id", "dev_id");
    attribute("dormant", "dormant");
    attribute("iface_id", "ifindex");
    attribute("iface_link", "iflink");
    attribute("iface_link_mode", "link_mode");
    attribute("mtu_bytes", "mtu");
    attribute("name_assign_type", "name_assign_type");
    attribute("net_dev_group", "netdev_group");
    attribute("transmit_queue_length", "tx_queue_len");
    attribute("protocol_type", "type");
  }

  private void attribute(String name, String file) {
    attributes.add(new Attribute(ofDevice(name), file));
  }

  private static Metric ofDevice(String name) {
    return new Metric("node_network_" + name, "device");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/net/");
    for (String device : files.listed(folder)) {
      if (devices.takes(device) && new File(folder + device).isDirectory()) {
        read(files, out, folder + device + "/", device);
      }
    }
  }

  private void read(NodeFiles files, CollectorReadings out, String path, String device) {
    String state = files.lineOrEmpty(path + "operstate");
    double bits = files.number(path + "flags");
    out.add(up, state.equals("up") ? 1 : 0, device);
    out.add(
        info,
        1,
        device,
        files.lineOrEmpty(path + "address"),
        files.lineOrEmpty(path + "broadcast"),
        files.lineOrEmpty(path + "duplex"),
        state,
        Double.isNaN(bits) ? "unknown" : ((long) bits & UP) != 0 ? "up" : "down",
        files.lineOrEmpty(path + "ifalias"));
    out.add(flags, bits, device);
    // A device that does not know its speed says -1, which node_exporter passes on.
    out.add(speed, files.number(path + "speed") * BYTES_PER_MEGABIT, device);
    for (Attribute each : attributes) {
      out.add(each.metric(), files.number(path + each.file()), device);
    }
  }
}
