package io.fleetgauge.probe.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.config.TestConfig;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostReaderTest {
  private static final TickClasses CLASSES =
      TickClasses.of(TickSettings.every(Duration.ofSeconds(15)));

  @TempDir Path folder;

  @Test
  void eachFileBecomesNodeExportersMetrics() throws IOException {
    file("loadavg", "0.52 0.58 0.59 1/467 12345\n");
    file(
        "stat",
        """
        cpu  20 4 6 800 10 0 2 0 0 0
        cpu0 1234567 4 333 80000 10 1 2 3 40 5
        intr 12345 0 0
        """);
    file(
        "meminfo",
        """
        MemTotal:       32768 kB
        Active(anon):     100 kB
        HugePages_Total:    7
        """);
    file(
        "net/dev",
        """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
          eth0:123456789012 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
        """);
    file(
        "diskstats",
        """
         259       0 nvme0n1 100 2 3000 45 6 7 80 9 1 1234 54 1 2 3 4 5 6
         259       1 nvme0n1p1 100 2 3000 45 6 7 80 9 1 1234 54
           7       0 loop0 1 0 2 0 0 0 0 0 0 0 0
           8       0 sda 1 2 3 4 5 6 7 8 9 10 11
        """);
    String text = text(reader(TestConfig.host(folder, folder, folder)));
    assertThat(text.lines())
        .contains(
            "# TYPE node_load1 gauge",
            "node_load1 0.52",
            "node_load5 0.58",
            "node_load15 0.59",
            "# TYPE node_cpu_seconds_total counter",
            "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 12345.67",
            "node_cpu_seconds_total{cpu=\"0\",mode=\"system\"} 3.33",
            "node_cpu_seconds_total{cpu=\"0\",mode=\"steal\"} 0.03",
            "node_cpu_guest_seconds_total{cpu=\"0\",mode=\"user\"} 0.4",
            "node_memory_MemTotal_bytes 33554432",
            "node_memory_Active_anon_bytes 102400",
            "node_memory_HugePages_Total 7",
            "node_network_receive_bytes_total{device=\"eth0\"} 123456789012",
            "node_network_receive_multicast_total{device=\"eth0\"} 8",
            "node_network_transmit_bytes_total{device=\"eth0\"} 9",
            "node_network_transmit_colls_total{device=\"eth0\"} 14",
            "node_disk_read_bytes_total{device=\"nvme0n1\"} 1536000",
            "node_disk_read_time_seconds_total{device=\"nvme0n1\"} 0.045",
            "node_disk_io_now{device=\"nvme0n1\"} 1",
            "node_disk_io_time_seconds_total{device=\"nvme0n1\"} 1.234",
            "node_disk_discard_time_seconds_total{device=\"nvme0n1\"} 0.004",
            "node_disk_written_bytes_total{device=\"sda\"} 3584");
    assertThat(text).doesNotContain("nvme0n1p1", "loop0", "cpu=\"\"");
    assertThat(text).doesNotContain("node_disk_discards_completed_total{device=\"sda\"}");
  }

  @Test
  void aDamagedWordCostsOnlyItsOwnSampleAndIsCounted() throws IOException {
    file("loadavg", "x 0.58 0.59 1/467 12345\n");
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    String text = text(reader);
    assertThat(text)
        .contains("node_load5 0.58", "node_scrape_collector_success{collector=\"loadavg\"} 0")
        .doesNotContain("node_load1 ");
    assertThat(reader.failures()).isEqualTo(1);
  }

  @Test
  void whatTheNodeDoesNotHaveIsAbsentAndNoFailure() {
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    String text = text(reader);
    assertThat(text)
        .contains(
            "node_scrape_collector_success{collector=\"stat\"} 0",
            "node_scrape_collector_success{collector=\"hwmon\"} 0",
            "node_scrape_collector_success{collector=\"time\"} 1")
        .doesNotContain("node_cpu", "node_memory", "node_disk", "node_infiniband");
    assertThat(reader.failures()).isZero();
  }

  /** Without multipath, with it, and a character device that is no namespace. */
  @Test
  void namespacesOfNvmeAreReadInBothForms() throws IOException {
    for (String path : List.of("nvme0/nvme0c0n1", "nvme1/nvme1n1", "nvme2/nvme2c5n2", "nvme3/x")) {
      file("class/nvme/" + path + "/size", "100\n");
      file("class/nvme/" + path + "/nuse", "10\n");
      file("class/nvme/" + path + "/queue/logical_block_size", "4096\n");
    }
    file("class/nvme/nvme0/nvme0n1/size", "7\n");
    file("class/nvme/nvme0/ng0n1/dev", "244:0\n");
    file("class/nvme/nvme0/nvme0c0n1/ana_state", "optimized\n");
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    String text = text(reader);
    assertThat(text.lines().filter(line -> line.startsWith("node_nvme_namespace_info{")))
        .containsExactlyInAnyOrder(
            "node_nvme_namespace_info{ana_state=\"optimized\",device=\"nvme0\",nsid=\"1\"} 1",
            "node_nvme_namespace_info{ana_state=\"unknown\",device=\"nvme1\",nsid=\"1\"} 1",
            "node_nvme_namespace_info{ana_state=\"unknown\",device=\"nvme2\",nsid=\"2\"} 1");
    assertThat(text)
        .contains("node_nvme_namespace_size_bytes{device=\"nvme2\",nsid=\"2\"} 51200")
        .contains("node_nvme_namespace_used_bytes{device=\"nvme2\",nsid=\"2\"} 40960");
    assertThat(reader.failures()).isZero();
  }

  @Test
  void anArrayThatIsReshapedIsReadAndSoAreItsNeighbours() throws IOException {
    file(
        "mdstat",
        """
        Personalities : [raid1] [raid6] [raid0]
        md127 : active raid6 nvme2n1[2] nvme1n1[1] nvme0n1[0]
              7501212320 blocks super 1.2 level 6, 512k chunk, algorithm 2 [3/3] [UUU]
              [=>....]  reshape =  7.2% (270000000/3750606160) finish=312.0min speed=185000K/sec
              bitmap: 0/28 pages [0KB], 65536KB chunk

        md1 : active raid1 sdb2[1] sda2[0](W)
              1046528 blocks super 1.2 [2/2] [UU]
                resync=REMOTE

        md7 : some later form of an array

        md0 : active (auto-read-only) raid1 sdb1[1](F) sda1[0]
              523712 blocks super 1.0 [2/1] [U_]
              resync=PENDING

        unused devices: <none>
        """);
    file("block/md127/md/raid_disks", "3 (2)\n");
    file("block/md127/md/level", "raid6\n");
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    assertThat(text(reader))
        .contains(
            "node_md_blocks{device=\"md127\"} 7501212320",
            "node_md_blocks_synced{device=\"md127\"} 270000000",
            "node_md_blocks_synced{device=\"md1\"} 0",
            "node_md_blocks_synced{device=\"md0\"} 0",
            "node_md_disks{device=\"md0\",state=\"failed\"} 1",
            "node_md_raid_disks{device=\"md127\"} 3")
        .doesNotContain("md7");
    assertThat(reader.failures()).as("md7").isEqualTo(1);
  }

  @Test
  void columnsOfAKernelToComeAreNotRead() throws IOException {
    file("diskstats", "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n");
    file("sys/fs/file-nr", "100 0 200 5\n");
    file(
        "net/dev",
        """
        Inter-| Receive | Transmit
         face |bytes |bytes
          eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
        """);
    file(
        "net/arp",
        """
        IP address       HW type     Flags       HW address            Mask     Device
        192.0.2.1        0x1         0x2         00:00:5e:00:53:01     *        eth0 later
        """);
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    assertThat(text(reader))
        .contains(
            "node_disk_flush_requests_time_seconds_total{device=\"sda\"} 0.017",
            "node_filefd_maximum 200",
            "node_network_transmit_compressed_total{device=\"eth0\"} 16",
            "node_arp_entries{device=\"eth0\"} 1");
    assertThat(reader.failures()).isZero();
  }

  /** As pressure/irq does where the kernel does not account for interrupts. */
  @Test
  void aFileThatRefusesToBeReadCostsOnlyItself() throws IOException {
    file("pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5000000\n");
    Files.createSymbolicLink(folder.resolve("pressure/irq"), Path.of("/proc/self/mem"));
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    assertThat(text(reader))
        .contains(
            "node_pressure_cpu_waiting_seconds_total 5",
            "node_scrape_collector_success{collector=\"pressure\"} 1");
    assertThat(reader.failures()).isZero();
  }

  @Test
  void aLineWithoutItsEndIsCountedAndLeftOut() throws IOException {
    file("vmstat", "pgfault 12\npgmajfault 345");
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    assertThat(text(reader))
        .contains("node_vmstat_pgfault 12")
        .doesNotContain("node_vmstat_pgmajfault");
    assertThat(reader.failures()).isEqualTo(1);
  }

  @Test
  void theLastLineOfPressureMayHaveNoEnd() throws IOException {
    file("pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=8494");
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    assertThat(text(reader)).contains("node_pressure_irq_stalled_seconds_total 0.008494");
    assertThat(reader.failures()).isZero();
  }

  @Test
  void aSeriesThatComesTwiceIsCountedAndLeftOut() throws IOException {
    file("vmstat", "pgfault 12\npgfault 13\n");
    HostReader reader = reader(TestConfig.host(folder, folder, folder));
    assertThat(text(reader)).contains("node_vmstat_pgfault 12");
    assertThat(reader.failures()).isEqualTo(1);
  }

  @Test
  void onlyCollectorsThatAreOnAreRead() throws IOException {
    file("loadavg", "0.52 0.58 0.59 1/467 12345\n");
    file("vmstat", "pgfault 12\n");
    HostSettings settings =
        TestConfig.host(folder, folder, folder, "collectors: {defaults: false, on: [loadavg]}");
    assertThat(text(reader(settings)).lines().filter(line -> !line.startsWith("#")))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("node_load1 0.52"),
            line -> assertThat(line).isEqualTo("node_load15 0.59"),
            line -> assertThat(line).isEqualTo("node_load5 0.58"),
            line ->
                assertThat(line)
                    .startsWith("node_scrape_collector_duration_seconds{collector=\"loadavg\"} "),
            line ->
                assertThat(line)
                    .isEqualTo("node_scrape_collector_success{collector=\"loadavg\"} 1"));
  }

  @Test
  void everyCollectorReadsARealMachineWithoutAFailureAndNoSeriesTwice() {
    HostReader reader = reader(TestConfig.of("host: {collectors: {on: [processes]}}").host());
    for (int i = 0; i < 3; i++) {
      Tick.Builder readings = new Tick.Builder();
      reader.read(readings);
      Tick tick = readings.at(0);
      assertThat(new HashSet<>(tick.series())).hasSize(tick.size());
      assertThat(tick.series().stream().map(labels -> labels.metric()))
          .contains(
              "node_load1",
              "node_cpu_seconds_total",
              "node_memory_MemAvailable_bytes",
              "node_network_receive_bytes_total",
              "node_disk_io_time_seconds_total",
              "node_uname_info",
              "node_boot_time_seconds",
              "node_time_seconds",
              "node_timex_status",
              "node_filesystem_avail_bytes");
    }
    assertThat(reader.failures()).isZero();
  }

  @Test
  void aReadingReusesTheLabelSetsOfTheOneBefore() {
    HostReader reader = reader(TestConfig.of("{}").host());
    Map<Labels, Labels> first = new HashMap<>();
    for (Labels series : read(reader).series()) {
      first.put(series, series);
    }
    long same =
        read(reader).series().stream().filter(series -> first.get(series) == series).count();
    assertThat(same).isGreaterThan(first.size() * 9L / 10);
  }

  @Test
  void namesOfMountPointsAreReadAsTheKernelWritesThem() throws IOException {
    Files.createDirectories(folder.resolve("node/with blank"));
    file(
        "1/mountinfo",
        """
        36 35 8:1 / /with\\040blank ro,relatime shared:1 - ext4 /dev/sda1 rw,errors=continue
        37 35 0:21 / /sys/x rw - tmpfs tmpfs rw
        38 35 0:22 / /proc rw - proc proc rw
        39 35 8:2 / /gone rw - xfs /dev/sda2 rw
        """);
    HostReader reader = reader(TestConfig.host(folder, folder, folder.resolve("node")));
    String text = text(reader);
    String labels = "{device=\"/dev/sda1\",fstype=\"ext4\",mountpoint=\"/with blank\"} ";
    assertThat(text)
        .contains(
            "node_filesystem_readonly" + labels + "1",
            "node_filesystem_size_bytes" + labels,
            "node_filesystem_device_error" + labels + "0",
            "node_filesystem_device_error{device=\"/dev/sda2\","
                + "device_error=\"no such file or directory\",fstype=\"xfs\","
                + "mountpoint=\"/gone\"} 1")
        .doesNotContain("/sys/x", "fstype=\"proc\"");
    assertThat(reader.failures()).isZero();
  }

  @Test
  void ofMountsOverEachOtherEachIsToldAndTheSpaceOnce() throws IOException {
    Files.createDirectories(folder.resolve("node/data"));
    file(
        "1/mountinfo",
        """
        36 35 0:23 / /data rw - tmpfs tmpfs rw
        37 36 0:27 / /data rw - tmpfs tmpfs rw
        38 37 0:27 / /data rw - tmpfs tmpfs rw
        """);
    HostReader reader = reader(TestConfig.host(folder, folder, folder.resolve("node")));
    assertThat(text(reader).lines())
        .filteredOn(line -> line.startsWith("node_filesystem_") && line.contains("/data"))
        .filteredOn(line -> line.contains("mount_info") || line.contains("size_bytes"))
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).contains("size_bytes"),
            line -> assertThat(line).contains("mount_info", "minor=\"23\""),
            line -> assertThat(line).contains("mount_info", "minor=\"27\""));
    assertThat(reader.failures()).isZero();
  }

  private static HostReader reader(HostSettings settings) {
    return new HostReader(settings, CLASSES, System::currentTimeMillis);
  }

  private static Tick read(HostReader reader) {
    Tick.Builder readings = new Tick.Builder();
    reader.read(readings);
    return readings.at(0);
  }

  private static String text(HostReader reader) {
    Tick tick = read(reader);
    return TextExposition.write(tick, KnownMetrics.families(tick));
  }

  private void file(String name, String content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }
}
