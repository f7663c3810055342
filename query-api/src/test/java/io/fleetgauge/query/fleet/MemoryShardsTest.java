package io.fleetgauge.query.fleet;

import io.fleetgauge.query.fanout.GatewayFleet;
import io.vertx.core.Vertx;

class MemoryShardsTest extends FleetContract {
  @Override
  protected GatewayFleet gateways(Vertx vertx) {
    return new MemoryShards(vertx, fleet);
  }
}
