package io.fleetgauge.load.measure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.system.Connection.Answer;
import io.fleetgauge.load.system.MeasuredSystem;
import io.fleetgauge.load.traffic.GpuFleet;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Asks a system, through its query API, whether it has what was sent to it. */
final class KeptSamples implements AutoCloseable {
  private static final long HOUR = 3_600_000;
  private static final Duration UNAVAILABLE_LIMIT = Duration.ofMinutes(1);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Connection connection;

  KeptSamples(MeasuredSystem system) {
    connection = new Connection(system.query().address());
  }

  /** Samples of all metrics from a time on, up to another. */
  long count(long from, long to) throws IOException {
    long count = 0;
    for (String metric : GpuFleet.METRICS) {
      for (long begin = from; begin < to; begin += HOUR) {
        // The window is open on the left.
        long end = Math.min(to, begin + HOUR) - 1;
        String text = "sum(count_over_time(%s[%dms]))".formatted(metric, end - begin + 1);
        for (JsonNode each : ask(text, end)) {
          count += each.get("value").get(1).asLong();
        }
      }
    }
    return count;
  }

  /**
   * Compares the samples of a host, bit by bit.
   *
   * @param ticks that were sent, oldest first
   * @return how many are missing, changed or were never sent
   */
  long different(List<Tick> ticks) throws IOException {
    long different = 0;
    for (int i = 0; i < ticks.size(); i += 120) {
      List<Tick> some = ticks.subList(i, Math.min(ticks.size(), i + 120));
      Map<Labels, Map<Long, Long>> sent = new HashMap<>();
      for (Tick tick : some) {
        for (int j = 0; j < tick.size(); j++) {
          if (!Staleness.isMarker(tick.values()[j])) {
            sent.computeIfAbsent(tick.series().get(j), none -> new HashMap<>())
                .put(tick.time(), Double.doubleToRawLongBits(tick.values()[j]));
          }
        }
      }
      long end = some.getLast().time();
      String text =
          "{Hostname=\"%s\"}[%dms]"
              .formatted(
                  some.getFirst().series().getFirst().value("Hostname"),
                  end - some.getFirst().time() + 1);
      for (JsonNode each : ask(text, end)) {
        Labels labels = labels(each.get("metric"));
        if (!GpuFleet.METRICS.contains(labels.value(Labels.NAME))) {
          continue; // rules add series of their own
        }
        Map<Long, Long> expected = sent.getOrDefault(labels, new HashMap<>());
        for (JsonNode sample : each.get("values")) {
          long time = Math.round(sample.get(0).asDouble() * 1_000);
          long bits = Double.doubleToRawLongBits(Double.parseDouble(sample.get(1).asText()));
          Long was = expected.remove(time);
          different += was != null && was == bits ? 0 : 1;
        }
      }
      different += sent.values().stream().mapToLong(Map::size).sum();
    }
    return different;
  }

  private static Labels labels(JsonNode metric) {
    List<String> all = new ArrayList<>();
    metric
        .properties()
        .forEach(
            label -> {
              all.add(label.getKey());
              all.add(label.getValue().asText());
            });
    return Labels.of(all.toArray(String[]::new));
  }

  /**
   * Asks again while the system is unavailable, as any client does: a machine that stands still for
   * some seconds has processes lose sight of each other.
   */
  private JsonNode ask(String text, long time) throws IOException {
    String path =
        "/api/v1/query?query="
            + URLEncoder.encode(text, StandardCharsets.UTF_8)
            + "&time="
            + String.format(Locale.ROOT, "%.3f", time / 1e3);
    long begin = System.nanoTime();
    Answer answer = connection.get(path);
    while (answer.status() == 503 && System.nanoTime() - begin < UNAVAILABLE_LIMIT.toNanos()) {
      LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
      answer = connection.get(path);
    }
    if (answer.status() != 200) {
      throw new IOException(text + " has the response " + answer.status() + ": " + answer.text());
    }
    return JSON.readTree(answer.body()).get("data").get("result");
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
