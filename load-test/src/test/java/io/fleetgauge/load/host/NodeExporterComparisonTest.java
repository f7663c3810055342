package io.fleetgauge.load.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExpositionReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real node_exporter beside our reader: the same series, types and values. */
class NodeExporterComparisonTest {
  /** Collectors that no GPU node needs; where one does, node_exporter is scraped. */
  private static final List<String> NOT_OURS =
      List.of("fibrechannel", "nfsd", "powersupplyclass", "selinux", "tapestats", "watchdog");

  /** Differences on purpose, with their reasons. Series are written as PromQL writes them. */
  private static final Map<String, String> DIFFERENT =
      Map.ofEntries(
          Map.entry(
              "node_exporter_build_info.*", "says which program it is; the probe says so itself"),
          Map.entry(
              "node_filesystem_purgeable_bytes.*", "exists on macOS only, and is always 0 here"),
          Map.entry(
              "node_filesystem_readonly.*",
              "versions of node_exporter differ in whether the options of the superblock count;"
                  + " they do here"),
          Map.entry(
              "node_disk_info.*",
              "node_exporter 1.11 says rotational=0 if any other file of the queue is missing"),
          Map.entry("node_memory_.*", "every field of the file is read, not those of a list only"),
          Map.entry(
              "node_nvme_namespace_(size|capacity)_bytes.*",
              "sizes of block devices are in units of 512 bytes, whatever the block size"),
          Map.entry(
              "node_nfs_requests_total\\{method=\"(LayoutGet|GetDeviceInfo)\".*",
              "node_exporter before 1.12 has them in the wrong order"),
          Map.entry(
              "node_scrape_collector_success\\{collector=\"textfile\"\\}",
              "is 0 in the reading in which a damaged file is found"),
          Map.entry(
              "node_processes_(threads_)?state\\{.*", "states of tasks come and go at any moment"),
          Map.entry(
              "node_network_receive_nohandler_total.*",
              "comes from sys or netlink, of which a made tree has none"),
          Map.entry(
              "node_scrape_collector_.*collector=\"(bcache|bcachefs|btrfs|ipvs|systemd|zfs)\".*",
              "collectors that the probe does not have"));

  private static final Pattern RESTLESS =
      Pattern.compile(
          "node_(memory_|load|procs_|filefd_allocated|sockstat_|nf_conntrack_entries"
              + "|filesystem_(free|avail|files_free)|disk_io_now|timex_|time_seconds"
              + "|softnet_backlog|udp_queues|cpu_scaling_frequency|cpu_frequency|thermal|hwmon"
              + "|arp_entries|entropy|netstat_Tcp_CurrEstab|scrape_collector_duration"
              + "|processes_).*");
  private static final Pattern COUNTER =
      Pattern.compile("node_((netstat|vmstat)_(?!Tcp_CurrEstab|Ip_Forwarding).*|.*_total)");

  /** Largest change of a restless gauge within a moment. */
  private static final double NEAR = 0.5;

  private static final double NEAR_BYTES = 1 << 30;
  private static final double NEAR_COUNT = 500;

  private static final TickClasses CLASSES =
      TickClasses.of(TickSettings.every(Duration.ofSeconds(15)));

  private record Reading(Map<String, Double> series, Map<String, String> types) {}

  private static HostSettings settings(String ofHost) throws ConfigException {
    return ProbeConfig.read("test", "host:\n" + ofHost.indent(2)).host();
  }

  @Test
  void onThisMachineBothReadTheSameSeriesTypesAndValues(@TempDir Path folder) throws Exception {
    HostSettings settings = settings("collectors: {on: [processes]}");
    HostReader reader = new HostReader(settings, CLASSES, System::currentTimeMillis);
    try (Exporter exporter = Exporter.start(folder, settings)) {
      Reading before = exporter.read();
      Reading ours = read(reader);
      Reading after = exporter.read();
      assertThat(ours.series()).hasSizeGreaterThan(300);
      same(before, ours);
      List<String> wrong = new ArrayList<>();
      before
          .series()
          .forEach(
              (name, low) -> {
                Double value = ours.series().get(name);
                Double high = after.series().get(name);
                if (value != null && high != null && !fits(name, low, value, high)) {
                  wrong.add(name + ": " + low + ", ours " + value + ", " + high);
                }
              });
      assertThat(wrong).isEmpty();
    }
    assertThat(reader.failures()).isZero();
  }

  @Test
  void onANodeWithMuchHardwareBothReadTheSameSeriesTypesAndValues(@TempDir Path folder)
      throws Exception {
    Path node = folder.resolve("node");
    NodeTree.write(node);
    // node_exporter asks for this by a call, and so says it of the machine it is on.
    HostSettings settings =
        settings(
            """
            proc: %1$s/proc
            sys: %1$s/sys
            rootfs: %1$s/root
            textfile: {directory: %1$s/textfiles}
            collectors: {on: [processes], off: [uname]}
            """
                .formatted(node));
    HostReader reader = new HostReader(settings, CLASSES, System::currentTimeMillis);
    try (Exporter exporter = Exporter.start(folder, settings)) {
      Reading theirs = exporter.read();
      Reading ours = read(reader);
      assertThat(ours.series()).hasSizeGreaterThan(700);
      same(theirs, ours);
      List<String> wrong = new ArrayList<>();
      theirs
          .series()
          .forEach(
              (name, value) -> {
                Double our = ours.series().get(name);
                if (our != null && !isNearlyEqual(value, our) && !mayDiffer(name)) {
                  wrong.add(name + ": " + value + ", ours " + our);
                }
              });
      assertThat(wrong).isEmpty();
    }
    assertThat(reader.failures()).as("the damaged file of metrics").isEqualTo(1);
  }

