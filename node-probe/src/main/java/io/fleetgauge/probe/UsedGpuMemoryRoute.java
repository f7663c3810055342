package io.fleetgauge.probe;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.http.ClientCertificate;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.util.function.Supplier;

/** {@code /metrics} of the exporter of GPU memory by container, for those who scrape it. */
final class UsedGpuMemoryRoute {
  private UsedGpuMemoryRoute() {}

  /**
   * The routes of its port.
   *
   * @param used what is shown
   */
  static Router router(Vertx vertx, HttpSettings settings, Supplier<Tick> used) {
    Router router = Router.router(vertx);
    router
        .get("/metrics")
        .handler(ClientCertificate.needed(settings))
        .handler(
            http -> {
              Tick tick = used.get();
              http.response()
                  .putHeader("Content-Type", Meters.CONTENT_TYPE)
                  .end(TextExposition.write(tick, KnownMetrics.families(tick)));
            });
    return router;
  }
}
