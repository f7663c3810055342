package io.fleetgauge.load.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.OwnershipTable;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Gateways lose their stores and are started again in any order, while a query API and probes run
 * on. Samples may be lost with all stores that had them; nobody may be left behind.
 */
class WipedStoresTest {
  private static final long WIPED_AT = 60_000;
  private static final long LONGEST_START = 8_000;

  /** After the last gateway runs again, all have found each other. */
  private static final long FOUND = 15_000;

  @Test
  void whenAllLoseTheirStoresTheQueryApiAndProbesFollowTheNewTable() {
    LongStream.range(0, 100)
        .forEach(
            seed -> {
              Story story = new Story(seed);
              long before = story.reader.view().table().generation();
              story.restart(story.gateways, story.gateways);
              assertThat(story.reader.view().table().generation())
                  .as("seed %d", seed)
                  .isNotEqualTo(before);
            });
  }

  @Test
  void whenAllRestartAndAnyOfThemLoseTheirStoresAllFollowOneTable() {
    LongStream.range(0, 300)
        .forEach(
            seed -> {
              Story story = new Story(seed);
              story.restart(story.gateways, story.some());
            });
  }

  @Test
  void whenSomeRestartAndLoseTheirStoresAllFollowOneTable() {
    LongStream.range(0, 300)
        .forEach(
            seed -> {
              Story story = new Story(seed);
              List<SimulatedGateway> some = story.some();
              story.restart(some, some);
            });
  }

  /** One after the other, so that each comes back to a cluster that runs. */
  @Test
  void whenOneAfterTheOtherLosesItsStoreTheTableGoesOn() {
    LongStream.range(0, 50)
        .forEach(
            seed -> {
              Story story = new Story(seed);
              if (story.gateways.size() == 1) {
                return; // nobody else knows the table
              }
              long before = story.reader.view().table().generation();
              for (SimulatedGateway each : story.gateways) {
                story.restart(List.of(each), List.of(each));
              }
              assertThat(story.reader.view().table().generation())
                  .as("seed %d", seed)
                  .isEqualTo(before);
            });
  }

  /**
   * Law 5, while gateways lose their stores one after the other: the next one when all copies are
   * whole again. Mostly they are back before the others have noticed that they were away.
   */
  @Test
  void noAnswerSilentlyLacksWhatAnEmptyGatewayHad() {
    LongStream.range(0, 300).forEach(WipedStoresTest::emptiesOneAfterTheOther);
  }

  private static void emptiesOneAfterTheOther(long seed) {
    try {
      Story story = new Story(seed);
      if (story.gateways.size() == 1) {
        return; // nobody else has anything
      }
      story.readEach(100);
      for (int i = 0; i < 4; i++) {
        story.untilAllCopiesAreWhole();
        SimulatedGateway one =
            story.gateways.get(story.simulation.random.nextInt(story.gateways.size()));
        one.crash(false);
        one.loseStore();
        story.simulation.after(50 + story.simulation.random.nextInt(4_000), one::start);
        story.simulation.runUntil(story.simulation.now() + LONGEST_START);
      }
      story.untilAllCopiesAreWhole();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private static final class Story {
    private final long seed;
    private final Simulation simulation;
    private final SimulatedReader reader;
    private final List<SimulatedGateway> gateways = new ArrayList<>();
    private final Map<String, SimulatedProbe> probes = new TreeMap<>();

    /** A cluster that has run for a while, so that its epoch is not the first. */
    Story(long seed) {
      this.seed = seed;
      simulation = new Simulation(seed);
      Ledger ledger = new Ledger(simulation, 2);
      SimulatedCluster cluster = new SimulatedCluster(simulation, ledger);
      Map<URI, SimulatedGateway> byAddress = new HashMap<>();
      reader = new SimulatedReader(simulation, cluster, byAddress, ledger);
      int count = 1 + simulation.random.nextInt(5);
      for (int i = 0; i < count; i++) {
        gateways.add(new SimulatedGateway(simulation, cluster, byAddress, ledger, "g" + i, 2));
      }
      for (int i = 0; i < 1 + simulation.random.nextInt(6); i++) {
        String host = "h" + i;
        probes.put(host, new SimulatedProbe(simulation, ledger, byAddress, gateways, host));
      }
      gateways.getFirst().start();
      reader.start();
      for (SimulatedGateway each : gateways.subList(1, count)) {
        simulation.after(1_000 + simulation.random.nextInt(20_000), each::start);
      }
      probes.values().forEach(SimulatedProbe::begin);
      simulation.runUntil(WIPED_AT);
      allHaveFoundEachOther();
    }

    /** Law 5 is checked of every answer from now on. */
    void readEach(long millis) {
      simulation.every(
          millis,
          () -> {
            reader.readAll();
            return true;
          });
    }

    void untilAllCopiesAreWhole() {
      long latest = simulation.now() + 60_000;
      while (!allCopiesAreWhole()) {
        assertThat(simulation.now())
            .as("copies of %s", gateways.getFirst().view().table())
            .isLessThan(latest);
        simulation.runUntil(simulation.now() + 500);
      }
    }

    private boolean allCopiesAreWhole() {
      return gateways.getFirst().view().table().holders().values().stream()
          .allMatch(
              each ->
                  each.whole()
                      && each.next().isEmpty()
                      && each.copies().size() == 1
                      && each.copies().getFirst().synced());
    }

    List<SimulatedGateway> some() {
      List<SimulatedGateway> some = new ArrayList<>();
      gateways.forEach(
          each -> {
            if (simulation.random.nextBoolean()) {
              some.add(each);
            }
          });
      return some;
    }

    /** Kills some gateways, starts them at different times, and waits until all have settled. */
    void restart(List<SimulatedGateway> killed, List<SimulatedGateway> wiped) {
      killed.forEach(each -> each.crash(false));
      wiped.forEach(SimulatedGateway::loseStore);
      for (SimulatedGateway each : killed) {
        simulation.after(1_000 + simulation.random.nextLong(LONGEST_START - 1_000), each::start);
      }
      simulation.runUntil(simulation.now() + LONGEST_START + FOUND);
      allHaveFoundEachOther();
    }

    private void allHaveFoundEachOther() {
      OwnershipTable table = gateways.getFirst().view().table();
      for (SimulatedGateway each : gateways) {
        assertThat(each.view().table())
            .as("seed %d: the table of %s", seed, each.id())
            .isEqualTo(table);
      }
      assertThat(reader.view().table()).as("seed %d: the reader's", seed).isEqualTo(table);
      assertThat(reader.view().gateways()).hasSize(gateways.size());
      assertThat(table.hosts()).as("seed %d", seed).containsAll(probes.keySet());
      probes.forEach(
          (host, probe) ->
              assertThat(probe.counts().queued())
                  .as("seed %d: what waits of %s, by %s", seed, host, table)
                  .isLessThan(10));
    }
  }
}
