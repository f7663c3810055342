package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everyHostHasAnOwnerAndEveryGatewayIsWithinItsBounds(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int fleet = 0; fleet < 1_000; fleet++) {
      List<String> gateways = names(random, "gateway", 1 + random.nextInt(20));
      List<String> hosts = names(random, "host", random.nextInt(300));
      OwnershipTable table = Assignment.next(gateways, hosts, OwnershipTable.EMPTY);
      assertWithinBounds(table, gateways, hosts);
      for (int change = 0; change < 5; change++) {
        change(random, gateways, "gateway", 3, 1);
        change(random, hosts, "host", 40, 0);
        OwnershipTable next = Assignment.next(gateways, hosts, table);
        assertWithinBounds(next, gateways, hosts);
        assertThat(next.epoch() - table.epoch()).isBetween(0L, 1L);
        assertFewestMoves(table, next, gateways);
        table = next;
      }
    }
  }

  @Test
  void nobodyIsAboveFifteenOrBelowTenWheneverTheFleetAllowsIt() {
    for (int gateways = 1; gateways <= 12; gateways++) {
      for (int hosts = 10 * gateways; hosts <= 15 * gateways; hosts++) {
        OwnershipTable table =
            Assignment.next(numbered("g", gateways), numbered("h", hosts), OwnershipTable.EMPTY);
        assertThat(table.load()).hasSize(gateways);
        assertThat(table.load().values()).allMatch(load -> load >= 10 && load <= 15);
      }
    }
  }

  @Test
  void hostsThatArriveOneByOneNeverMoveAnother() {
    List<String> gateways = numbered("g", 3);
    List<String> hosts = new ArrayList<>();
    OwnershipTable table = OwnershipTable.EMPTY;
    for (int i = 0; i < 100; i++) {
      hosts.add("node-" + i);
      OwnershipTable next = Assignment.next(gateways, hosts, table);
      assertThat(next.owners()).containsAllEntriesOf(table.owners());
      table = next;
    }
  }

  @Test
  void aGatewayThatLeavesMovesOnlyItsOwnHosts() {
    List<String> hosts = numbered("h", 60);
    OwnershipTable before = Assignment.next(numbered("g", 5), hosts, OwnershipTable.EMPTY);
    OwnershipTable after = Assignment.next(List.of("g0", "g1", "g2", "g4"), hosts, before);
    before
        .owners()
        .forEach(
            (host, gateway) -> {
              if (!gateway.equals("g3")) {
                assertThat(after.owners()).containsEntry(host, gateway);
              }
            });
  }

  @Test
  void aGatewayThatJoinsTakesAsManyAsTheFloorAsksFor() {
    List<String> hosts = numbered("h", 60);
    OwnershipTable before = Assignment.next(numbered("g", 4), hosts, OwnershipTable.EMPTY);
    OwnershipTable after = Assignment.next(numbered("g", 5), hosts, before);
    assertThat(after.load()).containsEntry("g4", 10L);
    assertThat(moved(before, after)).isEqualTo(10);
  }

  @Test
  void whatNeedsNoChangeKeepsItsEpoch() {
    List<String> hosts = numbered("h", 20);
    OwnershipTable table = Assignment.next(numbered("g", 2), hosts, OwnershipTable.EMPTY);
    assertThat(Assignment.next(numbered("g", 2), hosts, table)).isSameAs(table);
    assertThat(Assignment.next(List.of(), hosts, table)).isSameAs(table);
  }

  @Test
  void theOrderOfTheInputDoesNotMatter() {
    List<String> hosts = numbered("h", 33);
    OwnershipTable table = Assignment.next(numbered("g", 3), hosts, OwnershipTable.EMPTY);
    OwnershipTable reversed =
        Assignment.next(numbered("g", 3).reversed(), hosts.reversed(), OwnershipTable.EMPTY);
    assertThat(reversed).isEqualTo(table);
  }

  @Test
  void aTableSurvivesItsBytes() throws Exception {
    OwnershipTable table =
        Assignment.next(numbered("g", 3), numbered("h", 33), OwnershipTable.EMPTY);
    assertThat(OwnershipTable.fromBytes(table.toBytes())).isEqualTo(table);
  }

  private static void assertWithinBounds(
      OwnershipTable table, List<String> gateways, List<String> hosts) {
    assertThat(table.owners().keySet()).isEqualTo(new HashSet<>(hosts));
    Map<String, Long> load = table.load();
    assertThat(new HashSet<>(gateways)).containsAll(load.keySet());
    int cap = Math.max(15, Math.ceilDiv(hosts.size(), gateways.size()));
    int floor = Math.min(10, hosts.size() / gateways.size());
    for (String gateway : gateways) {
      assertThat(load.getOrDefault(gateway, 0L)).isBetween((long) floor, (long) cap);
    }
  }

  /**
   * A lower bound that no assignment can beat: hosts whose gateway left move; what is above the cap
   * moves; and what the floor still lacks moves, as far as neither homeless nor new hosts fill it.
   */
  private static void assertFewestMoves(
      OwnershipTable before, OwnershipTable after, List<String> gateways) {
    int hosts = after.owners().size();
    int cap = Math.max(15, Math.ceilDiv(hosts, gateways.size()));
    int floor = Math.min(10, hosts / gateways.size());
    Map<String, Long> staying = new TreeMap<>();
    gateways.forEach(gateway -> staying.put(gateway, 0L));
    long free = 0;
    long orphans = 0;
    for (String host : after.owners().keySet()) {
      String owner = before.owners().get(host);
      if (owner != null && staying.containsKey(owner)) {
        staying.merge(owner, 1L, Long::sum);
      } else {
        free++;
        orphans += owner == null ? 0 : 1;
      }
    }
    long above = staying.values().stream().mapToLong(load -> Math.max(0, load - cap)).sum();
    long below = staying.values().stream().mapToLong(load -> Math.max(0, floor - load)).sum();
    long fewest = orphans + above + Math.max(0, below - above - free);
    assertThat(moved(before, after)).isEqualTo(fewest);
  }

  private static long moved(OwnershipTable before, OwnershipTable after) {
    return before.owners().entrySet().stream()
        .filter(entry -> after.owners().containsKey(entry.getKey()))
        .filter(entry -> !entry.getValue().equals(after.owners().get(entry.getKey())))
        .count();
  }

  private static void change(
      SplittableRandom random, List<String> names, String prefix, int most, int fewestLeft) {
    Set<String> there = new HashSet<>(names);
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      if (random.nextBoolean() && names.size() > fewestLeft) {
        there.remove(names.remove(random.nextInt(names.size())));
      } else {
        String name = prefix + random.nextInt(1_000_000);
        if (there.add(name)) {
          names.add(name);
        }
      }
    }
  }

  private static List<String> names(SplittableRandom random, String prefix, int count) {
    Set<String> names = new HashSet<>();
    while (names.size() < count) {
      names.add(prefix + random.nextInt(1_000_000));
    }
    return new ArrayList<>(names);
  }

  private static List<String> numbered(String prefix, int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(prefix + i);
    }
    return names;
  }
}
