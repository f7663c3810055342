package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** node_exporter's collector {@code mdadm}: software RAID. */
public final class MdAdm implements Collector {
  private static final String[] STATES = {"active", "inactive", "recovering", "resync", "check"};
  private static final Pattern DISKS = Pattern.compile("\\[(\\d+)/(\\d+)\\] \\[[U_]+\\]");
  private static final Pattern SIZE = Pattern.compile("\\s+(\\d+) blocks.*");

  /** {@code resync=DELAYED}, also PENDING and REMOTE, or {@code reshape = 7.2% (27/375)}. */
  private static final Pattern SYNC =
      Pattern.compile(
          "\\s+(?:\\[[=>.]*\\]\\s+)?(recovery|reshape|check|resync)\\s*=\\s*"
              + "(?:([A-Z]+)|[\\d.]+%\\s+\\((\\d+)/\\d+\\).*)");

  /** Operations, and the names of their states. */
  private static final Map<String, String> ACTIVITIES =
      Map.of(
          "recovery", "recovering", "reshape", "reshaping", "check", "check", "resync", "resync");

  /** Kinds of arrays that do not tell how many of their disks work, because all must. */
  private static final Set<String> WITHOUT_COUNTS = Set.of("raid0", "linear", "faulty");

  private KernelText text;
  private final Metric state = new Metric("node_md_state", "device", "state");
  private final Metric disks = new Metric("node_md_disks", "device", "state");
  private final Metric required = new Metric("node_md_disks_required", "device");
  private final Metric blocks = new Metric("node_md_blocks", "device");
  private final Metric synced = new Metric("node_md_blocks_synced", "device");
  private final Metric raidDisks = new Metric("node_md_raid_disks", "device");
  private final Metric degraded = new Metric("node_md_degraded", "device");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
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
  private void read(CollectorReadings out, List<String> lines) {
    if (lines.isEmpty()
        || lines.getFirst().startsWith("Personalities")
        || lines.getFirst().startsWith("unused")) {
      return;
    }
    String first = lines.getFirst();
    String[] words = first.split("\\s+");
    if (words.length < 3 || !words[1].equals(":") || !words[2].matches("(in)?active")) {
      text.damaged(first);
      return;
    }
    String device = words[0];
    String activity = words[2];
    String rest = lines.size() > 1 ? lines.get(1) : "";
    Matcher size = SIZE.matcher(rest);
    boolean hasSize = size.matches();
    double all = hasSize ? Double.parseDouble(size.group(1)) : Double.NaN;
    double failed = count(first, "(F)");
    double spare = count(first, "(S)");
    double total = 0;
    double active = 0;
    Matcher counts = DISKS.matcher(rest);
    boolean isActive = activity.equals("active");
    if (isActive && counts.find()) {
      total = Double.parseDouble(counts.group(1));
      active = Double.parseDouble(counts.group(2));
    } else if (isActive && WITHOUT_COUNTS.contains(personality(words))) {
      total = count(first, "[");
      active = total - failed - spare;
    } else if (isActive) {
      text.damaged(first);
      return;
    }
    double done = all;
    for (String line : lines.subList(Math.min(2, lines.size()), lines.size())) {
      Matcher sync = SYNC.matcher(line);
      if (sync.lookingAt()) {
        activity = ACTIVITIES.get(sync.group(1));
        done = sync.group(2) == null ? Double.parseDouble(sync.group(3)) : 0;
        break;
      }
      if (line.contains("% (") && line.contains("finish=")) {
        text.damaged(line); // something that is not known goes on
        done = Double.NaN;
      }
    }
    if (!hasSize && words.length > 3 && count(first, "[") > 0) {
      text.damaged(first); // only an array without disks has no size
    }
    out.add(required, total, device);
    out.add(disks, active, device, "active");
    out.add(disks, failed, device, "failed");
    out.add(disks, spare, device, "spare");
    for (String each : STATES) {
      out.add(state, each.equals(activity) ? 1 : 0, device, each);
    }
    out.add(blocks, all, device);
    out.add(synced, done, device);
  }

  /** The kind of an active array: {@code md0 : active (auto-read-only) raid1 sda1[0]}. */
  private static String personality(String[] words) {
    int at = 3;
    while (at < words.length && words[at].startsWith("(")) {
      at++;
    }
    return at < words.length ? words[at] : "";
  }

  private static int count(String line, String mark) {
    return line.split(Pattern.quote(mark), -1).length - 1;
  }
}
