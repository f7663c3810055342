package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** node_exporter's collector {@code nvme}. */
public final class Nvme implements Collector {
  /** Sizes of block devices are in these units, whatever the size of their blocks. */
  private static final double SECTOR_BYTES = 512;

  /** As it is shown without multipath, and with it: nvme1n1, nvme0c0n1. */
  private static final Pattern NAMESPACE = Pattern.compile("nvme\\d+(?:c\\d+)?n(\\d+)");

  private final Metric info =
      new Metric(
          "node_nvme_info", "device", "firmware_revision", "model", "serial", "state", "cntlid");
  private final Metric ofNamespace =
      new Metric("node_nvme_namespace_info", "device", "nsid", "ana_state");
  private final Metric capacity = metric("capacity_bytes");
  private final Metric size = metric("size_bytes");
  private final Metric used = metric("used_bytes");
  private final Metric block = metric("logical_block_size_bytes");

  private static Metric metric(String name) {
    return new Metric("node_nvme_namespace_" + name, "device", "nsid");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/nvme/");
    for (String device : files.listed(folder)) {
      String path = folder + device + "/";
      out.add(
          info,
          1,
          device,
          files.lineOrEmpty(path + "firmware_rev"),
          files.lineOrEmpty(path + "model"),
          files.lineOrEmpty(path + "serial"),
          files.lineOrEmpty(path + "state"),
          files.lineOrEmpty(path + "cntlid"));
      Set<String> ids = new HashSet<>();
      for (String name : files.list(path)) {
        Matcher namespace = NAMESPACE.matcher(name);
        if (namespace.matches() && ids.add(namespace.group(1))) {
          read(files, out, path + name + "/", device, namespace.group(1));
        }
      }
    }
  }

  private void read(NodeFiles files, CollectorReadings out, String path, String device, String id) {
    double blockBytes = files.number(path + "queue/logical_block_size");
    double sectors = files.number(path + "size");
    String state = files.lineOrEmpty(path + "ana_state");
    out.add(ofNamespace, 1, device, id, state.isEmpty() ? "unknown" : state);
    out.add(capacity, sectors * SECTOR_BYTES, device, id);
    out.add(size, sectors * SECTOR_BYTES, device, id);
    out.add(used, files.number(path + "nuse") * blockBytes, device, id);
    out.add(block, blockBytes, device, id);
  }
}
