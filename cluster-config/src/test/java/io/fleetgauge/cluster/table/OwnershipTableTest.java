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