  private static boolean mayDiffer(String series) {
    return isDifferent(series)
        || series.startsWith("node_scrape_collector_duration")
        || series.matches("node_(time_seconds|timex_|filesystem_(free|avail|files_free)).*");
  }

  private static void same(Reading theirs, Reading ours) {
    TreeSet<String> lacking = new TreeSet<>(theirs.series().keySet());
    lacking.removeAll(ours.series().keySet());
    lacking.removeIf(NodeExporterComparisonTest::isDifferent);
    assertThat(lacking).as("series that only node_exporter has").isEmpty();
    TreeSet<String> more = new TreeSet<>(ours.series().keySet());
    more.removeAll(theirs.series().keySet());
    more.removeIf(NodeExporterComparisonTest::isDifferent);
    assertThat(more).as("series that node_exporter does not have").isEmpty();
    Map<String, String> types = new TreeMap<>(theirs.types());
    types.keySet().retainAll(ours.types().keySet());
    Map<String, String> our = new TreeMap<>(ours.types());
    our.keySet().retainAll(theirs.types().keySet());
    assertThat(our).isEqualTo(types);
  }

  private static boolean isDifferent(String series) {
    return DIFFERENT.keySet().stream().anyMatch(series::matches);
  }

  private static boolean fits(String series, double before, double value, double after) {
    String name = series.replaceAll("\\{.*", "");
    if (isDifferent(series) && !name.startsWith("node_memory_")) {
      return true;
    }
    if (COUNTER.matcher(name).matches()) {
      double slack = 1e-9 * Math.abs(before);
      return value >= before - slack && value <= after + slack;
    }
    if (RESTLESS.matcher(name).matches()) {
      double most = Math.max(Math.abs(before), Math.abs(after));
      double slack = name.endsWith("_bytes") ? NEAR_BYTES : NEAR_COUNT;
      return Math.abs(value - before) <= NEAR * most + slack;
    }
    return isNearlyEqual(before, value) || isNearlyEqual(after, value);
  }

  private static boolean isNearlyEqual(double a, double b) {
    return Double.compare(a, b) == 0
        || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  }

  private static Reading read(HostReader reader) {
    Tick.Builder readings = new Tick.Builder();
    reader.read(readings);
    Tick tick = readings.at(0);
    Map<String, Double> series = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      assertThat(series.put(tick.series().get(i).toString(), tick.values()[i])).isNull();
    }
    Map<String, String> types = new TreeMap<>();
    KnownMetrics.families(tick).forEach((name, family) -> types.put(name, family.type()));
    return new Reading(series, types);
  }

  /** A running node_exporter. */
  private record Exporter(Process process, URI uri) implements AutoCloseable {
    static Exporter start(Path folder, HostSettings settings) throws IOException {
      int port = LocalPorts.free(1).getFirst();
      List<String> command = new ArrayList<>();
      command.add(PeerPrograms.program("prometheus-node-exporter").toString());
      command.add("--web.listen-address=127.0.0.1:" + port);
      command.add("--path.procfs=" + settings.proc());
      command.add("--path.sysfs=" + settings.sys());
      command.add("--path.rootfs=" + settings.root());
      command.add("--path.udev.data=" + settings.root().resolve("run/udev/data"));
      command.add("--collector.processes");
      for (String each : NOT_OURS) {
        command.add("--no-collector." + each);
      }
      command.add(
          "--collector.textfile.directory=" + settings.textfiles().map(Path::toString).orElse(""));
      // Debian's build has another default.
      command.add(
          "--collector.filesystem.mount-points-exclude=" + settings.mountPoints().exclude());
      if (!settings.proc().equals(Path.of("/proc"))) {
        command.addAll(
            Arrays.asList(
                "--no-collector.netdev.netlink",
                "--no-collector.arp.netlink",
                "--no-collector.uname"));
      }
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("exporter.log").toFile())
              .start();
      Exporter exporter =
          new Exporter(process, URI.create("http://127.0.0.1:" + port + "/metrics"));
      await()
          .atMost(Duration.ofMinutes(10))
          .ignoreExceptions()
          .until(() -> !exporter.read().series().isEmpty());
      return exporter;
    }

    Reading read() throws Exception {
      String text =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      TextExpositionReader.Exposition exposition = TextExpositionReader.read(text);
      Map<String, Double> series = new TreeMap<>();
      for (TextExpositionReader.Sample sample : exposition.samples()) {
        Labels labels = sample.labels();
        if (labels.metric().matches("node_.*|backup_.*|raid_.*")) {
          series.put(labels.toString(), sample.value());
        }
      }
      Map<String, String> types = new TreeMap<>();
      exposition.families().forEach((name, family) -> types.put(name, family.type()));
      return new Reading(series, types);
    }

    @Override
    public void close() {
      process.destroy();
      process.onExit().join();
    }
  }
}
