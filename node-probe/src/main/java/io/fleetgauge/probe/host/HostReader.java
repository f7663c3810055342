package io.fleetgauge.probe.host;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** Reads one node's /proc. One thread reads; any thread may ask for {@link #failures}. */
public final class HostReader {
  /** The kernel's clock for user space, 1/s; 100 on every Linux that GPUs run on. */
  private static final double TICKS_PER_SECOND = 100;

  private static final int SECTOR_BYTES = 512;

  private static final String[] CPU_MODES = {
    "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"
  };
  private static final String[] RECEIVE = {
    "bytes", "packets", "errs", "drop", "fifo", "frame", "compressed", "multicast"
  };
  private static final String[] TRANSMIT = {
    "bytes", "packets", "errs", "drop", "fifo", "colls", "carrier", "compressed"
  };

  /** A column of /proc/diskstats: its name and what one unit of it is worth. */
  private record DiskColumn(String name, double unit) {}

  private static final DiskColumn[] DISK = {
    new DiskColumn("node_disk_reads_completed_total", 1),
    new DiskColumn("node_disk_reads_merged_total", 1),
    new DiskColumn("node_disk_read_bytes_total", SECTOR_BYTES),
    new DiskColumn("node_disk_read_time_seconds_total", 0.001),
    new DiskColumn("node_disk_writes_completed_total", 1),
    new DiskColumn("node_disk_writes_merged_total", 1),
    new DiskColumn("node_disk_written_bytes_total", SECTOR_BYTES),
    new DiskColumn("node_disk_write_time_seconds_total", 0.001),
    new DiskColumn("node_disk_io_now", 1),
    new DiskColumn("node_disk_io_time_seconds_total", 0.001),
    new DiskColumn("node_disk_io_time_weighted_seconds_total", 0.001),
    new DiskColumn("node_disk_discards_completed_total", 1),
    new DiskColumn("node_disk_discards_merged_total", 1),
    new DiskColumn("node_disk_discarded_sectors_total", 1),
    new DiskColumn("node_disk_discard_time_seconds_total", 0.001),
    new DiskColumn("node_disk_flush_requests_total", 1),
    new DiskColumn("node_disk_flush_requests_time_seconds_total", 0.001)
  };

  // Partitions and pseudo devices: their numbers are contained in those of their disks.
  private static final Pattern IGNORED_DISKS =
      Pattern.compile("(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\\d+n\\d+p)\\d+");
  private static final Pattern IGNORED_MOUNTS =
      Pattern.compile(
          "/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+|var/lib/containers/storage/.+)"
              + "($|/.*)");
  private static final Set<String> IGNORED_FILE_SYSTEMS =
      Set.of(
          ("autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs fusectl"
                  + " hugetlbfs iso9660 mqueue nsfs overlay proc procfs pstore rpc_pipefs"
                  + " securityfs selinuxfs squashfs erofs sysfs tracefs"
                  // Network file systems: a call may block for as long as the server does not
                  // answer.
                  + " nfs nfs4 cifs smb3 smbfs ceph lustre glusterfs fuse.glusterfs fuse.sshfs"
                  + " fuse.s3fs gpfs beegfs wekafs 9p afs")
              .split(" "));

  private final Path proc;
  private final Map<String, Labels> labelSets = new HashMap<>();
  private final LongAdder failures = new LongAdder();

  /**
   * @param proc where the proc file system is mounted
   */
  public HostReader(Path proc) {
    this.proc = proc;
  }

  /** Files and lines that could not be read since the start. */
  public long failures() {
    return failures.sum();
  }

  /** Adds one reading of everything. */
  public void read(Tick.Builder tick) {
    load(tick);
    cpu(tick);
    memory(tick);
    network(tick);
    disks(tick);
    fileSystems(tick);
  }

  private void load(Tick.Builder tick) {
    for (String line : lines("loadavg")) {
      String[] words = words(line);
      add(tick, words, 0, 1, "node_load1");
      add(tick, words, 1, 1, "node_load5");
      add(tick, words, 2, 1, "node_load15");
    }
  }

  private void cpu(Tick.Builder tick) {
    for (String line : lines("stat")) {
      String[] words = words(line);
      if (words[0].startsWith("cpu") && words[0].length() > 3) {
        String cpu = words[0].substring(3);
        for (int i = 0; i < CPU_MODES.length; i++) {
          add(
              tick,
              words,
              i + 1,
              1 / TICKS_PER_SECOND,
              "node_cpu_seconds_total",
              "cpu",
              cpu,
              "mode",
              CPU_MODES[i]);
        }
        String guest = "node_cpu_guest_seconds_total";
        add(tick, words, 9, 1 / TICKS_PER_SECOND, guest, "cpu", cpu, "mode", "user");
        add(tick, words, 10, 1 / TICKS_PER_SECOND, guest, "cpu", cpu, "mode", "nice");
      }
    }
  }

