package io.fleetgauge.load.nodes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A labelled trace: the nodes of a simulated fleet over a time, and the faults that they have. A
 * function of its specification. Not for several threads.
 */
public final class Trace implements AutoCloseable {
  private static final Duration TICK = Duration.ofSeconds(15);

  /** All traces begin at this time, ms since the epoch. */
  private static final long START = 1_790_000_000_000L / 86_400_000 * 86_400_000;

  private final TraceSpec spec;
  private final List<PlayedNode> nodes = new ArrayList<>();

  private Trace(TraceSpec spec) {
    this.spec = spec;
    FleetLayout fleet = FleetLayout.of(spec.hosts(), TICK, spec.seed());
    for (Place place : fleet.places()) {
      nodes.add(new SimulatedNode(place, fleet, Incidents.NONE, START));
    }
  }

  public static Trace of(TraceSpec spec) {
    return new Trace(spec);
  }

  /** Its nodes; each is played from {@link #start} to {@link #end}, tick by tick. */
  public List<PlayedNode> nodes() {
    return List.copyOf(nodes);
  }

  /** Its faults, by time. */
  public List<TraceLabel> labels() {
    return List.of();
  }

  /** The time of the first tick, ms since the epoch. */
  public long start() {
    return START;
  }

  /** The time after the last tick, ms since the epoch. */
  public long end() {
    return START + spec.length().toMillis();
  }

  /** Time between two ticks, ms. */
  public long tick() {
    return TICK.toMillis();
  }

  @Override
  public void close() {
    nodes.forEach(PlayedNode::close);
  }
}
