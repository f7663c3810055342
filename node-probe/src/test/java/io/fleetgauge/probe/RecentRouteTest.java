package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.nvml.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A running probe over the stand-in driver, asked for its last minutes. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecentRouteTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final String UUID = "GPU-00000001-1111-2222-3333-444444444444";

  private final HttpClient http = HttpClient.newHttpClient();
  private StandIn driver;
  private Path folder;
  private Path kernelLog;
  private ProbeProcess probe;

  @BeforeAll
  void start(@TempDir Path temp) throws Exception {
    folder = temp;
    driver = new StandIn(temp);
    driver.begin(2);
    FullGpu.fill(driver, 0);
    FullGpu.fill(driver, 1);
    kernelLog = temp.resolve("kmsg");
    assertThat(new ProcessBuilder("mkfifo", kernelLog.toString()).start().waitFor()).isZero();
    probe = ProbeProcess.start(config("{faults: {after: 1s}}"), System::currentTimeMillis);
    await().atMost(SOON).until(() -> recent("").getJsonArray("times").size() > 2);
  }

  @AfterAll
  void stop() {
    driver.letGo();
    probe.close();
  }

  private ProbeConfig config(String recent) throws Exception {
    return ProbeConfig.read(
        "test",
        """
        hostname: n1
        gateways: [http://127.0.0.1:1]
        tick: 1s
        gpu: {library: %s, kernelLog: %s}
        http: {host: 127.0.0.1, port: 0}
        spool: {folder: %s}
        recent: %s
        """
            .formatted(driver.library, kernelLog, folder.resolve("spool"), recent));
  }

  private HttpResponse<String> get(String path) throws Exception {
    return get(probe, path);
  }

  private HttpResponse<String> get(ProbeProcess from, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + from.port() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonObject recent(String query) throws Exception {
    HttpResponse<String> answer = get("/v1/recent" + query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return new JsonObject(answer.body());
  }

  private static List<JsonObject> columns(JsonObject recent) {
    List<JsonObject> columns = new ArrayList<>();
    recent.getJsonArray("columns").forEach(each -> columns.add((JsonObject) each));
    return columns;
  }

  @Test
  void eachColumnHasAUnitTheLabelsOfItsGpuAndAValueForEachTime() throws Exception {
    JsonObject recent = recent("?series=gpu_recent_power_watts");
    assertThat(recent.getString("host")).isEqualTo("n1");
    assertThat(recent.getInteger("step")).isEqualTo(1);
    assertThat(recent.containsKey("fault")).isFalse();
    JsonArray times = recent.getJsonArray("times");
    for (int i = 1; i < times.size(); i++) {
      assertThat(times.getLong(i)).isEqualTo(times.getLong(i - 1) + 1);
    }
    assertThat(columns(recent)).hasSize(2);
    JsonObject second = columns(recent).get(1);
    assertThat(second.getString("series")).isEqualTo("gpu_recent_power_watts");
    assertThat(second.getString("unit")).isEqualTo("watts");
    assertThat(second.getJsonObject("labels").getString("gpu")).isEqualTo("1");
    assertThat(second.getJsonObject("labels").getString("UUID")).isEqualTo(UUID);
    assertThat(second.getJsonArray("values")).hasSameSizeAs(times);
    assertThat(second.getJsonArray("values")).contains(687.125);
  }

  @Test
  void gpusSeriesAndTimesAreChosen() throws Exception {
    assertThat(columns(recent("?gpu=1")))
        .extracting(column -> column.getJsonObject("labels").getString("gpu", "host"))
        .contains("1", "host")
        .doesNotContain("0");
    assertThat(columns(recent("?UUID=" + UUID + "&series=gpu_recent_sm_clock_megahertz")))
        .hasSize(1);
    assertThat(columns(recent("?gpu=0&gpu=1&series=gpu_recent_tensor_active_ratio"))).hasSize(2);
    long last = recent("").getJsonArray("times").getLong(2);
    JsonObject one = recent("?from=" + last + ".000&to=" + Instant.ofEpochSecond(last));
    assertThat(one.getJsonArray("times")).containsExactly((int) last);
    assertThat(columns(one)).allMatch(column -> column.getJsonArray("values").size() == 1);
    assertThat(recent("?to=1").getJsonArray("times")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ?from=now                      | 400 | from is "now"; give seconds since the epoch
          ?to=1e99                       | 400 | to is "1e99"
          ?from=2026-13-01T00:00:00Z     | 400 | from is "2026-13-01T00:00:00Z"
          ?from=5&to=4                   | 400 | from is after to
          ?from=1&from=2                 | 400 | from is given 2 times
          ?series=power                  | 400 | no series "power"; there are gpu_recent_nvlink_rx
          ?series=gpu_recent_readings_total | 400 | no series "gpu_recent_readings_total"
          ?gpu=7                         | 404 | no GPU with gpu "7" was read; there are 0, 1
          ?UUID=%0A%22                   | 404 | no GPU with UUID "?""
          ?fault=../../lock              | 404 | no window of a fault "../../lock" is kept
          """)
  void aRequestThatCannotBeAnsweredSaysWhy(String query, int status, String why) throws Exception {
    HttpResponse<String> answer = get("/v1/recent" + query);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body()).startsWith(why).endsWith("\n");
    assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
  }

  @Test
  void anXidInTheKernelsLogFreezesAWindowThatIsListedServedAndExported() throws Exception {
    try (OutputStream kernel = Files.newOutputStream(kernelLog)) {
      awaitLine("gpu_probe_xid_source_up{.*kernel_log.* 1");
      // What comes at once is history: the log has to be waited for once.
      await()
          .atMost(SOON)
          .pollInterval(Duration.ofMillis(500))
          .until(
              () -> {
                kernel.write(
                    "3,1,5,-;NVRM: Xid (PCI:0000:3c:00): 79, off\n"
                        .getBytes(StandardCharsets.US_ASCII));
                kernel.flush();
                return !recent("").getJsonArray("faults").isEmpty();
              });
    }
    JsonObject fault = recent("").getJsonArray("faults").getJsonObject(0);
    String id = fault.getString("id");
    JsonObject first = fault.getJsonArray("faults").getJsonObject(0);
    assertThat(first.getString("kind")).isEqualTo("xid");
    assertThat(first.getInteger("xid")).isEqualTo(79);
    assertThat(first.getJsonObject("labels").getString("UUID")).isEqualTo(UUID);
    JsonObject window = recent("?gpu=1&fault=" + id);
    assertThat(window.getJsonObject("fault")).isEqualTo(fault);
    JsonArray times = window.getJsonArray("times");
    assertThat(times.getLong(0)).isEqualTo(fault.getLong("from"));
    assertThat(times.getLong(times.size() - 1)).isEqualTo(fault.getLong("to"));
    assertThat(fault.getLong("to") - first.getDouble("time")).isBetween(0.0, 1.0);
    awaitLine("gpu_fault_window_timestamp_seconds{.*" + id + ".*");
    await()
        .atMost(SOON)
        .until(() -> Files.exists(folder.resolve("spool/faults/" + id + ".window")));
  }

  private void awaitLine(String pattern) {
    String escaped = pattern.replace("{", "\\{");
    await()
        .atMost(SOON)
        .until(() -> get("/metrics").body().lines().anyMatch(line -> line.matches(escaped)));
  }

  @Test
  void withAHungDriverMetricsAreAnsweredFromMemory() throws Exception {
    await().atMost(SOON).until(() -> get("/metrics").body().contains("DCGM_FI_DEV_POWER_USAGE"));
    driver.hold("clock");
    try {
      await().atMost(SOON).until(() -> driver.waiting() == 1);
      await()
          .atMost(SOON)
          .until(() -> !get("/metrics").body().contains("\nDCGM_FI_DEV_POWER_USAGE{"));
      for (int i = 0; i < 100; i++) {
        assertThat(get("/metrics").body())
            .contains("gpu_probe_call_state", "gpu_lost", "gpu_expected");
      }
      // Whatever the time that this took: the driver has not answered meanwhile.
      assertThat(driver.waiting()).isEqualTo(1);
      await().atMost(SOON).until(this::isGap);
    } finally {
      driver.letGo();
    }
    await().atMost(SOON).until(() -> !isGap());
  }

  /** Whether the power of the last second is not known. */
  private boolean isGap() throws Exception {
    JsonArray values =
        columns(recent("?series=gpu_recent_power_watts&gpu=0")).getFirst().getJsonArray("values");
    return values.getValue(values.size() - 1) == null;
  }

  @Test
  void whereNothingIsKeptTheRouteSaysSo() throws Exception {
    ProbeConfig off =
        ProbeConfig.read(
            "test",
            """
            hostname: n1
            gateways: [http://127.0.0.1:1]
            gpu: {enabled: false}
            http: {host: 127.0.0.1, port: 0}
            spool: {enabled: false}
            recent: {enabled: false}
            """);
    try (ProbeProcess quiet = ProbeProcess.start(off, System::currentTimeMillis)) {
      HttpResponse<String> answer = get(quiet, "/v1/recent");
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("recent.enabled is false");
    }
  }
}
