package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.Membership.Status;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm.Shared;
import io.fleetgauge.cluster.table.TableMachine.Effect;
import io.fleetgauge.cluster.table.TableMachine.Event;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TableMachineTest {
  private static final Membership G1 = member("g1");
  private static final Membership G2 = member("g2");
  private static final Membership G3 = member("g3");
  private static final OwnershipTable TABLE =
      OwnershipTable.ofOwners(5L << 16, Map.of("a", "g1", "b", "g2", "c", "g3"));
  private static final OwnershipTable OLDER =
      OwnershipTable.ofOwners(4L << 16, Map.of("a", "g2", "b", "g2", "c", "g3"));

  /** Made by a cluster that began from nothing. */
  private static final OwnershipTable ANEW =
      new OwnershipTable(
          2, 1L << 16, List.of("g1"), OwnershipTable.ofOwners(1, Map.of("a", "g1")).holders());

  private static final Map<String, Status> ALL_ACTIVE =
      Map.of("g1", active("g1", 1), "g2", active("g2", 1), "g3", active("g3", 1));

  private final List<Effect> effects = new ArrayList<>();
  private Start start;
  private TableMachine machine = gateway("g1", OwnershipTable.EMPTY);
  private Map<String, Status> statuses = ALL_ACTIVE;
  private long now;

  @Test
  void theOldestGatewayMakesTheFirstTableWhenOneMayBeGivenHosts() {
    statuses = Map.of();
    assertThat(poll(new Shared.Nothing(), G1, G2)).doesNotContain(new Effect.Gather());
    statuses = Map.of("g2", active("g2", 0));
    assertThat(poll(new Shared.Nothing(), G1, G2)).contains(new Effect.Gather());
    List<Effect> made = on(new Event.Gathered(Map.of("a", Registered.UNKNOWN), Map.of()));
    OwnershipTable table = ((Effect.Write) made.getLast()).table();
    assertThat(table.owners()).isEqualTo(Map.of("a", "g2"));
    assertThat(made).as("kept before others see it").first().isEqualTo(new Effect.Keep(table));
  }

  @Test
  void onlyTheOldestGatewayMakesTables() {
    machine = gateway("g2", OwnershipTable.EMPTY);
    assertThat(poll(new Shared.Table(TABLE), G1, G2, G3)).doesNotContain(new Effect.Gather());
    assertThat(poll(new Shared.Table(TABLE), G2, G3)).contains(new Effect.Gather());
  }

  @Test
  void aMinorityFollowsTheTableAndMakesNone() {
    assertThat(poll(new Shared.Table(TABLE), G1)).doesNotContain(new Effect.Gather());
    assertThat(machine.view().isMinority()).isTrue();
    statuses =
        Map.of("g1", active("g1", 1), "g2", new Status("session-g2", stated(Standing.LEFT, 1)));
    assertThat(poll(new Shared.Table(TABLE), G1)).contains(new Effect.Gather());
    assertThat(machine.view().isMinority()).as("g2 has left on purpose").isFalse();
    poll(new Shared.Table(TABLE), G1, new Membership("g2", "session-again", "", G2.address()));
    poll(new Shared.Table(TABLE), G1);
    assertThat(machine.view().isMinority()).as("g2 has been back since").isTrue();
  }

  @Test
  void theOlderTableOfTheRegistryIsReplacedByTheOneThatIsKnown() {
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(poll(new Shared.Table(OLDER), G1, G2, G3)).contains(new Effect.Write(TABLE));
    assertThat(machine.view().table()).isEqualTo(TABLE);
    assertThat(machine.problem()).hasValueSatisfying(text -> assertThat(text).contains("older"));
    assertThat(poll(new Shared.Nothing(), G1, G2, G3)).contains(new Effect.Write(TABLE));
  }

  @Test
  void aTableOfANewerVersionIsReportedAndLeftAloneAndTheOldOneStaysInUse() {
    on(new Event.Activated());
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(poll(new Shared.Newer(9), G1, G2))
        .noneMatch(each -> each instanceof Effect.Write || each instanceof Effect.Gather);
    assertThat(machine.view().table()).isEqualTo(TABLE);
    assertThat(machine.view().gateways()).containsOnlyKeys("g1", "g2");
    assertThat(machine.problem())
        .hasValueSatisfying(text -> assertThat(text).contains("version 9"));
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(machine.problem()).isEmpty();
  }

  @Test
  void aDamagedTableIsReplacedByTheOneThatIsKnown() {
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(poll(new Shared.Damaged("rubbish"), G1, G2, G3)).contains(new Effect.Write(TABLE));
    assertThat(machine.problem()).hasValueSatisfying(text -> assertThat(text).contains("rubbish"));
  }

  @Test
  void atAColdStartTheFirstGatewaysWaitForTheOthersOfTheKeptTable() {
    machine = gateway("g1", TABLE);
    assertThat(machine.view().isMinority()).as("nobody was seen yet").isTrue();
    assertThat(poll(new Shared.Nothing(), G1, G2)).contains(new Effect.Write(TABLE));
    assertThat(poll(new Shared.Table(TABLE), G1, G2)).doesNotContain(new Effect.Gather());
    assertThat(poll(new Shared.Table(TABLE), G1, G2, G3)).contains(new Effect.Gather());
    now = TableMachine.COLD_START_MILLIS - 1;
    assertThat(poll(new Shared.Table(TABLE), G1, G2)).doesNotContain(new Effect.Gather());
    now = TableMachine.COLD_START_MILLIS;
    assertThat(poll(new Shared.Table(TABLE), G1, G2)).contains(new Effect.Gather());
  }

  @Test
  void aGatewayThatIsRestartedAloneDoesNotWait() {
    machine = gateway("g1", TABLE);
    assertThat(poll(new Shared.Table(TABLE), G1, G2)).contains(new Effect.Gather());
  }

  @Test
  void aGatewayStatesItselfAgainWhenTheRegistryHasAnotherStatus() {
    statuses = Map.of();
    assertThat(poll(new Shared.Nothing(), G1)).contains(states(Standing.PRESENT, 0));
    statuses = Map.of("g1", new Status("session-before", stated(Standing.ACTIVE, 0)));
    assertThat(poll(new Shared.Nothing(), G1)).contains(states(Standing.PRESENT, 0));
    on(new Event.Activated());
    assertThat(poll(new Shared.Nothing(), G1)).contains(states(Standing.ACTIVE, 0));
    statuses = Map.of("g1", new Status("session-g1", new Stated(Standing.ACTIVE, 0, start)));
    assertThat(poll(new Shared.Nothing(), G1)).noneMatch(Effect.SetStatus.class::isInstance);
    assertThat(poll(new Shared.Table(TABLE), G1)).contains(states(Standing.ACTIVE, 1));
    on(new Event.Retired());
    assertThat(poll(new Shared.Table(TABLE), G1)).contains(states(Standing.PRESENT, 1));
    assertThat(on(new Event.Leaving())).containsExactly(states(Standing.LEFT, 1));
    assertThat(poll(new Shared.Table(TABLE), G1)).noneMatch(Effect.SetStatus.class::isInstance);
  }

  // --- starts ---

  /** It has lost its store, and came back before a table was made without it. */
  @Test
  void whatAnEmptyGatewayWasGivenBeforeItsStartGoesToASyncedCopy() {
    OwnershipTable before =
        copied(new Holders.Copy("g1", 1, true), new Holders.Copy("g3", 1, true));
    statuses = wiped("g2");
    OwnershipTable made = made(before);
    assertThat(made.owner("a")).hasValue("g1");
    assertThat(made.holders("a").orElseThrow().behind()).isEmpty();
    assertThat(made.holders("a").orElseThrow().copyOn("g2").map(Holders.Copy::since))
        .as("it may become a copy anew")
        .isNotEqualTo(Optional.of(1L));
    assertThat(made.starts()).containsEntry("g2", 99L);
    statuses = Map.of("g1", statuses.get("g1"), "g2", statuses.get("g2"), "g3", statuses.get("g3"));
    poll(new Shared.Table(made), G1, G2, G3);
    assertThat(on(new Event.Gathered(Map.of(), Map.of()))).as("once").isEmpty();
  }

  @Test
  void anEmptyOwnerWithoutASyncedCopyStaysAndIsCalledBehind() {
    OwnershipTable before = copied(new Holders.Copy("g1", 1, false));
    statuses = wiped("g2");
    Holders made = made(before).holders("a").orElseThrow();
    assertThat(made.owner()).isEqualTo("g2");
    assertThat(made.behind()).containsExactly("g2");
    assertThat(made.since()).as("what it said before is void").isGreaterThan(before.epoch());
  }

  @Test
  void theCopyOnAnEmptyGatewayIsOneNoMore() {
    statuses = wiped("g3");
    Holders made =
        made(copied(new Holders.Copy("g1", 1, true), new Holders.Copy("g3", 1, true)))
            .holders("a")
            .orElseThrow();
    assertThat(made.owner()).isEqualTo("g2");
    assertThat(made.copyOn("g1").map(Holders.Copy::synced)).hasValue(true);
    assertThat(made.copyOn("g3").filter(copy -> copy.synced() || copy.since() == 1)).isEmpty();
  }

  @Test
  void aGatewayThatKnewWhatItHeldWhenItStartedKeepsIt() {
    OwnershipTable before = copied(new Holders.Copy("g1", 1, true));
    Holders kept = before.holders("a").orElseThrow();
    assertThat(made(before).holders("a")).hasValue(kept);
  }

  @Test
  void untilATableTakesAccountOfItAGatewayKnowsThatItMayLackWhatItWasGiven() {
    machine = gateway("g1", OwnershipTable.EMPTY);
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(machine.view().accountsFor("g1", TABLE.epoch())).isFalse();
    OwnershipTable made = made(TABLE);
    poll(new Shared.Table(made), G1, G2, G3);
    assertThat(made.starts()).containsEntry("g1", 77L);
    assertThat(machine.view().accountsFor("g1", TABLE.epoch())).isTrue();
    machine = gateway("g1", TABLE);
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(machine.view().accountsFor("g1", TABLE.epoch())).as("it had kept it").isTrue();
    assertThat(machine.view().accountsFor("g1", TABLE.epoch() + 1)).isFalse();
  }

  /** Host a, which g2 owns since epoch 1. */
  private static OwnershipTable copied(Holders.Copy... copies) {
    return new OwnershipTable(
        1,
        TABLE.epoch(),
        List.of("g1", "g2", "g3"),
        new TreeMap<>(
            Map.of("a", new Holders("g2", 1, Set.of(), List.of(copies), Optional.empty()))));
  }

  /** All are there, and one of them had kept nothing when it started. */
  private static Map<String, Status> wiped(String id) {
    Map<String, Status> statuses = new TreeMap<>(ALL_ACTIVE);
    statuses.put(
        id, new Status("session-" + id, new Stated(Standing.ACTIVE, 1, new Start(99, 0, 0))));
    return Map.copyOf(statuses);
  }

  /** What g1, which had kept the table, makes of it. */
  private OwnershipTable made(OwnershipTable before) {
    if (machine.view().table().epoch() == 0) {
      int replication = 1 + before.holders("a").orElseThrow().copies().size();
      machine = new TableMachine(Optional.of(new TableMachine.Self("g1", replication, 77)), before);
    }
    poll(new Shared.Table(before), G1, G2, G3);
    return on(new Event.Gathered(Map.of(), Map.of())).stream()
        .filter(Effect.Write.class::isInstance)
        .map(each -> ((Effect.Write) each).table())
        .findFirst()
        .orElseThrow();
  }

  // --- generations ---

  @Test
  void theFirstTableHasTheGenerationOfItsMaker() {
    poll(new Shared.Nothing(), G1);
    List<Effect> made = on(new Event.Gathered(Map.of("a", Registered.UNKNOWN), Map.of()));
    assertThat(((Effect.Write) made.getLast()).table().generation()).isEqualTo(77);
    machine = gateway("g1", TABLE);
    poll(new Shared.Table(TABLE), G1, G2, G3);
    made = on(new Event.Gathered(Map.of("new", Registered.UNKNOWN), Map.of()));
    assertThat(((Effect.Write) made.getLast()).table().generation()).isEqualTo(1);
  }

  @Test
  void aProcessThatOnlyReadsFollowsTheGenerationOfMoreGatewaysToALowerEpoch() {
    machine = new TableMachine(Optional.empty(), OwnershipTable.EMPTY);
    poll("q", new Shared.Table(TABLE), G1, G2, G3);
    statuses = Map.of("g1", active("g1", 1), "g2", active("g2", 1), "g3", active("g3", 2));
    poll("q", new Shared.Table(ANEW), G1, G2, G3);
    assertThat(machine.view().table()).as("one of three").isEqualTo(TABLE);
    statuses = Map.of("g1", active("g1", 2), "g2", active("g2", 2), "g3", active("g3", 1));
    poll("q", new Shared.Table(ANEW), G1, G2, G3);
    assertThat(machine.view().table()).isEqualTo(ANEW);
  }

  @Test
  void whatAGatewayStatedInAMembershipBeforeIsNoVote() {
    machine = new TableMachine(Optional.empty(), OwnershipTable.EMPTY);
    poll("q", new Shared.Table(TABLE), G1);
    statuses = Map.of("g1", new Status("session-before", stated(Standing.ACTIVE, 2)));
    poll("q", new Shared.Table(ANEW), G1);
    assertThat(machine.view().table()).isEqualTo(TABLE);
  }

  @Test
  void aGatewayFollowsAtOnceWhenMostOfItsTableHaveBegunAnew() {
    machine = gateway("g3", TABLE);
    statuses = Map.of("g1", active("g1", 2), "g2", active("g2", 2));
    List<Effect> done = poll(new Shared.Table(ANEW), G1, G2, G3);
    assertThat(machine.view().table()).isEqualTo(ANEW);
    assertThat(done).contains(new Effect.Keep(ANEW)).noneMatch(Effect.Write.class::isInstance);
  }

  @Test
  void oneThatBeganAnewBeforeTheOthersCameFollowsThem() {
    machine = gateway("g1", OwnershipTable.EMPTY);
    statuses = Map.of("g1", active("g1", 2));
    poll(new Shared.Table(ANEW), G1);
    statuses = Map.of("g1", active("g1", 2), "g2", active("g2", 1), "g3", active("g3", 1));
    assertThat(poll(new Shared.Table(ANEW), G1, G2, G3)).noneMatch(Effect.Write.class::isInstance);
    poll(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(machine.view().table()).isEqualTo(TABLE);
  }

  @Test
  void oneOfTheOthersPutsTheirTableBackWhenTheyAreMore() {
    machine = gateway("g2", TABLE);
    on(new Event.Activated());
    statuses =
        Map.of("g1", active("g1", 2), "g2", new Status("session-g2", stated(Standing.PRESENT, 1)));
    List<Effect> waits = poll(new Shared.Table(ANEW), G1, G2);
    assertThat(waits).noneMatch(each -> each instanceof Effect.Write);
    assertThat(machine.view().table()).as("g3 may still come").isEqualTo(TABLE);
    assertThat(waits).as("given no hosts meanwhile").noneMatch(states(Standing.ACTIVE, 1)::equals);
    statuses = Map.of("g1", active("g1", 2), "g2", active("g2", 1), "g3", active("g3", 1));
    assertThat(poll(new Shared.Table(ANEW), G1, G2, G3)).contains(new Effect.Write(TABLE));
  }

  @Test
  void aTieIsDecidedByTheEpochWhenNobodyElseComes() {
    machine = gateway("g2", TABLE);
    statuses = Map.of("g1", active("g1", 2));
    poll(new Shared.Table(ANEW), G1, G2);
    now = TableMachine.COLD_START_MILLIS - 1;
    assertThat(poll(new Shared.Table(ANEW), G1, G2)).noneMatch(Effect.Write.class::isInstance);
    now = TableMachine.COLD_START_MILLIS;
    assertThat(poll(new Shared.Table(ANEW), G1, G2)).contains(new Effect.Write(TABLE));
    machine = gateway("g1", ANEW);
    statuses = Map.of("g2", active("g2", 1));
    poll(new Shared.Table(TABLE), G1, G2);
    assertThat(machine.view().table()).as("the other side of the tie").isEqualTo(TABLE);
  }

  @Test
  void aProcessThatOnlyReadsFollowsAndWritesNothing() {
    machine = new TableMachine(Optional.empty(), OwnershipTable.EMPTY);
    assertThat(poll("q", new Shared.Table(TABLE), G1, G2, G3))
        .containsExactly(new Effect.Publish(machine.view()));
    assertThat(poll("q", new Shared.Table(OLDER), G1, G2, G3)).isEmpty();
    assertThat(machine.view().table()).isEqualTo(TABLE);
    poll("q", new Shared.Nothing());
    assertThat(machine.problem())
        .hasValueSatisfying(text -> assertThat(text).contains("no gateway"));
    assertThat(machine.view().isMinority()).isTrue();
  }

  @Test
  void ofTwoMembersWithOneIdTheYoungerOneIsMeant() {
    Membership again = new Membership("g2", "session-again", "", URI.create("http://again:9500"));
    poll(new Shared.Table(TABLE), G1, G2, G3, again);
    assertThat(machine.view().gateways()).containsEntry("g2", again.address()).hasSize(3);
  }

  @Test
  void aGatewayCountsWhenItHasStatedSomethingInThisMembership() {
    statuses = Map.of("g2", new Status("session-before", stated(Standing.ACTIVE, 1)));
    assertThat(poll(new Shared.Table(TABLE), G1, G2)).doesNotContain(new Effect.Gather());
    assertThat(machine.view().isMinority()).isTrue();
    statuses = Map.of("g2", active("g2", 1));
    assertThat(poll(new Shared.Table(TABLE), G1, G2)).contains(new Effect.Gather());
    assertThat(machine.view().isMinority()).isFalse();
  }

  @Test
  void aGatewayThatKnowsANewerTablePutsItBackBeforeItStatesAnything() {
    poll(new Shared.Table(TABLE), G1, G2, G3);
    statuses = Map.of();
    assertThat(poll(new Shared.Table(OLDER), G1, G2, G3))
        .containsSubsequence(new Effect.Write(TABLE), states(Standing.PRESENT, 1));
  }

  @Test
  void copiesThatBecomeSyncedOneAfterTheOtherAreCalledSoInOneTable() {
    OwnershipTable table = copied(List.of(), "g1", "g2", "g3");
    assertThat(reported(table, "g2@1")).as("g3 is still being filled").isEmpty();
    now += TableMachine.SYNCED_MILLIS - 1;
    assertThat(reported(table, "g2@1")).isEmpty();
    OwnershipTable written = reported(table, "g2@1", "g3@1").orElseThrow();
    assertThat(written.holders())
        .isEqualTo(copied(List.of("g2@1", "g3@1"), "g1", "g2", "g3").holders());
  }

  @Test
  void aCopyThatIsSyncedWaitsForOthersOnlySoLong() {
    OwnershipTable table = copied(List.of(), "g1", "g2", "g3");
    now = 7;
    assertThat(reported(table, "g2@1")).isEmpty();
    now += TableMachine.SYNCED_MILLIS;
    assertThat(reported(table, "g2@1")).isPresent();
  }

  @Test
  void aTableThatOnlyCallsMoreCopiesSyncedComesOnlySoOften() {
    OwnershipTable none = copied(List.of(), "g1", "g2");
    now = 7;
    assertThat(reported(none, "g2@1")).as("nothing else is being filled").isPresent();
    now += TableMachine.SYNCED_MILLIS - 1;
    assertThat(reported(none, "g2@1")).isEmpty();
    now += 1;
    assertThat(reported(none, "g2@1")).isPresent();
  }

  @Test
  void aCopyThatFellBehindIsCalledSoAtOnce() {
    OwnershipTable both = copied(List.of("g2@1", "g3@1"), "g1", "g2", "g3");
    assertThat(reported(both, "g2@1")).isPresent();
    OwnershipTable one = copied(List.of("g2@1"), "g1", "g2", "g3");
    assertThat(reported(one, "g3@1")).as("though another one is synced now").isPresent();
  }

  @Test
  void anOwnerThatLacksNothingAnyMoreIsCalledWholeAtOnce() {
    OwnershipTable table = copied(List.of(), "g1", "g2", "g3");
    Holders lacking =
        new Holders(
            "g1", 1, Set.of("g4"), table.holders("a").orElseThrow().copies(), Optional.empty());
    table =
        new OwnershipTable(
            1, table.epoch(), table.members(), table.starts(), new TreeMap<>(Map.of("a", lacking)));
    assertThat(reported(table, "g2@1")).isPresent();
  }

  /** Host a on g1, with copies that are called synced or not. */
  private static OwnershipTable copied(List<String> synced, String... gateways) {
    List<Holders.Copy> copies = new ArrayList<>();
    TreeMap<String, Long> starts = new TreeMap<>(Map.of("g1", 77L));
    for (String each : List.of(gateways).subList(1, gateways.length)) {
      copies.add(new Holders.Copy(each, 1, synced.contains(each + "@1")));
      starts.put(each, 78L);
    }
    return new OwnershipTable(
        1,
        5L << 16,
        List.of(gateways),
        starts,
        new TreeMap<>(Map.of("a", new Holders("g1", 1, Set.of(), copies, Optional.empty()))));
  }

  /** What g1 writes when it looks at a table and reports that these copies are synced. */
  private Optional<OwnershipTable> reported(OwnershipTable table, String... synced) {
    Membership[] members =
        table.members().stream().map(TableMachineTest::member).toArray(Membership[]::new);
    if (machine.view().table().epoch() == 0) {
      id = "g1";
      machine =
          new TableMachine(
              Optional.of(new TableMachine.Self("g1", members.length, 77)),
              OwnershipTable.ofOwners(5L << 16, Map.of("a", "g1")));
    }
    poll(new Shared.Table(table), members);
    Report report = new Report("g1", 1, Set.of(), Set.of(synced));
    return on(new Event.Gathered(Map.of(), Map.of("a", report))).stream()
        .filter(Effect.Write.class::isInstance)
        .map(each -> ((Effect.Write) each).table())
        .findFirst();
  }

  private List<Effect> poll(Shared shared, Membership... gateways) {
    return poll(id, shared, gateways);
  }

  private List<Effect> poll(String self, Shared shared, Membership... gateways) {
    return on(new Event.Polled(now, "session-" + self, List.of(gateways), shared, statuses));
  }

  private List<Effect> on(Event event) {
    effects.clear();
    machine.on(event, effects::add);
    return List.copyOf(effects);
  }

  private String id;

  private TableMachine gateway(String of, OwnershipTable kept) {
    id = of;
    start = new Start(77, kept.generation(), kept.epoch());
    return new TableMachine(Optional.of(new TableMachine.Self(of, 1, 77)), kept);
  }

  private static Status active(String id, long generation) {
    return new Status("session-" + id, stated(Standing.ACTIVE, generation));
  }

  /** By one that had kept {@link #TABLE} when it started. */
  private static Stated stated(Standing standing, long generation) {
    return new Stated(standing, generation, new Start(78, 1, TABLE.epoch()));
  }

  private Effect states(Standing standing, long generation) {
    return new Effect.SetStatus(new Stated(standing, generation, start));
  }

  private static Membership member(String id) {
    return new Membership(id, "session-" + id, "", URI.create("http://" + id + ":9500"));
  }
}
