package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A simulated node with short jobs, silences of minutes to more than an hour, driver reloads and a
 * clock that is set now and then; ledgers keep what is played there. Not for several threads.
 */
final class PlayedHost implements AutoCloseable {
  /** Silences and reloads come again after it. */
  private static final Duration CYCLE = Duration.ofMinutes(250);

  final Place place;
  private final SimulatedNode node;
  private final List<PlayedLedger> ledgers;
  private final long tickMillis;
  private long time;
  private int ticks;

  /**
   * @param start of the play, ms since the epoch
   * @param cycles for which it has silences and reloads
   * @param ledgers of this host alone
   */
  PlayedHost(
      Place place,
      FleetLayout fleet,
      long seed,
      Predicate<Labels> kept,
      long start,
      int cycles,
      List<PlayedLedger> ledgers) {
    this.place = place;
    this.ledgers = ledgers;
    this.tickMillis = fleet.tick().toMillis();
    this.time = start;
    this.node =
        new SimulatedNode(
            place,
            fleet,
            new ChurningJobs(seed),
            incidents(place.number(), start, cycles),
            kept,
            start);
  }

  private static Incidents incidents(int host, long start, int cycles) {
    List<Incident> all = new ArrayList<>();
    for (int cycle = 0; cycle < cycles; cycle++) {
      long from = start + cycle * CYCLE.toMillis();
      all.add(at(from, Fault.SILENT, host, Incident.ALL, 25, 3));
      all.add(at(from, Fault.SILENT, host, Incident.ALL, 50, 8));
      all.add(at(from, Fault.SILENT, host, Incident.ALL, 75, 38));
      all.add(at(from, Fault.SILENT, host, Incident.ALL, 125, 75));
      all.add(at(from, Fault.DRIVER_LOADED, host, Incident.ALL, 15, 1));
      all.add(at(from, Fault.DRIVER_LOADED, host, 1, 55, 1));
      all.add(at(from, Fault.DRIVER_LOADED, host, Incident.ALL, 225, 1));
    }
    return new Incidents(all);
  }

  private static Incident at(long start, Fault fault, int host, int gpu, int minute, int minutes) {
    long from = start + Duration.ofMinutes(minute).toMillis();
    return new Incident(fault, host, gpu, from, from + Duration.ofMinutes(minutes).toMillis());
  }

  String hostname() {
    return node.hostname();
  }

  /** The time of the newest tick, ms since the epoch. */
  long time() {
    return time;
  }

  /** Plays on by a tick; empty while it is silent. */
  Optional<Tick> next() throws InterruptedException {
    int number = ticks++;
    time += tickMillis + (number % 97 == 96 ? 90_000 : number % 83 == 82 ? -9_000 : 0);
    Optional<Tick> tick = node.tick(time);
    // After a step back of the clock the next reading is not due yet.
    boolean isRead =
        tick.isPresent()
            && tick.get().series().stream().anyMatch(each -> each.metric().equals("gpu_allocated"));
    if (isRead) {
      ledgers.forEach(each -> each.play(time, node.played()));
    }
    if (isRead || tick.isEmpty()) {
      ledgers.forEach(each -> each.playMemory(time, node.playedMemory(), isRead));
    }
    return tick;
  }

  @Override
  public void close() {
    node.close();
  }
}
