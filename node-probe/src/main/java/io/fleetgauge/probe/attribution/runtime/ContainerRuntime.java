package io.fleetgauge.probe.attribution.runtime;

import io.vertx.core.Future;
import java.nio.file.Path;

/** A program that runs containers and tells how they are called. */
interface ContainerRuntime {
  /** More containers than a node runs. */
  int MOST_CONTAINERS = 10_000;

  /** The largest answer that is read, bytes. */
  int MOST_BYTES = 32 << 20;

  Path socket();

  /** All running containers by id; fails with a message that says why there is no answer. */
  Future<Listing> list();
}
