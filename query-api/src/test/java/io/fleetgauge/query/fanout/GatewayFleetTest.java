package io.fleetgauge.query.fanout;

import io.fleetgauge.query.fleet.FleetContract;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;

class GatewayFleetTest extends FleetContract {
  @Override
  protected GatewayFleet gateways(Vertx vertx) throws Exception {
    LoopbackGateways gateways = new LoopbackGateways(vertx, fleet);
    OutgoingHttp http =
        new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, Gateways.connections(4));
    return new GatewayFleet(
        new Gateways(
            vertx,
            http,
            gateways::view,
            vertx.createSharedWorkerExecutor("shards", 2),
            vertx.createSharedWorkerExecutor("heavy-shards", 1)));
  }
}
