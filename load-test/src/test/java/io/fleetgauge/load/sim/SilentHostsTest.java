package io.fleetgauge.load.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Hosts fall silent for longer than samples are kept, and some come back, while gateways are
 * killed, frozen and cut off. Silent hosts leave the table and the registry, those that come back
 * are admitted anew, and no sample that is still kept is missing from an answer that does not say
 * so.
 */
class SilentHostsTest {
  private static final Duration RETENTION = Duration.ofSeconds(60);

  /** An owner waits for as long again before it calls a host idle. */
  private static final long GONE = 2 * RETENTION.toMillis() + 10_000;

  private static final long TROUBLE = 600_000;
  private static final int SEEDS = Integer.getInteger("fleetgauge.simulation.silent", 100);

  @Test
  void silentHostsAreForgottenAndNothingThatIsKeptIsLost() {
    long left = LongStream.range(0, SEEDS).map(SilentHostsTest::play).sum();
    assertThat(left).as("hosts that left a table").isGreaterThan(SEEDS);
  }

  /** Each comes back at about the time at which it leaves, and sends very little. */
  @Test
  void whatAHostSendsWhileItLeavesIsReadSoonAfter() {
    long left = LongStream.range(0, SEEDS).map(SilentHostsTest::playReturns).sum();
    assertThat(left).as("hosts that left a table").isGreaterThan(SEEDS);
  }

  private static long play(long seed) {
    return play(seed, Story::play);
  }

  private static long playReturns(long seed) {
    return play(seed, Story::playReturns);
  }

