package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.TableMachine.Effect;
import io.fleetgauge.cluster.table.TableMachine.Event;
import io.fleetgauge.cluster.table.TableMachine.Member;
import io.fleetgauge.cluster.table.TableMachine.Shared;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TableMachineTest {
  private static final Member G1 = member("g1");
  private static final Member G2 = member("g2");
  private static final Member G3 = member("g3");
  private static final OwnershipTable TABLE =
      OwnershipTable.ofOwners(5L << 16, Map.of("a", "g1", "b", "g2", "c", "g3"));
  private static final OwnershipTable OLDER =
      OwnershipTable.ofOwners(4L << 16, Map.of("a", "g2", "b", "g2", "c", "g3"));
  private static final Map<String, String> ALL_ACTIVE =
      Map.of("g1", "session-g1", "g2", "session-g2", "g3", "session-g3");

  private final List<Effect> effects = new ArrayList<>();
  private TableMachine machine = gateway("g1", OwnershipTable.EMPTY);
  private Map<String, String> statuses = ALL_ACTIVE;
  private long now;

  @Test
  void theOldestGatewayMakesTheFirstTableWhenOneMayBeGivenHosts() {
    statuses = Map.of();
    assertThat(look(new Shared.Nothing(), G1, G2)).doesNotContain(new Effect.Gather());
    statuses = Map.of("g2", "session-g2");
    assertThat(look(new Shared.Nothing(), G1, G2)).contains(new Effect.Gather());
    List<Effect> made = on(new Event.Gathered(Set.of("a"), Map.of()));
    OwnershipTable table = ((Effect.Write) made.getLast()).table();
    assertThat(table.owners()).isEqualTo(Map.of("a", "g2"));
    assertThat(made).as("kept before others see it").first().isEqualTo(new Effect.Keep(table));
  }

  @Test
  void onlyTheOldestGatewayMakesTables() {
    machine = gateway("g2", OwnershipTable.EMPTY);
    assertThat(look(new Shared.Table(TABLE), G1, G2, G3)).doesNotContain(new Effect.Gather());
    assertThat(look(new Shared.Table(TABLE), G2, G3)).contains(new Effect.Gather());
  }

  @Test
  void aMinorityFollowsTheTableAndMakesNone() {
    assertThat(look(new Shared.Table(TABLE), G1)).doesNotContain(new Effect.Gather());
    assertThat(machine.view().isMinority()).isTrue();
    statuses = Map.of("g1", "session-g1", "g2", TableMachine.LEFT);
    assertThat(look(new Shared.Table(TABLE), G1)).contains(new Effect.Gather());
    assertThat(machine.view().isMinority()).as("g2 has left on purpose").isFalse();
  }

  @Test
  void theOlderTableOfTheRegistryIsReplacedByTheOneThatIsKnown() {
    look(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(look(new Shared.Table(OLDER), G1, G2, G3)).contains(new Effect.Write(TABLE));
    assertThat(machine.view().table()).isEqualTo(TABLE);
    assertThat(machine.problem()).hasValueSatisfying(text -> assertThat(text).contains("older"));
    assertThat(look(new Shared.Nothing(), G1, G2, G3)).contains(new Effect.Write(TABLE));
  }

  @Test
  void aTableOfANewerVersionIsReportedAndLeftAloneAndTheOldOneStaysInUse() {
    on(new Event.Activated());
    look(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(look(new Shared.Newer(9), G1, G2)).allMatch(Effect.Publish.class::isInstance);
    assertThat(machine.view().table()).isEqualTo(TABLE);
    assertThat(machine.view().gateways()).containsOnlyKeys("g1", "g2");
    assertThat(machine.problem())
        .hasValueSatisfying(text -> assertThat(text).contains("version 9"));
    look(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(machine.problem()).isEmpty();
  }

  @Test
  void aDamagedTableIsReplacedByTheOneThatIsKnown() {
    look(new Shared.Table(TABLE), G1, G2, G3);
    assertThat(look(new Shared.Damaged("rubbish"), G1, G2, G3)).contains(new Effect.Write(TABLE));
    assertThat(machine.problem()).hasValueSatisfying(text -> assertThat(text).contains("rubbish"));
  }

  @Test
  void atAColdStartTheFirstGatewaysWaitForTheOthersOfTheKeptTable() {
    machine = gateway("g1", TABLE);
    assertThat(machine.view().isMinority()).as("nobody was seen yet").isTrue();
    assertThat(look(new Shared.Nothing(), G1, G2)).contains(new Effect.Write(TABLE));
    assertThat(look(new Shared.Table(TABLE), G1, G2)).doesNotContain(new Effect.Gather());
    assertThat(look(new Shared.Table(TABLE), G1, G2, G3)).contains(new Effect.Gather());
    now = TableMachine.COLD_START_MILLIS - 1;
    assertThat(look(new Shared.Table(TABLE), G1, G2)).doesNotContain(new Effect.Gather());
    now = TableMachine.COLD_START_MILLIS;
    assertThat(look(new Shared.Table(TABLE), G1, G2)).contains(new Effect.Gather());
  }

  @Test
  void aGatewayThatIsRestartedAloneDoesNotWait() {
    machine = gateway("g1", TABLE);
    assertThat(look(new Shared.Table(TABLE), G1, G2)).contains(new Effect.Gather());
  }

  @Test
  void aGatewayStatesItsSessionAgainWhenTheRegistryHasAnotherOne() {
    statuses = Map.of("g1", "session-before");
    assertThat(look(new Shared.Nothing(), G1)).contains(new Effect.ClearStatus());
    on(new Event.Activated());
    assertThat(look(new Shared.Nothing(), G1)).contains(new Effect.SetStatus("session-g1"));
    statuses = Map.of("g1", "session-g1");
    assertThat(look(new Shared.Nothing(), G1)).noneMatch(Effect.SetStatus.class::isInstance);
    on(new Event.Retired());
    assertThat(look(new Shared.Nothing(), G1)).contains(new Effect.ClearStatus());
    assertThat(on(new Event.Leaving())).containsExactly(new Effect.SetStatus(TableMachine.LEFT));
    assertThat(look(new Shared.Nothing(), G1)).noneMatch(Effect.SetStatus.class::isInstance);
  }

  @Test
  void aProcessThatOnlyReadsFollowsAndWritesNothing() {
    machine = new TableMachine(Optional.empty(), OwnershipTable.EMPTY);
    assertThat(look("q", new Shared.Table(TABLE), G1, G2, G3))
        .containsExactly(new Effect.Publish(machine.view()));
    assertThat(look("q", new Shared.Table(OLDER), G1, G2, G3)).isEmpty();
    assertThat(machine.view().table()).isEqualTo(TABLE);
    look("q", new Shared.Nothing());
    assertThat(machine.problem())
        .hasValueSatisfying(text -> assertThat(text).contains("no gateway"));
    assertThat(machine.view().isMinority()).isTrue();
  }

  @Test
  void ofTwoMembersWithOneIdTheYoungerOneIsMeant() {
    Member again = new Member("g2", "session-again", "", URI.create("http://again:9500"));
    look(new Shared.Table(TABLE), G1, G2, G3, again);
    assertThat(machine.view().gateways()).containsEntry("g2", again.address()).hasSize(3);
  }

  private List<Effect> look(Shared shared, Member... gateways) {
    return look(id, shared, gateways);
  }

  private List<Effect> look(String self, Shared shared, Member... gateways) {
    return on(new Event.Looked(now, "session-" + self, List.of(gateways), shared, statuses));
  }

  private List<Effect> on(Event event) {
    effects.clear();
    machine.on(event, effects::add);
    return List.copyOf(effects);
  }

  private String id;

  private TableMachine gateway(String of, OwnershipTable kept) {
    id = of;
    return new TableMachine(Optional.of(new TableMachine.Self(of, 1)), kept);
  }

  private static Member member(String id) {
    return new Member(id, "session-" + id, "", URI.create("http://" + id + ":9500"));
  }
}
