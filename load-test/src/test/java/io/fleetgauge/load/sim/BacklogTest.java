package io.fleetgauge.load.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.TableMachine;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Senders that were cut off send all that waits at full speed, to gateways that nothing happens to
 * but this. Overload slows senders; it changes no owner, and no replica is lost.
 */
class BacklogTest {
  private static final int FIRST = Integer.getInteger("fleetgauge.simulation.first", 1);
  private static final int SEEDS = Integer.getInteger("fleetgauge.simulation.backlogs", 5);

  /** When the cluster has settled and the backlogs come. */
  private static final long BACKLOG_AT = 20_000;

  private static final int LIVE = 5;

  /** Slow disks take all that waits within this time, ms. */
  private static final long LONGEST = 600_000;

  @Test
  void aBacklogOfOneSenderChangesNoTableAndNobodyWaitsForIt() {
    stories(seed -> new Story(seed, 1).comesBackToARunningCluster());
  }

  @Test
  void backlogsOfFiftySendersChangeNoTableAndNobodyWaitsForThem() {
    stories(seed -> new Story(seed, 50).comesBackToARunningCluster());
  }

  @Test
  void backlogsThatComeToAnEmptyClusterChangeTheTableForTheirHostsOnly() {
    stories(seed -> new Story(seed, seed % 2 == 0 ? 1 : 50).comesToAnEmptyCluster());
  }

  @Test
  void backlogsThatDisksCannotWriteInTimeSlowTheirSendersAndLoseNoReplica() {
    stories(seed -> new Story(seed, seed % 2 == 0 ? 1 : 50).comesToSlowDisks());
  }