  /** Number of hosts that left a table in a story. */
  private static long play(long seed, Consumer<Story> play) {
    try {
      Story story = new Story(seed);
      play.accept(story);
      return story.left;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private static final class Story {
    private final Simulation simulation;
    private final SimulatedCluster cluster;
    private final Ledger ledger;
    private final SimulatedReader reader;
    private final List<SimulatedGateway> gateways = new ArrayList<>();
    private final Map<String, SimulatedProbe> probes = new TreeMap<>();
    private Set<String> known = Set.of();
    long left;

    Story(long seed) {
      simulation = new Simulation(seed);
      int replication = 1 + simulation.random.nextInt(2);
      ledger = new Ledger(simulation, replication);
      cluster = new SimulatedCluster(simulation, ledger);
      Map<URI, SimulatedGateway> byAddress = new HashMap<>();
      reader = new SimulatedReader(simulation, cluster, byAddress, ledger);
      int count = 2 + simulation.random.nextInt(3);
      for (int i = 0; i < count; i++) {
        gateways.add(
            new SimulatedGateway(
                simulation, cluster, byAddress, ledger, "g" + i, replication, RETENTION));
      }
      for (int i = 0; i < 2 + simulation.random.nextInt(5); i++) {
        String host = "h" + i;
        probes.put(host, new SimulatedProbe(simulation, ledger, byAddress, gateways, host));
      }
    }

    void play() {
      gateways.forEach(SimulatedGateway::start);
      reader.start();
      simulation.after(3_000, () -> probes.values().forEach(this::send));
      simulation.every(
          1_000,
          () -> {
            // By the clock of a gateway that is ahead a sample expires before.
            long clock = Simulation.EPOCH + simulation.now() + SimulatedGateway.MOST_DRIFT;
            ledger.expire(clock - RETENTION.toMillis());
            reader.readAll();
            countThoseThatLeft();
            return true;
          });
      for (long at = 20_000; at < TROUBLE; at += 5_000 + simulation.random.nextInt(90_000)) {
        simulation.after(at, this::somethingHappens);
      }
      simulation.runUntil(TROUBLE);
      simulation.heal();
      gateways.forEach(Story::start);
      List<String> silent = new ArrayList<>();
      probes.forEach(
          (host, probe) -> {
            probe.end();
            if (simulation.random.nextBoolean()) {
              silent.add(host);
            } else {
              // One that sends just now has ended only when its period is over.
              simulation.after(5_000, probe::begin);
            }
          });
      // Gateways that were frozen, and probes that have waited, have their say first.
      simulation.runUntil(TROUBLE + 60_000 + GONE);
      allIsWhereItBelongs(silent);
    }

    void playReturns() {
      gateways.forEach(SimulatedGateway::start);
      reader.start();
      simulation.network(0.01, 0.01, 40);
      probes
          .values()
          .forEach(
              probe ->
                  simulation.after(3_000 + simulation.random.nextInt(9_000), () -> blip(probe)));
      simulation.every(
          1_000,
          () -> {
            countThoseThatLeft();
            whatWasAcknowledgedIsRead();
            return true;
          });
      simulation.runUntil(TROUBLE);
    }

    /** Sends a tick or a few, and again when its owner is about to call it idle, or has. */
    private void blip(SimulatedProbe probe) {
      probe.begin();
      simulation.after(simulation.random.nextInt(2_000), probe::end);
      long idleAfter = 2 * RETENTION.toMillis();
      simulation.after(idleAfter + simulation.random.nextInt(4_000), () -> blip(probe));
    }

    private void whatWasAcknowledgedIsRead() {
      long now = Simulation.EPOCH + simulation.now();
      ledger.acknowledged.forEach(
          (host, times) -> {
            Set<Long> wanted = times.subSet(now - RETENTION.toMillis() + 5_000, now - 20_000);
            if (!wanted.isEmpty()) {
              assertThat(read(host)).as("%s at %d", host, simulation.now()).containsAll(wanted);
            }
          });
    }

    private Set<Long> read(String host) {
      return gateways.stream()
          .filter(each -> reader.view().table().owner(host).filter(each.id()::equals).isPresent())
          .flatMap(each -> each.query(host, reader.view().table().epoch()).stream())
          .findFirst()
          .orElse(Set.of());
    }

    private void send(SimulatedProbe probe) {
      probe.begin();
      simulation.after(5_000 + simulation.random.nextInt(60_000), () -> fallSilent(probe));
    }

    private void fallSilent(SimulatedProbe probe) {
      if (simulation.now() < TROUBLE) {
        probe.end();
        long pause =
            simulation.random.nextBoolean()
                ? GONE - 15_000 + simulation.random.nextInt(20_000)
                : 5_000 + simulation.random.nextInt(200_000);
        simulation.after(
            pause,
            () -> {
              if (simulation.now() < TROUBLE) {
                send(probe);
              }
            });
      }
    }

    private void somethingHappens() {
      SimulatedGateway victim = gateways.get(simulation.random.nextInt(gateways.size()));
      if (!victim.isAlive() || !gateways.stream().allMatch(SimulatedGateway::isAwake)) {
        return;
      }
      switch (simulation.random.nextInt(5)) {
        case 0 -> {
          victim.crash(false);
          simulation.after(500 + simulation.random.nextInt(150_000), () -> start(victim));
        }
        case 1 -> victim.freeze(500 + simulation.random.nextInt(15_000));
        case 2 ->
            victim.drain(
                () ->
                    simulation.after(500 + simulation.random.nextInt(20_000), () -> start(victim)));
        case 3 -> {
          gateways.stream()
              .filter(each -> each != victim)
              .forEach(each -> simulation.cut(victim.id(), each.id()));
          simulation.after(1_000 + simulation.random.nextInt(150_000), simulation::heal);
        }
        default -> victim.slowDisk(50 + simulation.random.nextInt(1_500), 8_000);
      }
    }

    private static void start(SimulatedGateway gateway) {
      if (!gateway.isAlive()) {
        gateway.start();
      }
    }

    private void countThoseThatLeft() {
      Set<String> now = reader.view().table().hosts();
      left += known.stream().filter(host -> !now.contains(host)).count();
      known = now;
    }

    private void allIsWhereItBelongs(List<String> silent) {
      Set<String> sending = new TreeSet<>(probes.keySet());
      silent.forEach(sending::remove);
      for (SimulatedGateway each : gateways) {
        assertThat(each.view().table()).isEqualTo(gateways.getFirst().view().table());
        assertThat(each.view().table().hosts())
            .as("the table of %s: %s", each.id(), each.view().table())
            .isEqualTo(sending);
        // One that the registry has lost stays in the table.
        assertThat(sending).as("the registry of " + each.id()).containsAll(each.registered());
      }
      sending.forEach(
          host -> assertThat(probes.get(host).counts().queued()).as(host).isLessThan(10));
    }
  }
}
