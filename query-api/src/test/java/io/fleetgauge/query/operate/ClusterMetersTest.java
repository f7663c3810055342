package io.fleetgauge.query.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.runtime.process.Meters;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ClusterMetersTest {
  private static Holders held(Set<String> behind, Holders.Copy... copies) {
    return new Holders("g1", 1, behind, List.of(copies), Optional.empty());
  }

  /** The alert and whoever updates gateways compare the two numbers. */
  @Test
  void hostsOfSeriesWithoutOneHideNoHostThatLacksAReplica() {
    SortedMap<String, Holders> holders = new TreeMap<>();
    holders.put("n1", held(Set.of(), new Holders.Copy("g2", 1, true)));
    holders.put("n2", held(Set.of(), new Holders.Copy("g2", 1, false)));
    holders.put("n3", held(Set.of()));
    for (int i = 0; i < 4; i++) {
      holders.put("no-host-" + i, held(Set.of("g3"), new Holders.Copy("g2", 1, true)));
    }
    OwnershipTable table = new OwnershipTable(7, 9, List.of("g1", "g2"), holders);
    Meters meters = new Meters("m");
    new ClusterMeters(() -> new ClusterView(table, Map.of(), false)).declare(meters);
    assertThat(new String(meters.exposition(), StandardCharsets.UTF_8))
        .contains("m_hosts 3.0\n", "m_hosts_on_two 1.0\n", "m_hosts_not_whole 4.0\n");
  }
}
