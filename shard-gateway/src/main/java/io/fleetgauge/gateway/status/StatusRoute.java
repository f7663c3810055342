package io.fleetgauge.gateway.status;

import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.ClusterStatus;
import io.fleetgauge.cluster.status.ProcessStatus;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.io.File;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /v1/status}: this gateway. {@code GET /v1/storage}: what takes its bytes. {@code GET
 * /v1/status/cluster}: all gateways, see {@link ClusterStatus}.
 *
 * <pre>
 * status:  {what {@link ProcessStatus} has, "id", "zone", "recovered": true, "memoryRatio": F,
 *           "series", "maxSeries", "disk": disk, "hosts": {HOST: host}}
 * storage: {"disk": disk, "headBytes", "rollupBytes", "bytesPerSample": F, "hosts": {HOST: host},
 *           "groups": {GROUP: {"series", "diskBytes"}},
 *           "metrics": [{"metric", "series", "diskBytes"}...]}
 * disk:    {"folder", "trouble", "freeBytes", "totalBytes", "blockBytes", "blocks", "maxBytes",
 *           "journalBytes", "journalMaxBytes", "retentionMillis", "bytesPerDay",
 *           "bytesAtRetention", "daysLeft"}
 * host:    {"series", "tickMillis", "newestAt", "diskBytes", "rollupBytes", "memoryBytes",
 *           "blocks", "oldestAt"}
 * </pre>
 *
 * {@code trouble} is empty when the disk works. {@code freeBytes} and {@code totalBytes} are absent
 * where the system does not tell them. {@code bytesPerDay} and what follows from it are absent
 * until a block is on disk; {@code daysLeft} is absent while the retention is reached before the
 * disk is full. {@code bytesPerSample} is measured in the newest block of each host, and absent
 * without blocks; {@code memoryBytes} are of when they were last measured. Groups and metrics are
 * those of {@link StoreUse}.
 */
public final class StatusRoute {
  private static final Logger LOG = LoggerFactory.getLogger(StatusRoute.class);
  private static final String STATUS = "/v1/status";

  private final GatewayConfig config;
  private final Store store;
  private final StoreUse use;
  private final Intake intake;
  private final Journal journal;
  private final MemoryWatermark memory;
  private final LongSupplier clock;
  private final AtomicBoolean isSpaceUnknown = new AtomicBoolean();

  /**
   * @param clock ms since the epoch
   */
  public StatusRoute(
      GatewayConfig config,
      Store store,
      Intake intake,
      Journal journal,
      MemoryWatermark memory,
      LongSupplier clock) {
    this.config = config;
    this.store = store;
    this.use = new StoreUse(store);
    this.intake = intake;
    this.journal = journal;
    this.memory = memory;
    this.clock = clock;
  }

  /**
   * @param gateways how all are asked
   * @param age of the table here
   */
  public void mount(Router router, Vertx vertx, Guard guard, AllGateways gateways, TableAge age) {
    mount(router.get(STATUS), guard, () -> encoded(vertx, this::status));
    mount(router.get("/v1/storage"), guard, () -> encoded(vertx, this::storage));
    mount(
        router.get(STATUS + "/cluster"),
        guard,
        () ->
            gateways
                .ask(STATUS)
                .compose(
                    answers ->
                        encoded(
                            vertx,
                            () ->
                                ClusterStatus.of(
                                    config.cluster(), answers, age.since(), clock.getAsLong()))));
  }

  /** Asks the disk and walks over blocks on another thread than that of the request. */
  private static Future<Buffer> encoded(Vertx vertx, Supplier<JsonObject> document) {
    return vertx.executeBlocking(() -> document.get().toBuffer());
  }

  private static void mount(Route route, Guard guard, Supplier<Future<Buffer>> document) {
    route
        .handler(guard.needsPeerOr(Permission.OPERATE))
        .handler(
            http ->
                document
                    .get()
                    .onSuccess(
                        body ->
                            http.response().putHeader("Content-Type", "application/json").end(body))
                    .onFailure(http::fail));
  }

  private JsonObject status() {
    long now = clock.getAsLong();
    JsonObject status = ProcessStatus.of(now).put("id", config.id());
    if (!config.zone().isEmpty()) {
      status.put("zone", config.zone());
    }
    return status
        .put("recovered", intake.isRecovered())
        .put("memoryRatio", memory.ratio())
        .put("series", store.seriesCount())
        .put("maxSeries", config.store().maxSeries())
        .put("disk", disk(now))
        .put("hosts", use.hosts());
  }

  private JsonObject storage() {
    JsonObject storage =
        new JsonObject()
            .put("disk", disk(clock.getAsLong()))
            .put("headBytes", store.payloadBytes())
            .put("rollupBytes", use.rollupBytes())
            .put("hosts", use.hosts())
            .mergeIn(use.metrics());
    use.bytesPerSample().ifPresent(bytes -> storage.put("bytesPerSample", bytes));
    return storage;
  }

  private JsonObject disk(long now) {
    long blockBytes = store.blockBytes();
    JsonObject disk =
        new JsonObject()
            .put("folder", config.store().folder().toAbsolutePath().toString())
            .put("trouble", intake.diskTrouble().orElse(""))
            .put("blockBytes", blockBytes)
            .put("blocks", store.blockCount())
            .put("maxBytes", config.store().maxDiskBytes())
            .put("journalBytes", journal.bytes())
            .put("journalMaxBytes", config.journal().maxBytes())
            .put("retentionMillis", config.store().retention().toMillis());
    long left = Math.max(0, config.store().maxDiskBytes() - blockBytes);
    // Not by FileStore, which needs an entry in the table of mounts: a root of chroot, and some
    // containers, have none.
    File folder = config.store().folder().toFile();
    long total = folder.getTotalSpace();
    if (total > 0) {
      long free = folder.getUsableSpace();
      disk.put("freeBytes", free).put("totalBytes", total);
      left = Math.min(left, free);
    } else if (!isSpaceUnknown.getAndSet(true)) {
      LOG.warn("the size of the file system of {} cannot be read: it is not reported", folder);
    }
    OptionalDouble perDay = use.bytesPerDay(now);
    if (perDay.isPresent()) {
      project(disk, perDay.getAsDouble(), blockBytes, left);
    }
    return disk;
  }

  private void project(JsonObject disk, double perDay, long blockBytes, long left) {
    double atRetention = perDay * config.store().retention().toMillis() / 86_400_000.0;
    disk.put("bytesPerDay", Math.round(perDay)).put("bytesAtRetention", Math.round(atRetention));
    if (perDay > 0 && atRetention - blockBytes > left) {
      disk.put("daysLeft", left / perDay);
    }
  }
}
