package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Generations.Decision;
import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.Membership.Status;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Two clusters have each made a table from nothing, and now see each other. The known table is of
 * generation 1, the shared one of generation 2.
 */
class GenerationsTest {
  private static final OwnershipTable SHARED = table(2, 5, "g8", "g9");

  private final Map<String, Membership> present = new TreeMap<>();
  private final Map<String, Status> statuses = new TreeMap<>();

  private static OwnershipTable table(long generation, long epoch, String... members) {
    return new OwnershipTable(generation, epoch, List.of(members), new TreeMap<>());
  }

  private static Status status(String session, long generation) {
    return new Status(session, new Stated(Standing.ACTIVE, generation, new Start(9, 0, 0)));
  }

  /** A gateway is present and follows a table of a generation; 0 for none. */
  private GenerationsTest votes(long generation, String... gateways) {
    for (String id : gateways) {
      present.put(id, new Membership(id, "now", "", URI.create("http://" + id)));
      statuses.put(id, status("now", generation));
    }
    return this;
  }

  private Decision of(String self, OwnershipTable known, boolean mayWait) {
    return new Generations(Optional.of(self), present, statuses).between(known, SHARED, mayWait);
  }

  private Decision ofReader(OwnershipTable known) {
    return new Generations(Optional.empty(), present, statuses).between(known, SHARED, true);
  }

  @Test
  void aReaderFollowsWhatAtLeastAsManyGatewaysShare() {
    OwnershipTable known = table(1, 9, "g1", "g2");
    assertThat(ofReader(known)).as("no gateway shares it").isEqualTo(Decision.KEEP);
    votes(1, "g1").votes(2, "g8");
    assertThat(ofReader(known)).isEqualTo(Decision.FOLLOW);
    votes(1, "g2");
    assertThat(ofReader(known)).isEqualTo(Decision.KEEP);
    votes(2, "g9", "g7");
    assertThat(ofReader(known)).isEqualTo(Decision.FOLLOW);
  }

  @Test
  void whenMostMembersOfTheKnownTableFollowAnotherSoDoesThisGateway() {
    OwnershipTable known = table(1, 9, "g1", "g2", "g3", "g4");
    votes(1, "g1", "g2").votes(2, "g3", "g4");
    assertThat(of("g1", known, true)).as("half of them is not most").isEqualTo(Decision.KEEP);
    votes(3, "g2");
    assertThat(of("g1", known, true))
        .as("which other one does not matter")
        .isEqualTo(Decision.FOLLOW);
    votes(0, "g2");
    assertThat(of("g1", known, false)).as("none is not another").isNotEqualTo(Decision.WAIT);
  }

  @Test
  void theTableOfMoreGatewaysIsKept() {
    OwnershipTable known = table(1, 1, "g1", "g2", "g3");
    votes(1, "g1", "g2").votes(2, "g8");
    assertThat(of("g1", known, true)).isEqualTo(Decision.KEEP);
    votes(2, "g9", "g7");
    assertThat(of("g1", known, false)).isEqualTo(Decision.FOLLOW);
  }

  @Test
  void aGatewayWaitsForMembersOfItsTableWhileItMay() {
    OwnershipTable known = table(1, 9, "g1", "g2", "g3");
    votes(1, "g1").votes(2, "g8", "g9");
    assertThat(of("g1", known, true)).isEqualTo(Decision.WAIT);
    assertThat(of("g1", known, false)).as("it has waited").isEqualTo(Decision.FOLLOW);
    votes(0, "g2", "g3");
    assertThat(of("g1", known, true)).as("all have come").isEqualTo(Decision.FOLLOW);
  }

  @Test
  void ofAsManyGatewaysTheHigherEpochIsKeptAndThenTheHigherGeneration() {
    votes(1, "g1").votes(2, "g8");
    assertThat(of("g1", table(1, 6, "g1"), true)).isEqualTo(Decision.KEEP);
    assertThat(of("g1", table(1, 4, "g1"), true)).isEqualTo(Decision.FOLLOW);
    assertThat(of("g1", table(1, 5, "g1"), true)).as("2 is the higher").isEqualTo(Decision.FOLLOW);
    votes(3, "g1");
    assertThat(of("g1", table(3, 5, "g1"), true)).as("3 is the higher").isEqualTo(Decision.KEEP);
    assertThat(of("g1", table(3, 4, "g1"), true)).isEqualTo(Decision.FOLLOW);
    votes(2, "g9");
    assertThat(of("g1", table(3, 6, "g1"), true)).as("two of three").isEqualTo(Decision.FOLLOW);
  }

  @Test
  void whatAGatewayStatedBeforeItJoinedAnewDoesNotCount() {
    OwnershipTable known = table(1, 1, "g1", "g2");
    votes(1, "g1", "g2").votes(2, "g8");
    assertThat(of("g1", known, true)).isEqualTo(Decision.KEEP);
    statuses.put("g2", status("before", 1));
    assertThat(of("g1", known, true))
        .as("one each, and 5 is the higher epoch")
        .isEqualTo(Decision.FOLLOW);
    statuses.remove("g8");
    assertThat(of("g1", known, true)).isEqualTo(Decision.KEEP);
  }

  @Test
  void aGatewayVotesForItsOwnTableWhateverItStatedLast() {
    OwnershipTable known = table(1, 9, "g1");
    votes(2, "g1");
    assertThat(of("g1", known, true)).isEqualTo(Decision.KEEP);
  }
}
