package io.fleetgauge.query;

import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.inventory.InventoryApi;
import io.fleetgauge.query.inventory.InventoryFile;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The inventory's file and its route. */
final class InventoryPart implements ProcessPart {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final Lifecycle lifecycle = new Lifecycle("inventory");
  private final QueryConfig config;
  private final ApiRoutes routes;
  private final Querier querier;
  private final InventoryFile file;
  private final LongSupplier clock;

  /**
   * @param clock ms since the epoch
   */
  InventoryPart(QueryConfig config, ApiRoutes routes, Querier querier, LongSupplier clock) {
    this.config = config;
    this.routes = routes;
    this.querier = querier;
    this.file = new InventoryFile(config.inventory().file());
    this.clock = clock;
  }

  @Override
  public void start() {
    if (config.inventory().file().isPresent()) {
      file.look();
      lifecycle.started(
          "inventory.file",
          QueryProcess.STOP_LIMIT,
          FilePoller.start("inventory", LOOK_EVERY, file::look));
    }
    InventoryApi.mount(routes, config, querier, file, clock);
  }

  @Override
  public void declare(Meters meters) {
    meters.gauge(
        "inventory_problems",
        "Entries of inventory.file that are left out; 1 for a file that cannot be read.",
        () -> file.content().problems().size());
  }

  /** The hosts that should be there. */
  InventoryFile file() {
    return file;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