  private void memory(Tick.Builder tick) {
    for (String line : lines("meminfo")) {
      String[] words = words(line);
      // "Active(anon):  17 kB" is node_memory_Active_anon_bytes
      String name = "node_memory_" + words[0].replaceAll("\\((.*)\\)", "_$1").replace(":", "");
      boolean kibi = words.length > 2 && words[2].equals("kB");
      add(tick, words, 1, kibi ? 1024 : 1, kibi ? name + "_bytes" : name);
    }
  }

  private void network(Tick.Builder tick) {
    for (String line : lines("net/dev")) {
      int colon = line.indexOf(':');
      if (colon < 0) {
        continue; // the two header lines
      }
      String device = line.substring(0, colon).strip();
      String[] words = words(line.substring(colon + 1));
      for (int i = 0; i < RECEIVE.length; i++) {
        add(tick, words, i, 1, "node_network_receive_" + RECEIVE[i] + "_total", "device", device);
      }
      for (int i = 0; i < TRANSMIT.length; i++) {
        add(
            tick,
            words,
            RECEIVE.length + i,
            1,
            "node_network_transmit_" + TRANSMIT[i] + "_total",
            "device",
            device);
      }
    }
  }

  private void disks(Tick.Builder tick) {
    for (String line : lines("diskstats")) {
      String[] words = words(line);
      if (words.length < 4 || IGNORED_DISKS.matcher(words[2]).matches()) {
        continue;
      }
      for (int i = 0; i < DISK.length && i + 3 < words.length; i++) {
        add(tick, words, i + 3, DISK[i].unit(), DISK[i].name(), "device", words[2]);
      }
    }
  }

  private void fileSystems(Tick.Builder tick) {
    Set<String> seen = new HashSet<>();
    // Process 1 has the node's mounts; this process may see those of its container only.
    List<String> mounts =
        Files.isReadable(proc.resolve("1/mounts")) ? lines("1/mounts") : lines("self/mounts");
    for (String line : mounts) {
      String[] words = words(line);
      if (words.length < 4
          || IGNORED_FILE_SYSTEMS.contains(words[2])
          || IGNORED_MOUNTS.matcher(words[1]).matches()) {
        continue;
      }
      String device = unescape(words[0]);
      String mountPoint = unescape(words[1]);
      if (seen.add(device + " " + mountPoint)) {
        fileSystem(tick, device, mountPoint, words[2], List.of(words[3].split(",")));
      }
    }
  }

  private void fileSystem(
      Tick.Builder tick, String device, String mountPoint, String type, List<String> options) {
    String[] labels = {"device", device, "fstype", type, "mountpoint", mountPoint};
    try {
      FileStore store = Files.getFileStore(Path.of(mountPoint));
      tick.add(labels("node_filesystem_size_bytes", labels), store.getTotalSpace());
      tick.add(labels("node_filesystem_free_bytes", labels), store.getUnallocatedSpace());
      tick.add(labels("node_filesystem_avail_bytes", labels), store.getUsableSpace());
      tick.add(labels("node_filesystem_readonly", labels), options.contains("ro") ? 1 : 0);
    } catch (IOException e) {
      failures.increment();
    }
  }

  /** The kernel writes blanks in these names as octal escapes. */
  private static String unescape(String path) {
    return path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }

  private void add(
      Tick.Builder tick, String[] words, int column, double unit, String name, String... labels) {
    if (column >= words.length) {
      return; // an older kernel does not have this column
    }
    try {
      double value = Double.parseDouble(words[column]);
      // Division is exact where multiplication is not: 3 * 0.01 is not 0.03.
      double scaled = unit < 1 ? value / Math.rint(1 / unit) : value * unit;
      tick.add(labels(name, labels), scaled);
    } catch (NumberFormatException e) {
      failures.increment();
    }
  }

  private Labels labels(String name, String... labels) {
    return labelSets.computeIfAbsent(
        name + '\0' + String.join("\0", labels), none -> Labels.of(labels).with(Labels.NAME, name));
  }

  private List<String> lines(String file) {
    try {
      List<String> lines = new ArrayList<>();
      for (String line : Files.readAllLines(proc.resolve(file))) {
        if (!line.isBlank()) {
          lines.add(line);
        }
      }
      return lines;
    } catch (IOException e) {
      failures.increment();
      return List.of();
    }
  }

  private static String[] words(String line) {
    return line.strip().split("\\s+");
  }
}
