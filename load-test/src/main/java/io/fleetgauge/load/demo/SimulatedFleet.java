package io.fleetgauge.load.demo;

import io.fleetgauge.load.nodes.PlainNode;
import io.fleetgauge.load.nodes.PlayedNode;
import io.fleetgauge.load.nodes.SimulatedNode;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Simulated nodes, each with an uplink of its own as a real probe has it. */
final class SimulatedFleet implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SimulatedFleet.class);
  private static final UplinkSettings UNACKNOWLEDGED =
      new UplinkSettings(Duration.ofDays(1), 64L << 20, Duration.ofDays(1), 0);

  /** Most unacknowledged ticks of history of a node. */
  private static final int MAX_AHEAD = 60;

  private record Node(PlayedNode readings, Uplink uplink) {}

  private final Vertx vertx = Vertx.vertx();
  private final List<Node> nodes = new ArrayList<>();
  private final long tickMillis;
  private final LongSupplier clock;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("simulated-fleet").factory());
  private final long first;
  private long next;

  /**
   * @param pastMillis history before now
   * @param clock ms since the epoch
   */
  SimulatedFleet(
      FleetLayout fleet,
      Incidents incidents,
      long pastMillis,
      List<URI> gateways,
      LongSupplier clock) {
    this.tickMillis = fleet.tick().toMillis();
    this.clock = clock;
    this.first = (clock.getAsLong() - pastMillis) / tickMillis * tickMillis;
    this.next = first;
    for (Place place : fleet.places()) {
      add(new SimulatedNode(place, fleet, incidents, first), gateways, fleet.seed());
    }
    add(PlainNode.controller(fleet, incidents, first), gateways, fleet.seed());
    add(PlainNode.workstation(fleet, first), gateways, fleet.seed());
  }

  private void add(PlayedNode node, List<URI> gateways, long seed) {
    Uplink uplink =
        new Uplink(
            vertx,
            node.hostname(),
            gateways,
            UNACKNOWLEDGED,
            Optional.empty(),
            seed + nodes.size());
    nodes.add(new Node(node, uplink));
  }

  /** Progress of the back-fill. */
  interface Progress {
    /**
     * @param done 0 to 1
     * @param samples acknowledged so far
     */
    void report(double done, long samples);
  }

  /** Sends the history in order, as fast as gateways acknowledge it; returns when all is kept. */
  void backFill(Progress progress) throws InterruptedException {
    long total = Math.max(1, (clock.getAsLong() - first) / tickMillis);
    while (next <= clock.getAsLong()) {
      tick();
      double done = (next - first) / tickMillis / (double) total;
      do {
        progress.report(Math.min(1, done), kept());
      } while (queuedFrames() > (long) MAX_AHEAD * nodes.size() && pause());
    }
    while (queuedFrames() > 0) {
      progress.report(1, kept());
      pause();
    }
  }

  /** Starts live ticks. */
  void start() {
    thread.scheduleAtFixedRate(
        this::catchUp, 0, Math.min(1_000, tickMillis), TimeUnit.MILLISECONDS);
  }

  private void catchUp() {
    try {
      while (next <= clock.getAsLong()) {
        tick();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("the simulated nodes have stopped", e);
      throw e;
    }
  }

  private void tick() throws InterruptedException {
    for (Node node : nodes) {
      node.readings().tick(next).ifPresent(node.uplink()::offer);
    }
    next += tickMillis;
  }

  private static boolean pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(20);
    return true;
  }

  private long kept() {
    return nodes.stream().map(Node::uplink).map(Uplink::counts).mapToLong(UplinkCounts::kept).sum();
  }

  private long queuedFrames() {
    return nodes.stream().map(Node::uplink).mapToLong(Uplink::unacknowledgedTicks).sum();
  }

  @Override
  public void close() {
    thread.shutdownNow();
    nodes.forEach(node -> node.uplink().close());
    nodes.forEach(node -> node.readings().close());
    try {
      vertx.close().await(5, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the event loops of the simulated nodes did not end", e);
    }
  }
}
