package io.fleetgauge.probe.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostReaderTest {
  @TempDir Path proc;

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
    String text = text();
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
  void aFileThatIsMissingOrDamagedCostsOnlyItsOwnSamplesAndIsCounted() throws IOException {
    file("loadavg", "x 0.58 0.59 1/467 12345\n");
    HostReader reader = new HostReader(proc);
    Tick.Builder tick = new Tick.Builder();
    reader.read(tick);
    assertThat(TextExposition.write(tick.at(0), java.util.Map.of()))
        .contains("node_load5 0.58")
        .doesNotContain("node_load1 ", "node_cpu");
    // stat, meminfo, net/dev, diskstats, mounts, and the number that is none
    assertThat(reader.failures()).isEqualTo(6);
  }

  @Test
  void noSeriesComesTwiceFromARealMachine() {
    HostReader reader = new HostReader(Path.of("/proc"));
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
            "node_filesystem_avail_bytes");
  }

  @Test
  void namesOfMountPointsAreReadAsTheKernelWritesThem() throws IOException {
    Path mount = Files.createDirectory(proc.resolve("with blank"));
    String escaped = mount.toString().replace(" ", "\\040");
    file(
        "self/mounts",
        String.join(
            "\n",
            List.of(
                "/dev/sda1 " + escaped + " ext4 ro,relatime 0 0",
                "server:/x /nonexistent/nfs nfs4 rw 0 0",
                "tmpfs /sys/x tmpfs rw 0 0",
                "proc /proc proc rw 0 0")));
    String text = text();
    String labels = "{device=\"/dev/sda1\",fstype=\"ext4\",mountpoint=\"" + mount + "\"}";
    assertThat(text).contains("node_filesystem_readonly" + labels + " 1");
    assertThat(text).contains("node_filesystem_size_bytes" + labels);
    assertThat(text).doesNotContain("nfs", "/sys/x", "fstype=\"proc\"");
  }

  private String text() {
    Tick.Builder readings = new Tick.Builder();
    new HostReader(proc).read(readings);
    Tick tick = readings.at(0);
    return TextExposition.write(tick, KnownMetrics.families(tick));
  }

  private void file(String name, String content) throws IOException {
    Path file = proc.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }
}
