package io.fleetgauge.gateway.status;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.ClusterStatus;
import io.fleetgauge.cluster.status.ProcessStatus;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.File;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /v1/status}: this gateway. {@code GET /v1/status/cluster}: all, see {@link
 * ClusterStatus}.
 *
 * <pre>
 * {what {@link ProcessStatus} has, "zone": ZONE, "recovered": true, "memoryRatio": F,
 *  "series", "maxSeries",
 *  "disk": {"folder", "trouble", "freeBytes", "totalBytes", "blockBytes", "blocks", "maxBytes",
 *           "journalBytes", "journalMaxBytes", "retentionMillis", "bytesPerDay",
 *           "bytesAtRetention", "daysLeft"},
 *  "hosts": {HOST: {"series", "newestAt", "tickMillis", "diskBytes"}}}
 * </pre>
 *
 * {@code trouble} is empty when the disk works. {@code freeBytes} and {@code totalBytes} are absent
 * where the system does not tell them. {@code bytesPerDay} and what follows from it are absent
 * until a block is on disk; {@code daysLeft} is absent while the retention is reached before the
 * disk is full.
 */
public final class StatusRoute {
  private static final Logger LOG = LoggerFactory.getLogger(StatusRoute.class);
  private static final String PATH = "/v1/status";

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
    router
        .get(PATH)
        .handler(guard.needsPeerOr(Permission.OPERATE))
        .handler(http -> answer(http, vertx, this::json));
    ClusterSettings cluster = config.cluster();
    router
        .get(PATH + "/cluster")
        .handler(guard.needsPeerOr(Permission.OPERATE))
        .handler(
            http ->
                gateways
                    .ask(PATH)
                    .onSuccess(
                        answers ->
                            answer(
                                http,
                                vertx,
                                () ->
                                    ClusterStatus.of(
                                        cluster, answers, age.since(), clock.getAsLong())))
                    .onFailure(http::fail));
  }

  /** Asks the disk and walks over blocks on another thread than that of the request. */
  static void answer(RoutingContext http, Vertx vertx, Callable<JsonObject> json) {
    vertx
        .executeBlocking(() -> json.call().toBuffer())
        .onSuccess(body -> http.response().putHeader("Content-Type", "application/json").end(body))
        .onFailure(http::fail);
  }

  private JsonObject json() {
    long now = clock.getAsLong();
    JsonObject hosts = new JsonObject();
    for (String name : store.hosts()) {
      store.find(name).ifPresent(lane -> hosts.put(name, host(name, lane)));
    }
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
        .put("hosts", hosts);
  }

  private JsonObject host(String name, Lane lane) {
    StoreUse.OfHost taken = use.host(name);
    JsonObject host =
        new JsonObject()
            .put("series", taken.series())
            .put("tickMillis", lane.tickMillis())
            .put("diskBytes", taken.diskBytes());
    if (lane.heard() != Long.MIN_VALUE) {
      host.put("newestAt", lane.heard());
    }
    return host;
  }

  JsonObject disk(long now) {
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
