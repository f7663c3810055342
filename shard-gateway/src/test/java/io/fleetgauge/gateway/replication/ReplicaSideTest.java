package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.ReplicaSide.Arrival;
import org.junit.jupiter.api.Test;

class ReplicaSideTest {
  private final ReplicaSide replica = new ReplicaSide(30_000);

  @Test
  void bodiesAreTakenInOrderAndWhatComesTwiceIsSeen() {
    assertThat(replica.arrived("g1", 5, 1, 2, 0)).isEqualTo(Arrival.TAKE);
    replica.taken(1, 2);
    assertThat(replica.arrived("g1", 5, 1, 2, 0)).isEqualTo(Arrival.REPEATED);
    assertThat(replica.arrived("g1", 5, 3, 1, 0)).isEqualTo(Arrival.TAKE);
    replica.taken(3, 1);
    assertThat(replica.arrived("g1", 5, 5, 1, 0)).as("4 is missing").isEqualTo(Arrival.BROKEN);
    assertThat(replica.arrived("g1", 4, 1, 1, 0)).as("an older session").isEqualTo(Arrival.BROKEN);
  }

  @Test
  void itIsWholeOnlyWithinASessionWhoseBeginningItHasMadeUpFor() {
    replica.arrived("g1", 5, 1, 0, 0);
    assertThat(replica.beginPull(0)).isTrue();
    assertThat(replica.beginPull(0)).as("one at a time").isFalse();
    assertThat(replica.pulled(5, true, 1)).isTrue();
    assertThat(replica.isWhole()).isTrue();
    replica.arrived("g1", 6, 1, 0, 2);
    assertThat(replica.isWhole()).isFalse();
    assertThat(replica.pulled(5, true, 3)).as("of the session before").isFalse();
    assertThat(replica.beginPull(3)).isTrue();
    replica.arrived("g2", 1, 1, 0, 4);
    assertThat(replica.pulled(6, true, 5)).as("another owner").isFalse();
    assertThat(replica.isWhole()).isFalse();
  }

  @Test
  void aPullOfTheSessionBeforeDoesNotEndTheOneOfThisSession() {
    replica.arrived("g1", 5, 1, 0, 0);
    replica.beginPull(0);
    replica.arrived("g1", 6, 1, 0, 1);
    assertThat(replica.beginPull(1)).isTrue();
    assertThat(replica.pulled(5, true, 2)).isFalse();
    assertThat(replica.isWhole()).isFalse();
    assertThat(replica.pulled(6, true, 3)).isTrue();
    assertThat(replica.isWhole()).isTrue();
  }

  @Test
  void aQuestionForTheStateIsAnsweredAlsoWhenEverythingHasArrived() {
    replica.arrived("g1", 5, 1, 1, 0);
    replica.taken(1, 1);
    assertThat(replica.arrived("g1", 5, 2, 0, 0)).isEqualTo(Arrival.TAKE);
    assertThat(replica.arrived("g1", 5, 1, 2, 0)).as("the second is new").isEqualTo(Arrival.TAKE);
    replica.taken(1, 2);
    replica.taken(1, 1);
    assertThat(replica.arrived("g1", 5, 2, 1, 0)).isEqualTo(Arrival.REPEATED);
  }

  @Test
  void aReplicaThatHasNoOwnerYetPullsNothing() {
    assertThat(replica.owner()).isEmpty();
    assertThat(replica.beginPull(99_000)).isFalse();
    replica.arrived("g1", 5, 1, 0, 7);
    assertThat(replica.owner()).isEqualTo("g1");
    assertThat(replica.session()).isEqualTo(5);
    assertThat(replica.beginPull(6)).isFalse();
    assertThat(replica.beginPull(7)).isTrue();
  }

  @Test
  void aPullThatFailsIsTriedAgainAndAWholeReplicaIsComparedNowAndThen() {
    replica.arrived("g1", 5, 1, 0, 0);
    replica.beginPull(0);
    assertThat(replica.pulled(5, false, 10)).isFalse();
    assertThat(replica.beginPull(11)).isFalse();
    assertThat(replica.beginPull(10 + ReplicaSide.RETRY_MILLIS)).isTrue();
    replica.pulled(5, true, 1_000);
    assertThat(replica.beginPull(30_999)).isFalse();
    assertThat(replica.beginPull(31_000)).isTrue();
    replica.pulled(5, false, 32_000);
    assertThat(replica.isWhole()).as("it is not less whole for that").isTrue();
  }

  @Test
  void aReplicaThatCouldNotKeepWhatCameWantsAnotherSession() {
    replica.arrived("g1", 5, 1, 0, 0);
    replica.beginPull(0);
    replica.pulled(5, true, 0);
    replica.broke();
    assertThat(replica.isWhole()).isFalse();
    assertThat(replica.beginPull(99_000)).isFalse();
    assertThat(replica.arrived("g1", 5, 2, 1, 0)).isEqualTo(Arrival.BROKEN);
    assertThat(replica.arrived("g1", 6, 1, 1, 0)).isEqualTo(Arrival.TAKE);
  }

  @Test
  void aPullThatEndsAfterTheSessionBrokeDoesNotMakeTheReplicaWhole() {
    replica.arrived("g1", 5, 1, 0, 0);
    replica.beginPull(0);
    replica.broke();
    assertThat(replica.pulled(5, true, 1)).isFalse();
    assertThat(replica.isWhole()).isFalse();
  }

  @Test
  void aPullThatComparedAPartIsFollowedByAnotherBeforeTheReplicaIsWhole() {
    replica.arrived("g1", 5, 1, 0, 0);
    replica.beginPull(0);
    replica.pullAgain(4, 10);
    assertThat(replica.beginPull(10)).as("of another session").isFalse();
    replica.pullAgain(5, 10);
    assertThat(replica.isWhole()).isFalse();
    assertThat(replica.beginPull(10)).isTrue();
    assertThat(replica.pulled(5, true, 11)).isTrue();
  }
}
