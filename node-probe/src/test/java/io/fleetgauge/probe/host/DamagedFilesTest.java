package io.fleetgauge.probe.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.Damage;
import io.fleetgauge.probe.config.HostCollector;
import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage to files of the kernel, which node_exporter's end-to-end test has recorded. */
class DamagedFilesTest {
  /** Not the space of file systems of this machine, its clock or its name. */
  private static final Set<HostCollector> OF_THE_MACHINE =
      EnumSet.of(
          HostCollector.FILESYSTEM, HostCollector.TIME, HostCollector.TIMEX, HostCollector.UNAME);

  /** What a line of mountinfo says of its own. */
  private static final Set<String> OF_MOUNTS =
      Set.of("node_filesystem_mount_info", "node_filesystem_readonly");

  @TempDir private static Path folder;
  private static HostSettings settings;

  /** What one reading gave. */
  private record Read(Map<Labels, Double> samples, long faults, String last) {}

  private static final Read NOTHING = new Read(Map.of(), 0, "");

  /** How the entries of a file are kept apart. */
  private enum Form {
    LINES,
    /** Names and values. */
    PAIRS,
    /** Lines that end at an empty one. */
    BLOCKS,
    /** Lines of which only sums are told, which need all of them. */
    SUMS,
    /** Lines of names and texts, which are labels: with another text, the series is another. */
    TEXTS
  }

  @BeforeAll
  static void unpack() throws Exception {
    settings = NodeFixture.unpack(folder);
    // node_exporter asks for these by netlink.
    Files.writeString(
        settings.proc().resolve("net/dev"),
        """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            lo: 1017 11 2 3 4 5 6 7 8 9 10 11 12 13 14 15
        vethlo1:123456789012 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
         lodev: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
        """);
    for (String each : List.of("boot", "data a", "scratch")) {
      Files.createDirectories(settings.root().resolve(each));
    }
    Files.createDirectories(settings.proc().resolve("1"));
    Files.writeString(
        settings.proc().resolve("1/mountinfo"),
        """
        29 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
        104 29 259:1 / /boot rw,relatime shared:61 master:2 - vfat /dev/nvme0n1p1 rw,codepage=437
        107 29 253:0 /sub /data\\040a ro,noatime - xfs /dev/mapper/data rw,inode64,logbufs=8
        110 29 0:58 / /scratch rw,nosuid,nodev shared:77 - btrfs /dev/sdb rw,space_cache=v2
        """);
  }

  @ParameterizedTest
  @CsvSource({
    "1/mountinfo, FILESYSTEM, LINES, 0",
    "mdstat, MDADM, BLOCKS, 1",
    "net/arp, ARP, LINES, 1",
    "net/dev, NETDEV, LINES, 2",
    "net/udp, UDP_QUEUES, SUMS, 1",
    "net/stat/nf_conntrack, CONNTRACK, SUMS, 1",
    "pressure/memory, PRESSURE, LINES, 0"
  })
  void anEntryThatIsDamagedCostsNoOtherAndIsCounted(
      String name, HostCollector collector, Form form, int header) throws IOException {
    damageCostsNoOther(name, collector, form, header);
  }