  private static void stories(LongConsumer story) {
    LongStream.range(FIRST, FIRST + SEEDS)
        .forEach(
            seed -> {
              try {
                story.accept(seed);
              } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
              }
            });
  }

  private static final class Story {
    private final Simulation simulation;
    private final Ledger ledger;
    private final SimulatedReader reader;
    private final List<SimulatedGateway> gateways = new ArrayList<>();
    private final List<SimulatedProbe> live = new ArrayList<>();
    private final List<SimulatedProbe> cutOff = new ArrayList<>();
    private final int replication;

    /** By gateway, how many fell behind while the cluster formed: some did not know the table. */
    private List<Long> lostBefore;

    Story(long seed, int senders) {
      simulation = new Simulation(seed);
      replication = 2 + simulation.random.nextInt(2);
      ledger = new Ledger(simulation, replication);
      SimulatedCluster cluster = new SimulatedCluster(simulation, ledger);
      Map<URI, SimulatedGateway> byAddress = new HashMap<>();
      reader = new SimulatedReader(simulation, cluster, byAddress, ledger);
      int count = 2 + simulation.random.nextInt(4);
      for (int i = 0; i < count; i++) {
        gateways.add(
            new SimulatedGateway(simulation, cluster, byAddress, ledger, "g" + i, replication));
      }
      for (int i = 0; i < LIVE + senders; i++) {
        SimulatedProbe probe = new SimulatedProbe(simulation, ledger, byAddress, gateways, "h" + i);
        (i < LIVE ? live : cutOff).add(probe);
      }
      lostBefore = gateways.stream().map(each -> 0L).toList();
      simulation.network(0, 0, 2);
    }

    private void start() {
      gateways.forEach(each -> simulation.after(simulation.random.nextInt(2_000), each::start));
      reader.start();
    }

    private int ticks() {
      return 1 + simulation.random.nextInt(2_000);
    }

    void comesBackToARunningCluster() {
      start();
      live.forEach(SimulatedProbe::begin);
      cutOff.forEach(SimulatedProbe::begin);
      simulation.runUntil(BACKLOG_AT);
      lostBefore = replicasLost();
      live.forEach(SimulatedProbe::slowest);
      cutOff.forEach(each -> each.readAtOnce(ticks()));
      simulation.runUntil(BACKLOG_AT + 20_000);
      assertThat(ledger.tablesSince(BACKLOG_AT)).as("the table stands still").hasSize(1);
      nobodyWaited();
      end();
    }

    void comesToAnEmptyCluster() {
      start();
      simulation.after(simulation.random.nextInt(5_000), () -> live.forEach(SimulatedProbe::begin));
      cutOff.forEach(
          each -> {
            each.readAtOnce(ticks());
            each.begin();
          });
      simulation.runUntil(BACKLOG_AT);
      long calledSynced = 0;
      List<OwnershipTable> tables = ledger.tablesSince(0);
      for (int i = 1; i < tables.size(); i++) {
        assertNothingIsCalledBehind(tables.get(i - 1), tables.get(i));
        calledSynced += tables.get(i).onlyCallsMoreSyncedThan(tables.get(i - 1)) ? 1 : 0;
      }
      assertThat(calledSynced)
          .as("tables that only call copies synced")
          .isLessThanOrEqualTo(1 + BACKLOG_AT / TableMachine.SYNCED_MILLIS);
      live.forEach(SimulatedProbe::slowest);
      simulation.runUntil(BACKLOG_AT + 20_000);
      assertThat(ledger.tablesSince(BACKLOG_AT)).as("the table stands still").hasSize(1);
      nobodyWaited();
      end();
    }

    /** Each body takes the disk up to some seconds; all of them together up to half a minute. */
    void comesToSlowDisks() {
      start();
      live.forEach(SimulatedProbe::begin);
      cutOff.forEach(SimulatedProbe::begin);
      simulation.runUntil(BACKLOG_AT);
      lostBefore = replicasLost();
      long pace = cutOff.size() == 1 ? 20 : 200;
      gateways.forEach(each -> each.diskPace(pace + simulation.random.nextLong(pace)));
      cutOff.forEach(each -> each.readAtOnce(ticks()));
      cutOff.forEach(SimulatedProbe::end);
      long most = BACKLOG_AT + LONGEST;
      while (simulation.now() < most
          && cutOff.stream().anyMatch(each -> each.counts().queued() > 0)) {
        simulation.runUntil(simulation.now() + 1_000);
      }
      assertThat(ledger.tablesSince(BACKLOG_AT)).as("the table stands still").hasSize(1);
      end();
    }

    private void nobodyWaited() {
      assertThat(live).allMatch(each -> each.slowest() <= 1_000);
    }

    /** A copy that was synced stays so while its host has the same owner. */
    private static void assertNothingIsCalledBehind(OwnershipTable before, OwnershipTable after) {
      before
          .holders()
          .forEach(
              (host, each) -> {
                Holders now = after.holders(host).orElseThrow();
                for (Holders.Copy copy : each.copies()) {
                  if (copy.synced() && now.since() == each.since()) {
                    assertThat(now.copyOn(copy.gateway()).map(Holders.Copy::synced).orElse(true))
                        .as("%s on %s", host, copy.gateway())
                        .isTrue();
                  }
                }
              });
    }

    /** All that was read is acknowledged, and whole on all that are to hold it. */
    private void end() {
      live.forEach(SimulatedProbe::end);
      cutOff.forEach(SimulatedProbe::end);
      simulation.runUntil(simulation.now() + 40_000);
      OwnershipTable table = reader.view().table();
      int copies = Math.min(replication, gateways.size()) - 1;
      ledger.read.forEach(
          (host, times) -> {
            assertThat(ledger.acknowledged.get(host)).as(host).isEqualTo(times);
            Holders holders = table.holders(host).orElseThrow();
            assertThat(holders.copies()).as(host).hasSize(copies).allMatch(Holders.Copy::synced);
            for (SimulatedGateway each : gateways) {
              if (holders.has(each.id())) {
                assertThat(each.timesOnDisk(host)).as(host).isEqualTo(times);
              }
            }
          });
      assertThat(replicasLost()).isEqualTo(lostBefore);
    }

    private List<Long> replicasLost() {
      return gateways.stream().map(SimulatedGateway::replicasLost).toList();
    }
  }
}
