package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ClusterViewTest {
  private static final URI G1 = URI.create("http://g1:9500");
  private static final URI G2 = URI.create("http://g2:9500");
  private static final URI G3 = URI.create("http://g3:9500");

  @Test
  void aHostIsReadFromItsOwnerAndThenFromItsSyncedCopies() {
    ClusterView view = view(Set.of(), Map.of("g1", G1, "g2", G2, "g3", G3));
    assertThat(view.ownerAddress("h")).contains(G1);
    assertThat(view.readers("h")).as("g2 is not synced").containsExactly(G1, G3);
  }

  @Test
  void ofAnOwnerThatIsNotWholeNoCopyIsRead() {
    ClusterView view = view(Set.of("g9"), Map.of("g1", G1, "g2", G2, "g3", G3));
    assertThat(view.readers("h")).containsExactly(G1);
  }

  @Test
  void aGatewayThatIsOutOfSightIsNotRead() {
    assertThat(view(Set.of(), Map.of("g2", G2, "g3", G3)).ownerAddress("h")).isEmpty();
    assertThat(view(Set.of(), Map.of("g2", G2, "g3", G3)).readers("h")).containsExactly(G3);
    assertThat(view(Set.of(), Map.of("g1", G1)).readers("h")).containsExactly(G1);
  }

  @Test
  void aHostThatIsInNoTableIsReadNowhere() {
    ClusterView view = view(Set.of(), Map.of("g1", G1));
    assertThat(view.ownerAddress("other")).isEmpty();
    assertThat(view.readers("other")).isEmpty();
  }

  /** A host of g1 with a synced copy on g3 and another one on g2. */
  private static ClusterView view(Set<String> behind, Map<String, URI> gateways) {
    Holders holders =
        new Holders(
            "g1",
            7,
            behind,
            List.of(new Holders.Copy("g2", 3, false), new Holders.Copy("g3", 3, true)),
            Optional.empty());
    OwnershipTable table =
        new OwnershipTable(1, 7, List.of("g1", "g2", "g3"), new TreeMap<>(Map.of("h", holders)));
    return new ClusterView(table, gateways, false);
  }
}
