package io.fleetgauge.gateway.status;

import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * {@code GET /v1/storage}: what takes the bytes of this gateway.
 *
 * <pre>
 * {"disk": as in {@link StatusRoute}, "headBytes", "rollupBytes", "bytesPerSample": F,
 *  "hosts": {HOST: {"series", "diskBytes", "rollupBytes", "memoryBytes", "blocks", "oldestAt"}},
 *  "groups": {GROUP: {"series", "diskBytes"}},
 *  "metrics": [{"metric", "series", "diskBytes"}...]}
 * </pre>
 *
 * Groups are {@code gpu core}, {@code gpu extended} and so on by the tier of a GPU's metric, {@code
 * host} for names of node_exporter, {@code recent} for windows around faults, {@code probe}, and
 * {@code other}. Metrics are the {@link #MOST_METRICS} with most bytes. {@code bytesPerSample} is
 * measured in the newest block of each host, and absent without blocks.
 */
public final class StorageRoute {
  private static final String PATH = "/v1/storage";
  private static final int MOST_METRICS = 1_000;

  private final Store store;
  private final StoreUse use;
  private final StatusRoute status;
  private final LongSupplier clock;

  /**
   * @param clock ms since the epoch
   */
  public StorageRoute(Store store, StatusRoute status, LongSupplier clock) {
    this.store = store;
    this.use = new StoreUse(store);
    this.status = status;
    this.clock = clock;
  }

  public void mount(Router router, Vertx vertx, Guard guard) {
    router
        .get(PATH)
        .handler(guard.needsPeerOr(Permission.OPERATE))
        .handler(http -> StatusRoute.answer(http, vertx, this::json));
  }

  private JsonObject json() {
    JsonObject hosts = new JsonObject();
    long rollups = 0;
    for (String name : store.hosts()) {
      StoreUse.OfHost taken = use.host(name);
      rollups += taken.rollupBytes();
      JsonObject host =
          new JsonObject()
              .put("series", taken.series())
              .put("diskBytes", taken.diskBytes())
              .put("rollupBytes", taken.rollupBytes())
              .put("memoryBytes", taken.memoryBytes())
              .put("blocks", taken.blocks());
      if (taken.oldest() != Long.MIN_VALUE) {
        host.put("oldestAt", taken.oldest());
      }
      hosts.put(name, host);
    }
    Map<String, StoreUse.OfMetric> metrics = use.metrics();
    JsonObject storage =
        new JsonObject()
            .put("disk", status.disk(clock.getAsLong()))
            .put("headBytes", store.payloadBytes())
            .put("rollupBytes", rollups)
            .put("hosts", hosts)
            .put("groups", groups(metrics))
            .put("metrics", largest(metrics));
    use.bytesPerSample().ifPresent(bytes -> storage.put("bytesPerSample", bytes));
    return storage;
  }

  private static JsonObject groups(Map<String, StoreUse.OfMetric> metrics) {
    Map<String, JsonObject> groups = new TreeMap<>();
    metrics.forEach(
        (metric, taken) -> {
          JsonObject group = groups.computeIfAbsent(group(metric), none -> new JsonObject());
          group
              .put("series", group.getLong("series", 0L) + taken.series())
              .put("diskBytes", group.getLong("diskBytes", 0L) + taken.diskBytes());
        });
    JsonObject json = new JsonObject();
    groups.forEach(json::put);
    return json;
  }

  static String group(String metric) {
    if (metric.startsWith("gpu_recent_") || metric.startsWith("node_recent_")) {
      return "recent";
    }
    if (metric.startsWith("gpu_probe_")
        || metric.startsWith("probe_")
        || metric.startsWith("node_scrape_")
        || metric.startsWith("scrape_")
        || metric.equals("up")) {
      return "probe";
    }
    if (metric.startsWith("node_")) {
      return "host";
    }
    return GpuMetrics.find(metric)
        .map(each -> "gpu " + each.tier().name().toLowerCase(Locale.ROOT))
        .orElse("other");
  }

  private static JsonArray largest(Map<String, StoreUse.OfMetric> metrics) {
    List<Map.Entry<String, StoreUse.OfMetric>> all =
        metrics.entrySet().stream()
            .sorted(
                Comparator.comparingLong(
                        (Map.Entry<String, StoreUse.OfMetric> each) -> -each.getValue().diskBytes())
                    .thenComparing(each -> -each.getValue().series())
                    .thenComparing(Map.Entry::getKey))
            .limit(MOST_METRICS)
            .toList();
    JsonArray json = new JsonArray();
    all.forEach(
        each ->
            json.add(
                new JsonObject()
                    .put("metric", each.getKey())
                    .put("series", each.getValue().series())
                    .put("diskBytes", each.getValue().diskBytes())));
    return json;
  }
}
