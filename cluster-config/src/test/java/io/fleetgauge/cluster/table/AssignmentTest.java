package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Situation.Gateway;
import io.fleetgauge.cluster.table.Situation.Report;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {
  @ParameterizedTest
  @Tag("slow")
  @ValueSource(longs = {1, 2, 3, 4})
  void everyHostHasAnOwnerAndEveryGatewayIsWithinItsBounds(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int fleet = 0; fleet < 60; fleet++) {
      List<String> gateways = names(random, "gateway", 1 + random.nextInt(20));
      List<String> hosts = names(random, "host", random.nextInt(300));
      OwnershipTable table = settled(gateways, hosts, OwnershipTable.beginning(1));
      assertWithinBounds(table, gateways, hosts);
      for (int change = 0; change < 5; change++) {
        change(random, gateways, "gateway", 3, 1);
        change(random, hosts, "host", 40, 0);
        OwnershipTable next = settled(gateways, hosts, table);
        assertWithinBounds(next, gateways, hosts);
        assertFewestMoves(table, next, gateways);
        table = next;
      }
    }
  }

  @Test
  @Tag("slow")
  void nobodyIsAboveFifteenOrBelowTenWheneverTheFleetAllowsIt() {
    for (int gateways = 1; gateways <= 12; gateways++) {
      for (int hosts = 10 * gateways; hosts <= 15 * gateways; hosts++) {
        assertNobodyIsAboveFifteenOrBelowTen(gateways, hosts);
      }
    }
  }

  @Test
  void nobodyIsAboveFifteenOrBelowTenInTheSmallestAndLargestFleetsThatAllowIt() {
    for (int gateways = 1; gateways <= 4; gateways++) {
      for (int hosts : new int[] {10 * gateways, 15 * gateways}) {
        assertNobodyIsAboveFifteenOrBelowTen(gateways, hosts);
      }
    }
  }

  private static void assertNobodyIsAboveFifteenOrBelowTen(int gateways, int hosts) {
    OwnershipTable table =
        settled(numbered("g", gateways), numbered("h", hosts), OwnershipTable.beginning(1));
    assertThat(table.load()).hasSize(gateways);
    assertThat(table.load().values()).allMatch(load -> load >= 10 && load <= 15);
  }

  @Test
  void hostsThatArriveOneByOneNeverMoveAnother() {
    List<String> gateways = numbered("g", 3);
    List<String> hosts = new ArrayList<>();
    OwnershipTable table = OwnershipTable.beginning(1);
    for (int i = 0; i < 100; i++) {
      hosts.add("node-" + i);
      OwnershipTable next = settled(gateways, hosts, table);
      assertThat(next.owners()).containsAllEntriesOf(table.owners());
      table = next;
    }
  }

  @Test
  void aGatewayThatLeavesMovesOnlyItsOwnHosts() {
    List<String> hosts = numbered("h", 60);
    OwnershipTable before = settled(numbered("g", 5), hosts, OwnershipTable.beginning(1));
    OwnershipTable after = settled(List.of("g0", "g1", "g2", "g4"), hosts, before);
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
    OwnershipTable before = settled(numbered("g", 4), hosts, OwnershipTable.beginning(1));
    OwnershipTable after = settled(numbered("g", 5), hosts, before);
    assertThat(after.load()).containsEntry("g4", 10L);
    assertThat(moved(before, after)).isEqualTo(10);
  }

  @Test
  void whatNeedsNoChangeKeepsItsEpoch() {
    List<String> hosts = numbered("h", 20);
    OwnershipTable table = settled(numbered("g", 2), hosts, OwnershipTable.beginning(1));
    assertThat(settled(numbered("g", 2), hosts, table)).isSameAs(table);
    assertThat(settled(List.of(), hosts, table)).isSameAs(table);
  }

  @Test
  void ofTwoSidesThatDoNotSeeEachOtherAtMostOneIsTheMajority() {
    for (int size = 1; size <= 6; size++) {
      OwnershipTable table = new OwnershipTable(1, 7, numbered("g", size), new TreeMap<>());
      for (int side = 0; side < 1 << size; side++) {
        Set<String> here = new HashSet<>();
        Set<String> there = new HashSet<>();
        for (int i = 0; i < size; i++) {
          ((side >> i & 1) == 1 ? here : there).add("g" + i);
        }
        assertThat(table.isMajority(here) ^ table.isMajority(there)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(ints = {2, 3})
  void everyHostHasItsCopiesWithinTheirBoundWhateverComesAndGoes(int replication) {
    playCopies(replication, 6, 60);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyHostHasItsCopiesWithinTheirBoundInSomeOfThoseFleets(int replication) {
    playCopies(replication, 1, 5);
  }

  private static void playCopies(int replication, long firstSeed, long lastSeed) {
    for (long seed = firstSeed; seed <= lastSeed; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<String> gateways = names(random, "gateway", 1 + random.nextInt(7));
      List<String> hosts = names(random, "host", random.nextInt(90));
      OwnershipTable table = settled(gateways, hosts, OwnershipTable.beginning(1), replication);
      for (int change = 0; change < 8; change++) {
        change(random, gateways, "gateway", 2, 1);
        change(random, hosts, "host", 10, 0);
        // Some reports are late: moves and copies are under way when the next change comes.
        for (int i = random.nextInt(4); i > 0; i--) {
          table = step(gateways, hosts, table, replication, random);
        }
        if (random.nextBoolean()) {
          table = settled(gateways, hosts, table, replication);
          assertWithinBounds(table, gateways, hosts);
          assertCopies(table, gateways, hosts, replication);
        }
      }
    }
  }

  @Test
  void aHostWhoseOwnerIsGoneGoesToItsSyncedCopyAtOnce() {
    List<String> hosts = numbered("h", 60);
    OwnershipTable before = settled(numbered("g", 3), hosts, OwnershipTable.beginning(1), 2);
    OwnershipTable after =
        Assignment.next(situation(List.of("g0", "g2"), hosts, Map.of(), 2), before);
    assertThat(after.epoch()).isEqualTo(before.nextEpoch("w")).isGreaterThan(before.epoch());
    before
        .holders()
        .forEach(
            (host, each) -> {
              Holders now = after.holders(host).orElseThrow();
              assertThat(now.whole()).isTrue();
              assertThat(now.owner())
                  .isEqualTo(
                      each.owner().equals("g1")
                          ? each.copies().getFirst().gateway()
                          : each.owner());
              assertThat(now.copies()).hasSize(1);
            });
  }

  @Test
  void anOwnerWithoutAllThatWasAcknowledgedIsSaidNotToBeWhole() {
    OwnershipTable behind =
        new OwnershipTable(
            1,
            5,
            List.of("a", "b"),
            new TreeMap<>(
                Map.of(
                    "h1",
                    new Holders(
                        "b",
                        5,
                        Set.of(),
                        List.of(new Holders.Copy("a", 5, false)),
                        Optional.empty()),
                    "h2",
                    new Holders("b", 5, Set.of("c"), List.of(), Optional.empty()))));
    OwnershipTable after =
        Assignment.next(situation(List.of("a"), List.of("h1", "h2"), Map.of(), 2), behind);
    assertThat(after.holders("h1").orElseThrow().whole()).isFalse();
    assertThat(after.holders("h1").orElseThrow().behind()).containsExactly("b");
    assertThat(after.holders("h2").orElseThrow().behind()).containsExactlyInAnyOrder("b", "c");
    assertThat(after.load()).containsEntry("a", 2L);
  }

  @Test
  void aGatewayThatLeavesIsRidOfAllHostsWithoutAnyBeingWithoutASyncedHolder() {
    List<String> hosts = numbered("h", 60);
    OwnershipTable table = settled(numbered("g", 4), hosts, OwnershipTable.beginning(1), 2);
    List<Gateway> gateways = new ArrayList<>();
    numbered("g", 4)
        .forEach(id -> gateways.add(new Gateway(id, "", !id.equals("g2"), Optional.empty())));
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 500 && table.involves("g2"); i++) {
      OwnershipTable before = table;
      table =
          Assignment.next(new Situation("w", gateways, hosts, reports(before, random), 2), before);
      table
          .holders()
          .forEach(
              (host, each) -> {
                Holders then = before.holders(host).orElseThrow();
                assertThat(each.whole()).isTrue();
                assertThat(then.owner().equals(each.owner()) || then.has(each.owner())).isTrue();
              });
    }
    assertThat(table.involves("g2")).isFalse();
    table = settled(List.of("g0", "g1", "g3"), hosts, table, 2);
    assertCopies(table, List.of("g0", "g1", "g3"), hosts, 2);
  }

  @Test
  void aCopyIsInAnotherZoneWhereThereIsOne() {
    List<String> hosts = numbered("h", 45);
    List<Gateway> gateways = new ArrayList<>();
    numbered("g", 6)
        .forEach(
            id -> gateways.add(new Gateway(id, "zone" + id.charAt(1) / 2, true, Optional.empty())));
    OwnershipTable table = OwnershipTable.beginning(1);
    for (int i = 0; i < 50; i++) {
      table = Assignment.next(new Situation("w", gateways, hosts, reports(table, null), 2), table);
    }
    table
        .holders()
        .forEach(
            (host, each) ->
                assertThat(each.copies().getFirst().gateway().charAt(1) / 2)
                    .isNotEqualTo(each.owner().charAt(1) / 2));
  }

  @Test
  void theOrderOfTheInputDoesNotMatter() {
    List<String> hosts = numbered("h", 33);
    OwnershipTable table = settled(numbered("g", 3), hosts, OwnershipTable.beginning(1));
    OwnershipTable reversed =
        settled(numbered("g", 3).reversed(), hosts.reversed(), OwnershipTable.beginning(1));
    assertThat(reversed).isEqualTo(table);
  }

  @Test
  void aTableSurvivesItsBytes() throws Exception {
    OwnershipTable table =
        settled(numbered("g", 3), numbered("h", 33), OwnershipTable.beginning(1));
    assertThat(TableForm.fromBytes(TableForm.toBytes(table))).isEqualTo(table);
  }

  private static Situation situation(
      List<String> gateways, List<String> hosts, Map<String, Report> reports, int replication) {
    List<Gateway> all =
        gateways.stream().map(id -> new Gateway(id, "", true, Optional.empty())).toList();
    return new Situation("w", all, hosts, reports, replication);
  }

  /** What owners would say if every copy were synced, or, by chance, some of them. */
  private static Map<String, Report> reports(OwnershipTable table, SplittableRandom random) {
    Map<String, Report> reports = new TreeMap<>();
    table
        .holders()
        .forEach(
            (host, each) -> {
              Set<String> synced = new HashSet<>();
              each.copies().stream()
                  .filter(copy -> copy.synced() || random == null || random.nextBoolean())
                  .forEach(copy -> synced.add(copy.key()));
              reports.put(host, new Report(each.owner(), each.since(), each.behind(), synced));
            });
    return reports;
  }

  private static OwnershipTable step(
      List<String> gateways,
      List<String> hosts,
      OwnershipTable before,
      int replication,
      SplittableRandom random) {
    OwnershipTable next =
        Assignment.next(situation(gateways, hosts, reports(before, random), replication), before);
    assertThat(next == before || next.epoch() == before.nextEpoch("w")).isTrue();
    assertThat(next.moves().values()).allMatch(count -> count <= Assignment.MOST_IN_FLIGHT);
    next.holders()
        .forEach(
            (host, each) -> {
              assertThat(each.copyOn(each.owner())).isEmpty();
              assertThat(each.copies()).doesNotHaveDuplicates();
              each.next().ifPresent(to -> assertThat(each.copyOn(to)).isPresent());
            });
    return next;
  }

  private static OwnershipTable settled(
      List<String> gateways, List<String> hosts, OwnershipTable before) {
    return settled(gateways, hosts, before, 1);
  }

  /** The table that is left when all moves are done. */
  private static OwnershipTable settled(
      List<String> gateways, List<String> hosts, OwnershipTable before, int replication) {
    OwnershipTable table = before;
    for (int i = 0; i < 1_000; i++) {
      OwnershipTable next = step(gateways, hosts, table, replication, null);
      if (next == table) {
        return table;
      }
      table = next;
    }
    throw new AssertionError("it does not settle: " + table);
  }

  private static void assertCopies(
      OwnershipTable table, List<String> gateways, List<String> hosts, int replication) {
    int wanted = Math.min(replication, gateways.size()) - 1;
    table
        .holders()
        .forEach(
            (host, each) -> {
              assertThat(each.copies()).hasSize(wanted).allMatch(Holders.Copy::synced);
              assertThat(each.next()).isEmpty();
            });
    int cap = Math.ceilDiv(hosts.size() * wanted, gateways.size());
    for (String gateway : gateways) {
      // With owners in the way not every gateway can have its share to the last one.
      assertThat(table.copiesOn(gateway)).isLessThanOrEqualTo(cap + 4);
    }
  }

  private static void assertWithinBounds(
      OwnershipTable table, List<String> gateways, List<String> hosts) {
    assertThat(table.hosts()).isEqualTo(new HashSet<>(hosts));
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
    for (String host : after.hosts()) {
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

  @Test
  void aReportOfAnEarlierOwnershipIsNotBelieved() {
    OwnershipTable table = copied(new Holders.Copy("g2", 3, false));
    Report old = new Report("g1", 6, Set.of(), Set.of("g2@3"));
    assertThat(reported(table, old)).isEqualTo(table);
    Report now = new Report("g1", 7, Set.of(), Set.of("g2@3"));
    assertThat(reported(table, now).holders("h").orElseThrow().copyOn("g2").orElseThrow().synced())
        .isTrue();
  }

  @Test
  void whatTheOwnerBeforeReportedOfCopiesIsForgottenWhenItIsGone() {
    OwnershipTable table = copied(new Holders.Copy("g2", 3, true), new Holders.Copy("g3", 3, true));
    OwnershipTable next = withoutTheOwner(table, "g2", "g3");
    Holders holders = next.holders("h").orElseThrow();
    assertThat(holders.behind()).as("the heir had all").isEmpty();
    assertThat(holders.copies()).isNotEmpty().noneMatch(Holders.Copy::synced);
  }

  @Test
  void anHeirThatIsNotSyncedIsBehindTheOwnerThatIsGone() {
    OwnershipTable next = withoutTheOwner(copied(new Holders.Copy("g2", 3, false)), "g2");
    assertThat(next.holders("h").orElseThrow().behind()).containsExactly("g1");
  }

  @Test
  void whatTheOwnerBeforeReportedOfCopiesIsForgottenAfterAMove() {
    OwnershipTable table =
        new OwnershipTable(
            1,
            7L << 16,
            List.of("g1", "g2", "g3"),
            new TreeMap<>(
                Map.of(
                    "h",
                    new Holders(
                        "g1",
                        7,
                        Set.of(),
                        List.of(new Holders.Copy("g2", 3, true), new Holders.Copy("g3", 3, true)),
                        Optional.of("g2")))));
    Holders moved = assigned(table, Map.of(), "g1", "g2", "g3").holders("h").orElseThrow();
    assertThat(moved.owner()).isEqualTo("g2");
    assertThat(moved.copies()).isNotEmpty().noneMatch(Holders.Copy::synced);
  }

  @Test
  void ofTheCopiesOfAnOwnerThatIsGoneTheSyncedOneIsTheHeir() {
    OwnershipTable table =
        copied(new Holders.Copy("g2", 3, false), new Holders.Copy("g3", 3, true));
    Holders holders = withoutTheOwner(table, "g2", "g3").holders("h").orElseThrow();
    assertThat(holders.owner()).isEqualTo("g3");
    assertThat(holders.whole()).isTrue();
  }

  @Test
  void aMoveEndsOnlyWhenTheCopyThatIsToBeTheOwnerIsSynced() {
    OwnershipTable begun = moving(new Holders.Copy("g2", 3, false));
    assertThat(assigned(begun, Map.of(), "g1", "g2")).isEqualTo(begun);
    Report synced = new Report("g1", 7, Set.of(), Set.of("g2@3"));
    Holders ended = reported(begun, synced).holders("h").orElseThrow();
    assertThat(ended.owner()).isEqualTo("g2");
    assertThat(ended.next()).isEmpty();
    assertThat(ended.whole()).isTrue();
  }

  @Test
  void aHostOfAGatewayThatLeavesGoesToASyncedCopyAtOnceAndToAnotherOneOnlyWhenItIsSynced() {
    for (boolean synced : new boolean[] {false, true}) {
      OwnershipTable table = copied(new Holders.Copy("g2", 3, synced));
      List<Gateway> gateways =
          List.of(
              new Gateway("g1", "", false, Optional.empty()),
              new Gateway("g2", "", true, Optional.empty()));
      Holders holders =
          Assignment.next(new Situation("g2", gateways, Set.of("h"), Map.of(), 2), table)
              .holders("h")
              .orElseThrow();
      assertThat(holders.owner()).isEqualTo(synced ? "g2" : "g1");
      assertThat(holders.next()).isEqualTo(synced ? Optional.empty() : Optional.of("g2"));
    }
  }

  @Test
  void aReportOfAGatewayThatIsNotTheOwnerIsNotBelieved() {
    OwnershipTable table = copied(new Holders.Copy("g2", 3, false));
    Report other = new Report("g2", 7, Set.of("g9"), Set.of("g2@3"));
    assertThat(reported(table, other)).isEqualTo(table);
  }

  @Test
  void aReportOfAnEarlierTimeOfBeingACopyIsNotBelieved() {
    OwnershipTable table = copied(new Holders.Copy("g2", 5, true));
    Report earlier = new Report("g1", 7, Set.of(), Set.of("g2@3"));
    Holders holders = reported(table, earlier).holders("h").orElseThrow();
    assertThat(holders.copyOn("g2").orElseThrow().synced()).isFalse();
  }

  @Test
  void whatTheOwnerReportsItLacksReplacesWhatWasKnown() {
    OwnershipTable table = copied(new Holders.Copy("g2", 3, true));
    Report lacking = new Report("g1", 7, Set.of("g8", "g9"), Set.of("g2@3"));
    OwnershipTable behind = reported(table, lacking);
    assertThat(behind.holders("h").orElseThrow().behind()).containsExactlyInAnyOrder("g8", "g9");
    Report whole = new Report("g1", 7, Set.of(), Set.of("g2@3"));
    assertThat(reported(behind, whole).holders("h").orElseThrow().whole()).isTrue();
  }

  @Test
  void anHeirIsBehindWhenTheOwnerLackedSomething() {
    Report lacking = new Report("g1", 7, Set.of("g1"), Set.of("g2@3"));
    OwnershipTable table = reported(copied(new Holders.Copy("g2", 3, true)), lacking);
    assertThat(withoutTheOwner(table, "g2").holders("h").orElseThrow().behind())
        .as("the owner is gone")
        .containsExactlyInAnyOrder("g1", "g2");
    Holders moved =
        reported(moving(new Holders.Copy("g2", 3, true)), lacking).holders("h").orElseThrow();
    assertThat(moved.owner()).isEqualTo("g2");
    assertThat(moved.behind()).as("it moves").containsExactlyInAnyOrder("g1", "g2");
  }

  /** One host of g1, which is to go to g2. */
  private static OwnershipTable moving(Holders.Copy... copies) {
    Holders holders = new Holders("g1", 7, Set.of(), List.of(copies), Optional.of("g2"));
    return new OwnershipTable(
        1, 7L << 16, List.of("g1", "g2"), new TreeMap<>(Map.of("h", holders)));
  }

  /** One host of g1, which has owned it since epoch 7. */
  private static OwnershipTable copied(Holders.Copy... copies) {
    return new OwnershipTable(
        1,
        7L << 16,
        List.of("g1", "g2"),
        new TreeMap<>(
            Map.of("h", new Holders("g1", 7, Set.of(), List.of(copies), Optional.empty()))));
  }

  private static OwnershipTable reported(OwnershipTable table, Report report) {
    return assigned(table, Map.of("h", report), "g1", "g2");
  }

  private static OwnershipTable withoutTheOwner(OwnershipTable table, String... left) {
    return assigned(table, Map.of(), left);
  }

  private static OwnershipTable assigned(
      OwnershipTable table, Map<String, Report> reports, String... gateways) {
    return Assignment.next(
        new Situation(
            gateways[0],
            Stream.of(gateways)
                .map(id -> new Situation.Gateway(id, "", true, Optional.empty()))
                .toList(),
            Set.of("h"),
            reports,
            Math.min(3, gateways.length)),
        table);
  }
}
