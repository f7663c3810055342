package io.fleetgauge.query.fanout;

import io.fleetgauge.query.shards.Shards;
import io.fleetgauge.query.shards.ShardsContract;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;

class GatewayShardsTest extends ShardsContract {
  @Override
  protected Shards shards(Vertx vertx) throws Exception {
    LoopbackGateways gateways = new LoopbackGateways(vertx, fleet);
    OutgoingHttp http =
        new OutgoingHttp(
            vertx, TrustSettings.NONE, RequestSigner.NONE, GatewayShards.connections(4));
    return new GatewayShards(
        vertx,
        http,
        gateways::view,
        vertx.createSharedWorkerExecutor("shards", 2),
        vertx.createSharedWorkerExecutor("heavy-shards", 1));
  }
}