  /**
   * @see #anEntryThatIsDamagedCostsNoOtherAndIsCounted
   */
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "stat, CPU, LINES, 1",
    "stat, STAT, LINES, 0",
    "diskstats, DISKSTATS, LINES, 0",
    "loadavg, LOADAVG, LINES, 0",
    "meminfo, MEMINFO, LINES, 0",
    "vmstat, VMSTAT, LINES, 0",
    "schedstat, SCHEDSTAT, LINES, 0",
    "sys/fs/file-nr, FILEFD, LINES, 0",
    "net/netstat, NETSTAT, PAIRS, 0",
    "net/snmp, NETSTAT, PAIRS, 0",
    "net/snmp6, NETSTAT, LINES, 0",
    "net/sockstat, SOCKSTAT, LINES, 0",
    "net/rpc/nfs, NFS, LINES, 0",
    "pressure/cpu, PRESSURE, LINES, 0"
  })
  void anEntryOfALongFileThatIsDamagedCostsNoOtherAndIsCounted(
      String name, HostCollector collector, Form form, int header) throws IOException {
    damageCostsNoOther(name, collector, form, header);
  }

  /** What udev knows of a disk: a line is a property, and a series has several. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"b8:0", "b8:16", "b252:1", "b259:0", "b11:0"})
  void aPropertyOfADiskThatIsDamagedCostsOnlyTheSeriesThatHaveIt(String disk) throws IOException {
    damageCostsNoOther(disk, udev(disk), HostCollector.DISKSTATS, Form.TEXTS, 0);
  }

  @Test
  void aPropertyOfADiskThatHasNoNameOrNoNumberIsCountedWithItsFile() throws IOException {
    Path file = udev("b8:0");
    byte[] whole = Files.readAllBytes(file);
    Read before = read(HostCollector.DISKSTATS);
    assertThat(before.faults).isZero();
    try {
      for (String property : List.of("E:", "E:=1", "E:ID_ATA_WRITE_CACHE", "E:ID_LATER")) {
        Files.writeString(file, property + "\n", StandardOpenOption.APPEND);
        Read after = read(HostCollector.DISKSTATS);
        assertThat(after.faults).as(property).isEqualTo(1);
        assertThat(after.last).contains("udev/data/b8:0").contains("\"" + property + "\"");
        assertThat(after.samples).isEqualTo(before.samples);
        Files.write(file, whole);
      }
      Files.writeString(file, "E:ID_ATA_ROTATION_RATE_RPM=fast\n", StandardOpenOption.APPEND);
      Read after = read(HostCollector.DISKSTATS);
      assertThat(after.faults).isEqualTo(1);
      assertThat(after.last).contains("b8:0").contains("ID_ATA_ROTATION_RATE_RPM=fast");
      assertThat(differences(before, after))
          .extracting(Labels::metric)
          .containsExactly("node_disk_ata_rotation_rate_rpm");
    } finally {
      Files.write(file, whole);
    }
  }

  private static Path udev(String disk) {
    return settings.root().resolve("run/udev/data").resolve(disk);
  }

  private static void damageCostsNoOther(
      String name, HostCollector collector, Form form, int header) throws IOException {
    damageCostsNoOther(name, settings.proc().resolve(name), collector, form, header);
  }

  private static void damageCostsNoOther(
      String name, Path file, HostCollector collector, Form form, int header) throws IOException {
    byte[] whole = Files.readAllBytes(file);
    try {
      List<byte[]> entries = entries(whole, form, header);
      Read before = read(collector);
      assertThat(before.samples).isNotEmpty();
      List<Set<Labels>> own = new ArrayList<>();
      for (int i = header; i < entries.size(); i++) {
        Files.write(file, joined(entries, i, new byte[0]));
        Read without = form == Form.SUMS ? NOTHING : read(collector);
        Set<Labels> ofEntry = differences(before, without);
        if (form == Form.TEXTS) { // without it, another property may have the same text
          Files.write(file, joined(entries, i, longer(entries.get(i))));
          ofEntry.addAll(differences(before, read(collector)));
        }
        own.add(ofEntry);
      }
      SplittableRandom random = Damage.random(name);
      for (int i = 0; i < Damage.TIMES; i++) {
        int at = random.nextInt(header, entries.size());
        Damage how = Damage.values()[i % Damage.values().length];
        byte[] damaged = how.to(entries.get(at), random);
        Files.write(file, joined(entries, at, damaged));
        String as =
            "%s %s as %s".formatted(name, how, new String(damaged, StandardCharsets.ISO_8859_1));
        Read after = read(collector);
        Set<Labels> lost = differences(before, after);
        if (how == Damage.GARBLED
            && form != Form.TEXTS
            && !after.samples.keySet().containsAll(lost)) {
          assertThat(after.faults).as(as).isGreaterThan(before.faults);
          assertThat(after.last).as(as).contains(name);
        }
        if (!after.last.contains("came twice") || how == Damage.TWICE) { // it is called as another
          lost.removeAll(own.get(at - header));
          assertThat(lost).as(as).isEmpty();
        }
      }
    } finally {
      Files.write(file, whole);
    }
  }

  /** What a file says may be lost, and nothing that is not of this file. */
  @Tag("slow")
  @Test
  void aFileThatIsDamagedCostsWhatItsAbsenceDoes() throws IOException {
    List<Path> all = new ArrayList<>();
    try (Stream<Path> paths = Files.walk(settings.sys())) {
      paths
          .filter(each -> Files.isRegularFile(each) && Files.isWritable(each))
          // Each CPU says the same of its package, and one of them is asked.
          .filter(each -> !each.endsWith("thermal_throttle/package_throttle_count"))
          .forEach(all::add);
    }
    all.sort(null);
    Read before = read(EnumSet.complementOf(EnumSet.copyOf(OF_THE_MACHINE)));
    SplittableRandom random = Damage.random("files");
    int changed = 0;
    for (int i = 0; i < Damage.TIMES; i++) {
      Path file = all.get(random.nextInt(all.size()));
      byte[] whole = Files.readAllBytes(file);
      if (new String(whole, StandardCharsets.ISO_8859_1).isBlank()) {
        continue; // it says as much as if it were not there, until it says something
      }
      try {
        Files.delete(file);
        Set<Labels> own =
            differences(before, read(EnumSet.complementOf(EnumSet.copyOf(OF_THE_MACHINE))));
        Files.write(file, file(whole, random));
        Set<Labels> lost =
            differences(before, read(EnumSet.complementOf(EnumSet.copyOf(OF_THE_MACHINE))));
        changed += lost.isEmpty() ? 0 : 1;
        lost.removeAll(own);
        assertThat(lost).as(file.toString()).isEmpty();
      } finally {
        Files.write(file, whole);
      }
    }
    assertThat(changed).as("some damage shows").isPositive();
  }

  private static byte[] file(byte[] whole, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> new byte[0];
      case 1 -> new byte[100_000];
      case 2 -> "later form\r\n\u00ff".getBytes(StandardCharsets.ISO_8859_1);
      case 3 -> Damage.INSERTED.to(whole, random);
      default -> Damage.GARBLED.to(whole, random);
    };
  }

  private static List<byte[]> entries(byte[] whole, Form form, int header) {
    List<byte[]> entries = new ArrayList<>();
    int from = 0;
    int lines = 0;
    for (int i = 0; i < whole.length; i++) {
      if (whole[i] == '\n') {
        lines++;
        boolean ends =
            entries.size() < header
                || form == Form.LINES
                || form == Form.SUMS
                || form == Form.TEXTS
                || form == Form.PAIRS && lines % 2 == 0
                || form == Form.BLOCKS && i + 1 < whole.length && whole[i + 1] == '\n';
        if (ends) {
          entries.add(Arrays.copyOfRange(whole, from, i + 1));
          from = i + 1;
        }
      }
    }
    if (from < whole.length) {
      entries.add(Arrays.copyOfRange(whole, from, whole.length));
    }
    return entries;
  }

  private static byte[] joined(List<byte[]> entries, int at, byte[] instead) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < entries.size(); i++) {
      out.writeBytes(i == at ? instead : entries.get(i));
    }
    return out.toByteArray();
  }

  private static byte[] longer(byte[] line) {
    byte[] longer = Arrays.copyOf(line, line.length + 1);
    longer[line.length - 1] = 'x';
    longer[line.length] = '\n';
    return longer;
  }

  /** Series of a reading that another lacks, or has with another value. */
  private static Set<Labels> differences(Read of, Read other) {
    Set<Labels> differ = new HashSet<>();
    of.samples.forEach(
        (labels, value) -> {
          if (!value.equals(other.samples.get(labels))) {
            differ.add(labels);
          }
        });
    return differ;
  }

  private static Read read(HostCollector collector) throws IOException {
    return read(EnumSet.of(collector));
  }

  private static Read read(Set<HostCollector> collectors) throws IOException {
    Map<Labels, Double> samples = new TreeMap<>();
    long faults = 0;
    String last = "";
    for (HostCollector collector : collectors) {
      Faults found = new Faults();
      NodeFiles files = new NodeFiles(settings.proc(), settings.sys(), settings.root(), found);
      CollectorReadings readings = new CollectorReadings(found);
      Tick.Builder tick = new Tick.Builder();
      readings.begin(tick);
      try {
        Collectors.of(collector, settings, () -> 0).read(files, readings);
      } catch (MissingSource e) {
        // Absence is no failure.
      }
      Tick read = tick.at(0);
      for (int i = 0; i < read.size(); i++) {
        String name = read.series().get(i).metric();
        if (OF_THE_MACHINE.contains(collector) && !OF_MOUNTS.contains(name)) {
          continue; // it may have changed by itself
        }
        samples.put(read.series().get(i), read.values()[i]);
      }
      faults += found.count();
      last = found.last().isEmpty() ? last : found.last();
    }
    return new Read(samples, faults, last);
  }
}
