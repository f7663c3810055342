package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The report of real gateways, which keep owners as intervals: jobs that change every few minutes,
 * without a staleness marker, on GPUs whose samples have gaps and arrive in any order.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NOW = 1_795_300_000_000L;
  private static final long TICK = 15_000;
  private static final int TICKS = 240;
  private static final int HOSTS = 4;
  private static final int GPUS = 8;
  private static final long LOOKBACK = 300_000;
  private static final double MIB = 1 << 20;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, Book> books = new TreeMap<>();
  private LocalFleet fleet;
  private URI query;

  /** Facts of a job that the test knows. */
  private static final class Book {
    double byteMillis;
    double percentMillis;
    long busyMillis;
    long gpuMillis;
  }

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    fleet = new LocalFleet("report-" + System.nanoTime(), LocalPorts.free(3), folder, () -> NOW);
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    query = URI.create("http://127.0.0.1:" + fleet.startQuery("127.0.0.1", 0).port());
    Random random = new Random(23);
    // The newest sample of a host first, so that gateways know it before the late ones arrive.
    List<List<Sample>> parts = List.of(new ArrayList<>(), new ArrayList<>());
    for (int host = 0; host < HOSTS; host++) {
      for (int gpu = 0; gpu < GPUS; gpu++) {
        List<Sample> samples = samples(random, host, gpu);
        write(samples);
        Collections.shuffle(samples, random);
        for (int i = 0; i < samples.size(); i++) {
          parts.get(i % 2).add(samples.get(i));
        }
      }
    }
    for (List<Sample> part : parts) {
      send(part);
    }
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () ->
                get("/api/v1/query?query=count(count%20by%20(UUID)%20(gpu_allocated))")
                    .toString()
                    .contains("\"32\""));
  }

  @AfterAll
  void stop() {
    fleet.close();
    client.close();
  }

  private record Sample(Labels labels, long time, double memory, double percent) {}

  /** The last sample of a GPU is of {@link #NOW}. */
  private static List<Sample> samples(Random random, int host, int gpu) {
    List<Sample> samples = new ArrayList<>();
    String job = "";
    int gap = 0;
    for (int tick = 0; tick < TICKS; tick++) {
      if (random.nextInt(20) == 0) {
        job = random.nextInt(4) == 0 ? "" : "" + (100 + random.nextInt(40));
      }
      if (gap == 0 && random.nextInt(60) == 0) {
        gap = 1 + random.nextInt(40);
      }
      if (gap > 0 && tick < TICKS - 1) {
        gap--;
        continue;
      }
      Labels labels =
          Labels.of("Hostname", "n" + host, "UUID", "GPU-" + host + gpu, "hpc_job", job);
      samples.add(
          new Sample(
              labels,
              NOW - (TICKS - 1 - tick) * TICK,
              random.nextInt(80_000),
              random.nextInt(101)));
    }
    return samples;
  }

  /** Writes down what a GPU's samples say: each holds until the next, for the lookback at most. */
  private void write(List<Sample> samples) {
    for (int i = 0; i < samples.size(); i++) {
      Sample sample = samples.get(i);
      long end = i + 1 < samples.size() ? samples.get(i + 1).time : NOW;
      long millis = Math.min(end, sample.time + LOOKBACK) - sample.time;
      Book book = books.computeIfAbsent(sample.labels.value("hpc_job"), none -> new Book());
      book.byteMillis += sample.memory * MIB * millis;
      book.percentMillis += sample.percent * millis;
      book.busyMillis += sample.percent >= 5 ? millis : 0;
      book.gpuMillis += millis;
    }
  }

  private void send(List<Sample> samples) throws Exception {
    for (int from = 0; from < samples.size(); from += 500) {
      RemoteWriteBody body = RemoteWriteBody.v1();
      for (Sample each : samples.subList(from, Math.min(samples.size(), from + 500))) {
        body.series(each.labels.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"), each.time, each.memory);
        body.series(each.labels.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), each.time, each.percent);
        body.series(each.labels.with(Labels.NAME, "gpu_allocated"), each.time, 1);
      }
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
                  .header("Content-Encoding", "snappy")
                  .header("Content-Type", RemoteWriteBody.V1_TYPE)
                  .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }
  }

  private JsonNode get(String path) throws Exception {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(query.resolve(path)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  @Test
  void theReportIsThatOfTheLedgerWhateverTheOrderInWhichSamplesCame() throws Exception {
    JsonNode envelope =
        get("/api/v1/report/usage?by=job&bridge=0&from=" + (NOW - TICKS * TICK) / 1_000);
    assertThat(envelope.has("warnings")).isFalse();
    JsonNode report = envelope.path("data");
    assertThat(report.path("completeness").path("answered").asInt()).isEqualTo(HOSTS);
    assertThat(report.path("rows")).hasSize(books.size()).hasSizeGreaterThan(30);
    double hours = 0;
    for (JsonNode row : report.path("rows")) {
      Book book = books.get(row.path("group").path("job").asText());
      assertThat(
              row.path("memory_average_bytes").asDouble() * row.path("memory_seconds").asDouble())
          .isCloseTo(book.byteMillis / 1_000, withPercentage(1e-10));
      assertThat(row.path("gpu_seconds_allocated").asDouble()).isEqualTo(book.gpuMillis / 1e3);
      assertThat(row.path("gpu_seconds_busy").asDouble()).isEqualTo(book.busyMillis / 1e3);
      assertThat(row.path("gpu_seconds_idle").asDouble())
          .as("without a power that tells otherwise")
          .isEqualTo((book.gpuMillis - book.busyMillis) / 1e3);
      assertThat(row.path("gpu_seconds_unknown").asDouble()).isZero();
      assertThat(row.path("activity_average_ratio").asDouble())
          .isCloseTo(book.percentMillis / book.gpuMillis / 100, withPercentage(1e-10));
      hours += book.gpuMillis / 3_600_000.0;
    }
    assertThat(report.path("totals").get(0).path("gpu_hours_allocated").asDouble())
        .isCloseTo(hours, withPercentage(1e-10));
  }

  @Test
  void theStepsAddUpToTheWhole() throws Exception {
    String path = "/api/v1/report/usage?by=host&from=" + (NOW - TICKS * TICK) / 1_000;
    Map<String, Double> whole = new TreeMap<>();
    Map<String, Double> steps = new TreeMap<>();
    for (JsonNode row : get(path).path("data").path("rows")) {
      whole.put(row.path("group").path("host").asText(), row.path("gpu_seconds_busy").asDouble());
    }
    for (JsonNode row : get(path + "&step=7m").path("data").path("rows")) {
      steps.merge(
          row.path("group").path("host").asText(),
          row.path("gpu_seconds_busy").asDouble(),
          Double::sum);
    }
    assertThat(steps.keySet()).isEqualTo(whole.keySet()).hasSize(HOSTS);
    steps.forEach(
        (host, seconds) -> assertThat(seconds).isCloseTo(whole.get(host), withPercentage(1e-12)));
  }

  /** Figures of jobs by the names of the labels of series. */
  private Map<String, Double> report(String field, long from, long to) throws Exception {
    Map<String, Double> figures = new TreeMap<>();
    String path = "/api/v1/report/usage?by=job&from=" + (from / 1_000) + "&to=" + (to / 1_000);
    for (JsonNode row : get(path).path("data").path("rows")) {
      figures.put(row.path("group").path("job").asText(), row.path(field).asDouble());
    }
    figures.values().removeIf(each -> each == 0);
    return figures;
  }

  private Map<String, Double> series(String query, long time) throws Exception {
    Map<String, Double> values = new TreeMap<>();
    JsonNode answer =
        get(
            "/api/v1/query?query="
                + URLEncoder.encode(query, StandardCharsets.UTF_8)
                + "&time="
                + time / 1_000);
    assertThat(answer.has("warnings")).isFalse();
    for (JsonNode each : answer.path("data").path("result")) {
      values.put(each.at("/metric/hpc_job").asText(), each.path("value").get(1).asDouble());
    }
    values.values().removeIf(each -> each == 0);
    return values;
  }

  @Test
  void theSeriesOfUsageAreTheReportSinceTheHourBegan() throws Exception {
    long hour = NOW / 3_600_000 * 3_600_000;
    long minute = NOW / 60_000 * 60_000;
    String busy = "sum by (hpc_job) (job:gpu_seconds:total{class=\"busy\"})";
    assertThat(series(busy, hour))
        .hasSizeGreaterThan(20)
        .isEqualTo(report("gpu_seconds_busy", hour - 3_600_000, hour));
    assertThat(series(busy, minute))
        .hasSizeGreaterThan(20)
        .isEqualTo(report("gpu_seconds_busy", hour, minute));
    assertThat(series("sum by (hpc_job) (sum_over_time(job:gpu_seconds:total[2h:1m] @ end()))", 0))
        .as("before all samples")
        .isEmpty();
    Map<String, Double> all = report("gpu_seconds_allocated", hour - 3_600_000, minute);
    series("sum by (hpc_job) (increase(job:gpu_seconds:total[1h]))", minute)
        .forEach((job, value) -> assertThat(value).as(job).isBetween(0.0, all.get(job) + 60 * 32));
  }
}
