package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** node_exporter's collector {@code mdadm}: software RAID. */
public final class MdAdm implements Collector {
  private static final String[] STATES = {"active", "inactive", "recovering", "resync", "check"};
  private static final Pattern DISKS = Pattern.compile("\\[(\\d+)/(\\d+)\\] \\[[U_]+\\]");
  private static final Pattern BLOCKS = Pattern.compile("\\((\\d+)/\\d+\\)");
  private static final Pattern SIZE = Pattern.compile("\\s+(\\d+) blocks.*");

  private final NodeFiles files;
  private KernelText text;
  private final Metric state = new Metric("node_md_state", "device", "state");
  private final Metric disks = new Metric("node_md_disks", "device", "state");
  private final Metric required = new Metric("node_md_disks_required", "device");
  private final Metric blocks = new Metric("node_md_blocks", "device");
  private final Metric synced = new Metric("node_md_blocks_synced", "device");
  private final Metric raidDisks = new Metric("node_md_raid_disks", "device");
  private final Metric degraded = new Metric("node_md_degraded", "device");

  public MdAdm(NodeFiles files) {
    this.files = files;
  }

  @Override
  public void read(Readings out) throws IOException {
    text = files.proc("mdstat");
    List<String> device = new ArrayList<>();
    while (text.nextLine()) {
      String line = text.line();
      boolean begins = !line.isBlank() && line.charAt(0) != ' ' && line.charAt(0) != '\t';
      if (begins) {
        read(out, device);
        device.clear();
      }
      if (begins || !device.isEmpty()) {
        device.add(line);
      }
    }
    read(out, device);
    for (String each : files.list(files.inSys("block"))) {
      String folder = files.inSys("block/" + each + "/md/");
      if (each.startsWith("md") && files.isThere(folder)) {
        String level = files.lineOrEmpty(folder + "level");
        if (!level.isEmpty() && !Set.of("container", "imsm", "ddf").contains(level)) {
          out.add(raidDisks, files.number(folder + "raid_disks"), each);
        }
        double count = files.number(folder + "degraded");
        out.add(degraded, Double.isNaN(count) ? 0 : count, each);
      }
    }
  }

  /** The lines of one device: what it is, its size and disks, and how far it is synced. */
  private void read(Readings out, List<String> lines) {
    if (lines.isEmpty()
        || lines.getFirst().startsWith("Personalities")
        || lines.getFirst().startsWith("unused")) {
      return;
    }
    String first = lines.getFirst();
    String[] words = first.split("\\s+");
    Matcher size = SIZE.matcher(lines.size() > 1 ? lines.get(1) : "");
    if (words.length < 3 || !words[1].equals(":") || !size.matches()) {
      text.damaged(first);
      return;
    }
    String device = words[0];
    double all = Double.parseDouble(size.group(1));
    double active = 0;
    double total = 0;
    Matcher counts = DISKS.matcher(lines.get(1));
    if (first.contains("raid0") || first.contains("linear")) {
      total = first.chars().filter(c -> c == '[').count();
      active = total;
    } else if (!first.contains("inactive")) {
      if (!counts.find()) {
        text.damaged(first);
        return;
      }
      total = Double.parseDouble(counts.group(1));
      active = Double.parseDouble(counts.group(2));
    }
    String activity = words[2];
    double done = all;
    for (String line : lines.subList(2, lines.size())) {
      String syncing = syncing(line);
      if (!syncing.isEmpty()) {
        activity = syncing;
        Matcher progress = BLOCKS.matcher(line);
        if (line.contains("PENDING") || line.contains("DELAYED") || line.contains("REMOTE")) {
          done = 0;
        } else if (progress.find()) {
          done = Double.parseDouble(progress.group(1));
        } else {
          text.damaged(line);
          return;
        }
        break;
      }
    }
    out.add(required, total, device);
    out.add(disks, active, device, "active");
    out.add(disks, count(first, "(F)"), device, "failed");
    out.add(disks, count(first, "(S)"), device, "spare");
    for (String each : STATES) {
      out.add(state, each.equals(activity) ? 1 : 0, device, each);
    }
    out.add(blocks, all, device);
    out.add(synced, done, device);
  }

  private static String syncing(String line) {
    return line.contains("recovery")
        ? "recovering"
        : line.contains("reshape")
            ? "reshaping"
            : line.contains("check") ? "check" : line.contains("resync") ? "resync" : "";
  }

  private static int count(String line, String mark) {
    return line.split(Pattern.quote(mark), -1).length - 1;
  }
}
