package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders.Copy;
import io.fleetgauge.cluster.table.Situation.Gateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where one step of the assignment puts copies, and which ones it removes. */
class CopyPlacementTest {
  @Test
  void aNewCopyIsBegunInAnotherZoneWhereThereIsOne() {
    List<String> hosts = hosts(30);
    OwnershipTable table =
        next(hosts, 2, OwnershipTable.beginning(1), in("g1", "x"), in("g2", "x"), in("g3", "y"));
    assertThat(table.holders()).hasSize(30);
    table
        .holders()
        .forEach(
            (host, each) ->
                assertThat(each.owner().equals("g3"))
                    .isNotEqualTo(each.copies().getFirst().gateway().equals("g3")));
  }

  @Test
  void inOneZoneACopyIsBegunAllTheSame() {
    for (String zone : List.of("", "x")) {
      OwnershipTable table =
          next(hosts(9), 2, OwnershipTable.beginning(1), in("g1", zone), in("g2", zone));
      assertThat(table.holders().values()).allMatch(each -> each.copies().size() == 1);
    }
  }

  @Test
  void newCopiesAreSpreadEvenly() {
    Gateway[] four = {in("g1", ""), in("g2", ""), in("g3", ""), in("g4", "")};
    OwnershipTable table = next(hosts(40), 2, OwnershipTable.beginning(1), four);
    for (Gateway each : four) {
      assertThat(table.copiesOn(each.id())).isBetween(7L, 12L);
    }
  }

  /** The copy on g2 is one that should go: it is in the owner's zone, or its gateway leaves. */
  static List<List<Gateway>> gatewaysWhereTheCopyOnG2Goes() {
    return List.of(
        List.of(in("g1", "x"), in("g2", "x"), in("g3", "y")),
        List.of(in("g1", ""), leaving("g2"), in("g3", "")));
  }

  @ParameterizedTest
  @MethodSource("gatewaysWhereTheCopyOnG2Goes")
  void aSyncedCopyStaysUntilTheOneThatReplacesItIsSynced(List<Gateway> members) {
    Gateway[] gateways = members.toArray(Gateway[]::new);
    OwnershipTable begun = next(List.of("h"), 2, table(new Copy("g2", 3, true)), gateways);
    assertThat(gatewaysOf(begun)).containsExactly("g2", "g3");
    OwnershipTable waiting =
        next(List.of("h"), 2, table(new Copy("g2", 3, true), new Copy("g3", 4, false)), gateways);
    assertThat(gatewaysOf(waiting)).containsExactly("g2", "g3");
    OwnershipTable done =
        next(List.of("h"), 2, table(new Copy("g2", 3, true), new Copy("g3", 4, true)), gateways);
    assertThat(gatewaysOf(done)).containsExactly("g3");
  }

  @Test
  void ofCopiesThatAreTooManyTheOneThatIsNotSyncedIsRemoved() {
    Gateway[] gateways = {in("g1", ""), in("g2", ""), in("g3", "")};
    OwnershipTable one =
        next(List.of("h"), 2, table(new Copy("g2", 3, true), new Copy("g3", 4, false)), gateways);
    assertThat(gatewaysOf(one)).containsExactly("g2");
    OwnershipTable other =
        next(List.of("h"), 2, table(new Copy("g2", 3, false), new Copy("g3", 4, true)), gateways);
    assertThat(gatewaysOf(other)).containsExactly("g3");
    OwnershipTable none = next(List.of("h"), 1, table(new Copy("g2", 3, true)), gateways);
    assertThat(gatewaysOf(none)).isEmpty();
  }

  @Test
  void membersAreTheGatewaysThatMayHaveHostsAndThoseThatStillHaveSome() {
    Gateway[] gateways = {in("g1", ""), leaving("g2"), in("g3", "")};
    OwnershipTable holding = next(List.of("h"), 2, table(new Copy("g2", 3, true)), gateways);
    assertThat(holding.members()).containsExactly("g1", "g2", "g3");
    OwnershipTable idle = next(List.of("h"), 2, table(new Copy("g3", 3, true)), gateways);
    assertThat(idle.members()).containsExactly("g1", "g3");
  }

  @Test
  void theOwnerBeforeAMoveIsTheFirstCopyAfterIt() {
    Holders moving =
        new Holders(
            "g1",
            7,
            Set.of(),
            List.of(new Copy("g2", 3, true), new Copy("g3", 3, true)),
            Optional.of("g2"));
    OwnershipTable moved =
        next(List.of("h"), 3, table(moving), in("g1", ""), in("g2", ""), in("g3", ""));
    assertThat(moved.owner("h")).contains("g2");
    assertThat(gatewaysOf(moved)).containsExactly("g1", "g3");
  }

  private static OwnershipTable next(
      List<String> hosts, int replication, OwnershipTable before, Gateway... gateways) {
    return Assignment.next(
        new Situation("g1", List.of(gateways), hosts, Map.of(), replication), before);
  }

  /** One host of g1 with these copies. */
  private static OwnershipTable table(Copy... copies) {
    return table(new Holders("g1", 7, Set.of(), List.of(copies), Optional.empty()));
  }

  private static OwnershipTable table(Holders holders) {
    return new OwnershipTable(1, 7L << 16, List.of(), new TreeMap<>(Map.of("h", holders)));
  }

  private static List<String> gatewaysOf(OwnershipTable table) {
    return table.holders("h").orElseThrow().copies().stream().map(Copy::gateway).toList();
  }

  private static Gateway in(String id, String zone) {
    return new Gateway(id, zone, true, Optional.empty());
  }

  private static Gateway leaving(String id) {
    return new Gateway(id, "", false, Optional.empty());
  }

  private static List<String> hosts(int count) {
    List<String> hosts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hosts.add("h" + i);
    }
    return hosts;
  }
}
