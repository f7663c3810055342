package io.fleetgauge.query.shards;

import io.vertx.core.Vertx;

class MemoryShardsTest extends ShardsContract {
  @Override
  protected Shards shards(Vertx vertx) {
    return new MemoryShards(vertx, fleet);
  }
}
