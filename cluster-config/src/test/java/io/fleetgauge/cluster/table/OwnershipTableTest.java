package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OwnershipTableTest {
  private static final OwnershipTable TABLE =
      OwnershipTable.ofOwners(3L << 16, Map.of("a", "g2", "b", "g1", "c", "g2"));

  @Test
  void aTableOfOwnersHasSortedMembersAndHostsWithoutCopies() {
    assertThat(TABLE.members()).containsExactly("g1", "g2");
    assertThat(TABLE.hosts()).containsExactly("a", "b", "c");
    assertThat(TABLE.owners()).isEqualTo(Map.of("a", "g2", "b", "g1", "c", "g2"));
    assertThat(TABLE.load()).isEqualTo(Map.of("g1", 1L, "g2", 2L));
    assertThat(TABLE.owner("a")).contains("g2");
    assertThat(TABLE.owner("none")).isEmpty();
    assertThat(TABLE.holders("a").orElseThrow().copies()).isEmpty();
  }

  @Test
  void aTableInvolvesItsOwnersAndItsCopies() {
    Holders holders =
        new Holders("g1", 1, Set.of(), List.of(new Holders.Copy("g2", 1, false)), Optional.empty());
    OwnershipTable table =
        new OwnershipTable(1, 1, List.of("g1"), new TreeMap<>(Map.of("a", holders)));
    assertThat(table.involves("g1")).isTrue();
    assertThat(table.involves("g2")).isTrue();
    assertThat(table.involves("g3")).isFalse();
  }

  @Test
  void halfOfTheMembersAreAMajorityOnlyWithTheFirstByName() {
    assertThat(TABLE.isMajority(Set.of("g1"))).isTrue();
    assertThat(TABLE.isMajority(Set.of("g2"))).isFalse();
    assertThat(TABLE.isMajority(Set.of("other", "others"))).isFalse();
    assertThat(OwnershipTable.EMPTY.isMajority(Set.of())).isTrue();
  }

  @Test
  void movesAndCopiesAreCountedForEachGateway() {
    List<Holders.Copy> onG2 = List.of(new Holders.Copy("g2", 1, false));
    List<Holders.Copy> onG3 = List.of(new Holders.Copy("g3", 1, true));
    OwnershipTable table =
        new OwnershipTable(
            1,
            1,
            List.of("g1", "g2", "g3"),
            new TreeMap<>(
                Map.of(
                    "a", new Holders("g1", 1, Set.of(), onG2, Optional.of("g2")),
                    "b", new Holders("g1", 1, Set.of(), onG3, Optional.of("g3")),
                    "c", new Holders("g2", 1, Set.of(), onG3, Optional.empty()))));
    assertThat(table.moves()).isEqualTo(Map.of("g1", 2L, "g2", 1L, "g3", 1L));
    assertThat(List.of(table.copiesOn("g1"), table.copiesOn("g2"), table.copiesOn("g3")))
        .containsExactly(0L, 1L, 2L);
    assertThat(OwnershipTable.ofOwners(5, Map.of("h", "g2")).owner("h")).contains("g2");
  }

  @Test
  void theKeyOfACopyNamesItsGatewayWhateverIsInTheName() {
    assertThat(new Holders.Copy("g@1", 7, true).key()).isEqualTo("g@1@7");
    assertThat(Holders.gatewayOf("g@1@7")).isEqualTo("g@1");
  }

  /** Another hash would move hosts whenever gateways of two versions write the table in turn. */
  @Test
  void theWeightOfAHostOnAGatewayIsTheSameInEveryVersion() {
    assertThat(Shares.weight("node-1", "g1")).isEqualTo(0xfe1661c9088ef6c3L);
    assertThat(Shares.weight("n\u00f6", "gateway-2")).isEqualTo(0x44706c6ed62221fL);
  }

  @Test
  void theNextEpochRisesAndDiffersBetweenWriters() {
    long one = TABLE.nextEpoch("g1");
    long other = TABLE.nextEpoch("g2");
    assertThat(one).isNotEqualTo(other);
    assertThat(List.of(one >>> 16, other >>> 16)).containsExactly(4L, 4L);
    assertThat(TABLE.nextEpoch("g1")).isEqualTo(one);
  }

  @Test
  void theBoundsOfSharesFollowTheNumbersOfHostsAndGateways() {
    assertThat(List.of(Shares.cap(30, 2), Shares.cap(31, 2), Shares.cap(3, 2)))
        .containsExactly(15, 16, 15);
    assertThat(List.of(Shares.floor(30, 2), Shares.floor(19, 2), Shares.floor(1, 2)))
        .containsExactly(10, 9, 0);
  }
}
