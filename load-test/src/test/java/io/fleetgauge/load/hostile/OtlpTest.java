package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.DefaultAggregationSelector;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OTLP metrics to a real gateway, by the SDK of OpenTelemetry and by hand. */
class OtlpTest {
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";

  private final HttpClient client = HttpClient.newHttpClient();
  private long now;
  private LocalFleet fleet;
  private GatewayProcess gateway;
  private QueryClient query;

  @BeforeEach
  void start(@TempDir Path folder) throws Exception {
    fleet = new LocalFleet("otlp", LocalPorts.free(2), folder, System::currentTimeMillis);
    gateway = fleet.startGateway(0, Duration.ofHours(24));
    query = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    now = System.currentTimeMillis(); // the start may have taken long
  }

  @AfterEach
  void stop() {
    fleet.close();
  }

  /** An SDK that sends when it is flushed. */
  private SdkMeterProvider sdk(
      AggregationTemporalitySelector temporality, DefaultAggregationSelector aggregation) {
    return SdkMeterProvider.builder()
        .setResource(
            io.opentelemetry.sdk.resources.Resource.create(
                Attributes.builder()
                    .put("service.name", "train")
                    .put("service.instance.id", "worker-3")
                    .put("host.name", "h1")
                    .build()))
        .registerMetricReader(
            PeriodicMetricReader.builder(
                    OtlpHttpMetricExporter.builder()
                        .setEndpoint(gateway.address() + "/api/v1/otlp/v1/metrics")
                        .setCompression("gzip")
                        .setTimeout(Duration.ofMinutes(10))
                        .setAggregationTemporalitySelector(temporality)
                        .setDefaultAggregationSelector(aggregation)
                        .build())
                .setInterval(Duration.ofDays(1))
                .build())
        .build();
  }

  private static void flush(SdkMeterProvider sdk) {
    assertThat(sdk.forceFlush().join(10, TimeUnit.MINUTES).isDone()).isTrue();
  }

  private JsonNode only(String text) throws Exception {
    JsonNode result = query.query(text).path("data").path("result");
    assertThat(result).as(text).hasSize(1);
    return result.path(0);
  }

  private String value(String text) throws Exception {
    return only(text).path("value").path(1).asText();
  }

  @Test
  void whatAnSdkSendsIsAnsweredByPromql() throws Exception {
    try (SdkMeterProvider sdk =
        sdk(
            AggregationTemporalitySelector.alwaysCumulative(),
            DefaultAggregationSelector.getDefault()
                .with(InstrumentType.HISTOGRAM, Aggregation.base2ExponentialBucketHistogram()))) {
      Meter meter = sdk.get("test");
      Attributes of = Attributes.of(AttributeKey.stringKey("model.name"), "llama");
      meter.counterBuilder("tokens").setUnit("{token}").build().add(500, of);
      meter.gaugeBuilder("loss").setUnit("1").build().set(0.25, of);
      meter.histogramBuilder("step.duration").setUnit("s").build().record(2, of);
      flush(sdk);
      assertThat(value("tokens_total{job=\"train\",instance=\"worker-3\",model_name=\"llama\"}"))
          .isEqualTo("500");
      assertThat(value("loss_ratio")).isEqualTo("0.25");
      assertThat(value("histogram_count(step_duration_seconds)")).isEqualTo("1");
      assertThat(value("histogram_sum(step_duration_seconds)")).isEqualTo("2");
      TreeMap<String, String> target = new TreeMap<>();
      only("target_info")
          .path("metric")
          .properties()
          .forEach(each -> target.put(each.getKey(), each.getValue().asText()));
      assertThat(target)
          .containsEntry("job", "train")
          .containsEntry("instance", "worker-3")
          .containsEntry("host_name", "h1")
          .doesNotContainKey("service_name");
      JsonNode metadata = query.json("/api/v1/metadata?metric=step_duration_seconds");
      assertThat(metadata.path("data").path("step_duration_seconds").path(0).path("type").asText())
          .isEqualTo("histogram");
    }
  }

  @Test
  void anSdkOfDeltaTemporalityIsRefusedWithTheMetricsNames() throws Exception {
    try (SdkMeterProvider sdk =
        sdk(
            AggregationTemporalitySelector.deltaPreferred(),
            DefaultAggregationSelector.getDefault())) {
      sdk.get("test").counterBuilder("tokens").build().add(500);
      flush(sdk);
    }
    assertThat(query.query("tokens_total").path("data").path("result")).isEmpty();
    HttpResponse<byte[]> alone = send(PROTOBUF, "", request(delta("tokens")).toByteArray());
    assertThat(alone.statusCode()).isEqualTo(400);
    assertThat(new String(alone.body(), StandardCharsets.UTF_8))
        .contains("metric \"tokens\": delta temporality is not accepted");
    HttpResponse<byte[]> both =
        send(PROTOBUF, "", request(delta("tokens"), gauge("loss", now)).toByteArray());
    assertThat(both.statusCode()).isEqualTo(200);
    ExportMetricsServiceResponse answer = ExportMetricsServiceResponse.parseFrom(both.body());
    assertThat(answer.getPartialSuccess().getRejectedDataPoints()).isEqualTo(1);
    assertThat(answer.getPartialSuccess().getErrorMessage()).contains("metric \"tokens\"");
    assertThat(value("loss")).isEqualTo("7");
  }

