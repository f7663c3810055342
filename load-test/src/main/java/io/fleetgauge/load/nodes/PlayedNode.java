package io.fleetgauge.load.nodes;

import io.fleetgauge.sample.Tick;
import java.util.Optional;

/** A node of a simulated fleet. Not for several threads. */
public interface PlayedNode extends AutoCloseable {
  String hostname();

  /** The tick that its probe sends at a time; times must ascend. Empty while it is silent. */
  Optional<Tick> tick(long time) throws InterruptedException;

  @Override
  void close();
}
