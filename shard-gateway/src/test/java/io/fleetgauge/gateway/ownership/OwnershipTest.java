package io.fleetgauge.gateway.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership.Verdict;
import java.net.URI;
import java.util.Map;
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
}
