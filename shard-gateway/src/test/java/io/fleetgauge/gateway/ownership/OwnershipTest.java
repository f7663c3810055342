package io.fleetgauge.gateway.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Membership;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership.Verdict;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OwnershipTest {
  private static final URI G2 = URI.create("http://g2:9500");
  private static final ClusterView VIEW =
      new ClusterView(
          OwnershipTable.ofOwners(5, Map.of("mine", "g1", "theirs", "g2", "orphan", "gone")),
          Map.of("g1", URI.create("http://g1:9500"), "g2", G2),
          false);

  private final Ownership ownership = new Ownership("g1");

  @Test
  void theTableSaysWhoseAHostIs() {
    assertThat(ownership.of("mine", VIEW, 0)).isEqualTo(new Verdict.Mine());
    assertThat(ownership.of("theirs", VIEW, 5)).isEqualTo(new Verdict.Theirs(G2, 5));
    assertThat(ownership.of("new", VIEW, 0)).isEqualTo(new Verdict.Unknown());
    assertThat(ownership.of("orphan", VIEW, 0)).isEqualTo(new Verdict.Unsettled());
    assertThat(ownership.hosts(VIEW)).containsExactly("mine");
  }

  @Test
  void whoKnowsAnOlderTableThanTheSenderDoesNotGuess() {
    for (String host : VIEW.table().owners().keySet()) {
      assertThat(ownership.of(host, VIEW, 6)).isEqualTo(new Verdict.Unsettled());
    }
  }

  private static ClusterView view(Holders host, String... gateways) {
    Map<String, URI> present = new TreeMap<>();
    for (String each : gateways) {
      present.put(each, URI.create("http://" + each + ":9500"));
    }
    return new ClusterView(
        new OwnershipTable(1, 7, List.of("g1", "g2", "g3"), new TreeMap<>(Map.of("node1", host))),
        present,
        false);
  }

  private static Holders holders(Set<String> behind, boolean synced, Optional<String> next) {
    return new Holders("g1", 1, behind, List.of(new Holders.Copy("g2", 1, synced)), next);
  }

  @Test
  void aHostIsCompleteWhenItsOwnerAndItsCopiesHaveAllThatPresentGatewaysHave() {
    Holders whole = holders(Set.of(), true, Optional.empty());
    assertThat(ownership.incompleteHosts(view(whole, "g1", "g2", "g3"), 2)).isEmpty();
    assertThat(ownership.incompleteHosts(view(whole, "g1", "g2", "g3"), 3))
        .isEqualTo("1 of 1 hosts are not yet fully replicated on 3 gateways, among them node1");
    assertThat(ownership.incompleteHosts(view(whole, "g1", "g3"), 2)).contains("node1");
    assertThat(ownership.incompleteHosts(view(whole, "g2", "g3"), 2)).contains("node1");
    Holders filling = holders(Set.of(), false, Optional.empty());
    assertThat(ownership.incompleteHosts(view(filling, "g1", "g2"), 2)).contains("node1");
    Holders moving = holders(Set.of(), true, Optional.of("g2"));
    assertThat(ownership.incompleteHosts(view(moving, "g1", "g2"), 2)).contains("node1");
  }

  @Test
  void waitingIsForWhatPresentGatewaysCanBringOnly() {
    Holders behind = holders(Set.of("g3"), true, Optional.empty());
    assertThat(ownership.incompleteHosts(view(behind, "g1", "g2", "g3"), 2)).contains("node1");
    assertThat(ownership.incompleteHosts(view(behind, "g1", "g2"), 2)).isEmpty();
    Holders alone = holders(Set.of(), false, Optional.empty());
    assertThat(ownership.incompleteHosts(view(alone, "g1"), 2)).isEmpty();
  }

  @Test
  void aCopyThatTheTableKnowsFromBeforeTheStartIsNotComplete() {
    ClusterView of = view(holders(Set.of(), true, Optional.empty()), "g1", "g2");
    ClusterView started =
        new ClusterView(
            of.table(), of.gateways(), false, Optional.of(new Membership.Start(9, 1, 0)));
    assertThat(ownership.incompleteHosts(started, 2)).contains("node1");
    ClusterView minority = new ClusterView(of.table(), of.gateways(), true);
    assertThat(ownership.incompleteHosts(minority, 2)).contains("less than half");
  }
}
