package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real node_exporter beside our reader, on this machine: the same series, the same values. */
class NodeExporterComparisonTest {
  @Test
  void theReaderSaysWhatNodeExporterSays(@TempDir Path folder) throws Exception {
    int port = LocalPorts.free(1).getFirst();
    Process exporter =
        new ProcessBuilder(
                PeerPrograms.program("prometheus-node-exporter").toString(),
                "--web.listen-address=127.0.0.1:" + port,
                "--no-collector.netdev.netlink")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("exporter.log").toFile())
            .start();
    try {
      URI uri = URI.create("http://127.0.0.1:" + port + "/metrics");
      await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> !get(uri).isEmpty());
      Map<String, Double> theirs = series(get(uri));
      Tick.Builder readings = new Tick.Builder();
      new HostReader(Path.of("/proc")).read(readings);
      Tick tick = readings.at(0);
      Map<String, Double> ours = series(TextExposition.write(tick, KnownMetrics.families(tick)));

      TreeSet<String> unknown = new TreeSet<>(ours.keySet());
      unknown.removeAll(theirs.keySet());
      // Every field of meminfo has its name by rule; the exporter lists those that it knows. And
      // Debian builds it to leave out what is mounted below these two.
      unknown.removeIf(
          series ->
              series.startsWith("node_memory_")
                  || series.matches(".*mountpoint=\"/(mnt|media)/.*"));
      assertThat(unknown).as("series that node_exporter does not have").isEmpty();
      assertThat(ours).hasSizeGreaterThan(50);
      TreeSet<String> lacking = new TreeSet<>();
      for (String series : theirs.keySet()) {
        if (series.matches(
            "node_(load|cpu_seconds|memory|network_(receive|transmit)_[a-z]+_total|filesystem_(size|free|avail)).*")) {
          lacking.add(series);
        }
      }
      lacking.removeAll(ours.keySet());
      assertThat(lacking).as("series that only node_exporter has").isEmpty();

      ours.keySet().retainAll(theirs.keySet());
      for (String steady :
          new String[] {"node_memory_MemTotal_bytes", "node_memory_SwapTotal_bytes"}) {
        assertThat(ours.get(steady)).isEqualTo(theirs.get(steady));
      }
      ours.forEach(
          (series, value) -> {
            if (series.startsWith("node_filesystem_size_bytes")) {
              assertThat(value).isEqualTo(theirs.get(series));
            } else if (series.startsWith("node_cpu_seconds_total")
                || series.startsWith("node_network_receive_bytes_total")
                || series.startsWith("node_disk_") && series.contains("_total")) {
              // Read a moment later, a counter may only have grown.
              assertThat(value).as(series).isGreaterThanOrEqualTo(theirs.get(series) - 1e-6);
              assertThat(value).as(series).isLessThanOrEqualTo(theirs.get(series) * 1.2 + 1e8);
            }
          });
    } finally {
      exporter.destroy();
      exporter.waitFor();
    }
  }

  private static String get(URI uri) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Lines of text by series; newer exporters add an empty device_error, which means no label. */
  private static Map<String, Double> series(String text) {
    Map<String, Double> series = new TreeMap<>();
    for (String line : text.split("\n")) {
      if (!line.startsWith("#") && line.startsWith("node_")) {
        int blank = line.lastIndexOf(' ');
        String labels = line.substring(0, blank).replace("device_error=\"\",", "");
        String value = line.substring(blank + 1);
        series.put(labels, Double.parseDouble(value.replace("+Inf", "Infinity")));
      }
    }
    return series;
  }
}
