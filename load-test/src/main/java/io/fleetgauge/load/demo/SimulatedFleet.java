package io.fleetgauge.load.demo;

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

/** Simulated nodes, each with an uplink of its own as a real probe has it. */
final class SimulatedFleet implements AutoCloseable {
  private static final UplinkSettings UNACKNOWLEDGED =
      new UplinkSettings(Duration.ofDays(1), 64L << 20, Duration.ofDays(1), 0);

  /** How many unacknowledged ticks of history a node may have. */
  private static final int MAX_AHEAD = 60;

  private record Node(SimulatedNode readings, Uplink uplink) {}

  private final Vertx vertx = Vertx.vertx();
  private final List<Node> nodes = new ArrayList<>();
  private final long tickMillis;
  private final LongSupplier clock;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("simulated-fleet").factory());
  private long next;

  /**
   * @param clock ms since the epoch
   */
  SimulatedFleet(
      int hosts, int racks, List<URI> gateways, long tickMillis, LongSupplier clock, long seed) {
    this.tickMillis = tickMillis;
    this.clock = clock;
    JobSchedule jobs = new JobSchedule(seed);
    for (int i = 0; i < hosts; i++) {
      String hostname = String.format("gpu-node-%02d", i + 1);
      String rack = "rack-" + (1 + i * racks / hosts);
      nodes.add(
          new Node(
              new SimulatedNode(i, hostname, rack, jobs, seed),
              new Uplink(vertx, hostname, gateways, UNACKNOWLEDGED, Optional.empty(), seed + i)));
    }
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
  void backFill(long pastMillis, Progress progress) throws InterruptedException {
    long first = (clock.getAsLong() - pastMillis) / tickMillis * tickMillis;
    next = first;
    long total = pastMillis / tickMillis;
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
        () -> {
          while (next <= clock.getAsLong()) {
            tick();
          }
        },
        0,
        Math.min(1_000, tickMillis),
        TimeUnit.MILLISECONDS);
  }

  private void tick() {
    for (Node node : nodes) {
      node.uplink().offer(node.readings().tick(next));
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
    try {
      vertx.close().await(5, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the event loops of the simulated nodes did not end", e);
    }
  }
}
