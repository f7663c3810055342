package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.clusters.ClusterRoutes;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.faults.api.FaultsApi;
import io.fleetgauge.query.federate.FederateApi;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.grafana.GrafanaApi;
import io.fleetgauge.query.http.TestServer;
import io.fleetgauge.query.inventory.InventoryApi;
import io.fleetgauge.query.inventory.InventoryFile;
import io.fleetgauge.query.operate.OperateApi;
import io.fleetgauge.query.peers.OtherQueryApis;
import io.fleetgauge.query.prices.RateFiles;
import io.fleetgauge.query.prometheus.PrometheusApi;
import io.fleetgauge.query.report.ReportApi;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * All routes over a fleet in memory, with the real {@link Querier} between.
 *
 * <p>Three hosts with two GPUs each, of tenant a on n1 and GPU 0 of n2, of tenant b on the others;
 * a sample every 15 s in the quarter of an hour before {@link TestServer#NOW}, with the value
 * {@code 10 * host + gpu}.
 */
public final class ApiServer implements AutoCloseable {
  public static final long NOW = TestServer.NOW;
  public static final String TEMPERATURE = "DCGM_FI_DEV_GPU_TEMP";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int TICKS = 60;
  private static final long TICK = 15_000;

  public final AtomicLong clock = new AtomicLong(NOW);

  /** Answers of all gateways to a path. */
  public volatile Function<String, AllGateways.Answers> gateways =
      path -> new AllGateways.Answers(ClusterView.EMPTY, Map.of(), Map.of());

  public final MemoryFleet fleet;
  public final MemoryShards shards;
  public final Querier querier;
  public final RateFiles rates;
  public final TestServer http;

  public ApiServer(Vertx vertx, Path folder) throws Exception {
    this(vertx, folder, "");
  }

  /**
   * @param yaml configuration of the query API
   */
  public ApiServer(Vertx vertx, Path folder, String yaml) throws Exception {
    QueryConfig config = QueryConfig.read("the test", yaml);
    fleet = new MemoryFleet().host("n1", "g1", "g2").host("n2", "g2", "g1").host("n3", "g2", "g1");
    for (int host = 1; host <= 3; host++) {
      for (int gpu = 0; gpu < 2; gpu++) {
        fleet.with(temperature(host, gpu));
      }
    }
    shards = new MemoryShards(vertx, fleet);
    Admission admission =
        new Admission(
            new Admission.Places(config.maxConcurrent(), config.maxParallel(), config.maxHeavy()),
            tenant -> new TenantShare(1, 10, 10),
            ClusterShare.WHOLE,
            System::nanoTime);
    Querier.Workers workers =
        new Querier.Workers(
            vertx.createSharedWorkerExecutor("light", 2),
            vertx.createSharedWorkerExecutor("heavy", 2));
    querier =
        new Querier(
            config,
            shards.stores(),
            admission,
            workers,
            AliasTable.builtIn(),
            Tracer.OFF,
            clock::get);
    rates =
        new RateFiles(config.report().prices(), config.report().carbon(), config.report().pue());
    rates.look();
    http =
        new TestServer(
            vertx,
            folder,
            routes -> {
              PrometheusApi.mount(routes, config, querier, OtherQueryApis.NONE, clock::get);
              FederateApi.mount(routes, config, querier, clock::get);
              GrafanaApi.mount(routes, config, querier, clock::get);
              ReportApi.mount(routes, config, querier, rates::rates, clock::get);
              FaultsApi.mount(routes, config, querier, clock::get);
              InventoryFile file = new InventoryFile(config.inventory().file());
              file.look();
              InventoryApi.mount(routes, config, querier, file, clock::get);
              ClusterRoutes.mount(
                  routes, config.timeout(), config.cluster().name(), querier, shards.gateways());
              new OperateApi(
                      config,
                      querier,
                      path -> Future.succeededFuture(gateways.apply(path)),
                      new TableAge(clock::get),
                      clock::get)
                  .mount(routes);
            });
  }

  /** The labels of a GPU. */
  public static Labels gpu(String metric, int host, int gpu) {
    return Labels.of(
        "__name__", metric,
        "Hostname", "n" + host,
        "gpu", "" + gpu,
        "rack", "r" + host / 2,
        "tenant", host == 1 || host == 2 && gpu == 0 ? "a" : "b",
        "job", "job-" + host);
  }

  private static Series temperature(int host, int gpu) {
    long[] times = new long[TICKS];
    double[] values = new double[TICKS];
    for (int i = 0; i < TICKS; i++) {
      times[i] = NOW - (TICKS - 1 - i) * TICK;
      values[i] = 10 * host + gpu;
    }
    return new Series(gpu(TEMPERATURE, host, gpu), times, values);
  }

  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** {@code data} of a successful answer in Prometheus's envelope. */
  public JsonNode data(String tenant, String path) throws Exception {
    return envelope(tenant, path).path("data");
  }

  /** A successful answer in Prometheus's envelope. */
  public JsonNode envelope(String tenant, String path) throws Exception {
    return success(http.get(tenant, path));
  }

  public static JsonNode success(HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode json = JSON.readTree(answer.body());
    assertThat(json.path("status").asText()).as(answer.body()).isEqualTo("success");
    return json;
  }

  /** A failure in Prometheus's envelope, as {@code "STATUS TYPE: TEXT"}. */
  public static String failure(HttpResponse<String> answer) throws IOException {
    JsonNode json = JSON.readTree(answer.body());
    assertThat(json.path("status").asText()).as(answer.body()).isEqualTo("error");
    assertThat(json.has("data")).isFalse();
    return answer.statusCode()
        + " "
        + json.path("errorType").asText()
        + ": "
        + json.path("error").asText();
  }

  /** Posts JSON and returns the JSON of a successful answer. */
  public JsonNode post(String tenant, String path, String json) throws Exception {
    HttpResponse<String> answer = http.post(tenant, path, json, "Content-Type", "application/json");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  /** The texts of an array. */
  public static List<String> texts(JsonNode array) {
    assertThat(array.isArray()).as(array.toString()).isTrue();
    List<String> all = new ArrayList<>();
    array.forEach(each -> all.add(each.isTextual() ? each.asText() : each.toString()));
    return all;
  }

  @Override
  public void close() throws TimeoutException {
    http.close();
  }
}