  private static ExportMetricsServiceRequest request(Metric... metrics) {
    ScopeMetrics.Builder scope = ScopeMetrics.newBuilder();
    for (Metric each : metrics) {
      scope.addMetrics(each);
    }
    return ExportMetricsServiceRequest.newBuilder()
        .addResourceMetrics(
            ResourceMetrics.newBuilder()
                .setResource(
                    Resource.newBuilder()
                        .addAttributes(
                            KeyValue.newBuilder()
                                .setKey("service.instance.id")
                                .setValue(AnyValue.newBuilder().setStringValue("i1"))))
                .addScopeMetrics(scope))
        .build();
  }

  private static Metric gauge(String name, long millis) {
    return Metric.newBuilder()
        .setName(name)
        .setGauge(
            Gauge.newBuilder()
                .addDataPoints(
                    NumberDataPoint.newBuilder().setTimeUnixNano(millis * 1_000_000).setAsInt(7)))
        .build();
  }

  private Metric delta(String name) {
    return Metric.newBuilder()
        .setName(name)
        .setSum(
            Sum.newBuilder()
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA)
                .addDataPoints(
                    NumberDataPoint.newBuilder().setTimeUnixNano(now * 1_000_000).setAsInt(7)))
        .build();
  }

  private HttpResponse<byte[]> send(String type, String encoding, byte[] body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(gateway.address().resolve("/api/v1/otlp/v1/metrics"))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (!type.isEmpty()) {
      request.header("Content-Type", type);
    }
    if (!encoding.isEmpty()) {
      request.header("Content-Encoding", encoding);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpResponse<byte[]> json(String text) throws Exception {
    return send(JSON, "", text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  @Test
  void jsonIsTakenWithItsNumbersInAnyForm() throws Exception {
    HttpResponse<byte[]> kept =
        json(
            """
            {"resourceMetrics": [{
              "resource": {"attributes": [
                {"key": "service.name", "value": {"stringValue": "s"}},
                {"key": "n", "value": {"intValue": "12"}}], "unknown": [1]},
              "scopeMetrics": [{"scope": {"name": "x"}, "metrics": [
                {"name": "a", "unit": "By", "sum": {"aggregationTemporality": 2, "isMonotonic": true,
                  "dataPoints": [{"timeUnixNano": "%1$d000000", "asInt": "9007199254740993"}]}},
                {"name": "b", "sum": {"aggregation_temporality": "AGGREGATION_TEMPORALITY_CUMULATIVE",
                  "data_points": [{"time_unix_nano": %1$d000000, "as_double": "NaN",
                    "exemplars": [{"traceId": "5b8efff798038103d269b633813fc60c", "asInt": 3}]}]}}
              ]}]}]}
            """
                .formatted(now));
    assertThat(kept.statusCode()).as(text(kept)).isEqualTo(200);
    assertThat(text(kept)).isEqualTo("{}");
    assertThat(value("a_bytes_total{job=\"s\"}")).isEqualTo("9007199254740992");
    assertThat(value("b{job=\"s\"}")).isEqualTo("NaN");
    assertThat(value("target_info{n=\"12\"}")).isEqualTo("1");
  }

  @Test
  void whatIsNoRequestIsRefusedWithAReason() throws Exception {
    assertThat(text(json("{\"resourceMetrics\": 1}"))).contains("is not a JSON array");
    assertThat(text(json("{\"resourceMetrics\": [{\"resource\": 1}]}")))
        .contains("resource is not a JSON object");
    assertThat(text(json("[".repeat(1_000)))).contains("the body is not JSON");
    assertThat(json("").statusCode()).isEqualTo(400);
    assertThat(send(PROTOBUF, "", new byte[] {10, -1}).statusCode()).isEqualTo(400);
    assertThat(send(PROTOBUF, "gzip", new byte[] {1, 2, 3}).statusCode()).isEqualTo(400);
    assertThat(send(PROTOBUF, "zstd", new byte[0]).statusCode()).isEqualTo(415);
    assertThat(send("text/plain", "", new byte[0]).statusCode()).isEqualTo(415);
    assertThat(send(PROTOBUF, "", new byte[0]).statusCode()).isEqualTo(200);
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
      gzip.write(new byte[(32 << 20) + 1]);
    }
    HttpResponse<byte[]> large = send(PROTOBUF, "gzip", bomb.toByteArray());
    assertThat(large.statusCode()).isEqualTo(400);
    assertThat(text(large)).contains("after decompression");
  }

  @Test
  void samplesThatWillNeverBeAcceptedAreCountedAndTheOthersKept() throws Exception {
    long future = now + Duration.ofDays(1).toMillis();
    HttpResponse<byte[]> some =
        send(PROTOBUF, "", request(gauge("late", future), gauge("good", now)).toByteArray());
    assertThat(some.statusCode()).isEqualTo(200);
    ExportMetricsServiceResponse answer = ExportMetricsServiceResponse.parseFrom(some.body());
    assertThat(answer.getPartialSuccess().getErrorMessage()).contains("out of bounds");
    assertThat(value("good")).isEqualTo("7");
    assertThat(send(PROTOBUF, "", request(gauge("late", future)).toByteArray()).statusCode())
        .isEqualTo(400);
  }

  @Test
  void noDamagedBodyIsAnErrorOfTheGateway() throws Exception {
    Random random = new Random(41);
    byte[] good = request(gauge("a", now), delta("b"), gauge("c", now)).toByteArray();
    for (int i = 0; i < 300; i++) {
      byte[] bad = good.clone();
      for (int n = random.nextInt(4); n >= 0; n--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      assertThat(send(PROTOBUF, "", bad).statusCode()).isIn(200, 400);
    }
    assertThat(send(PROTOBUF, "", request(gauge("a", now + 1)).toByteArray()).statusCode())
        .isEqualTo(200);
  }
}
