package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.CopySide.Arrival;
import org.junit.jupiter.api.Test;

class CopySideTest {
  private final CopySide copy = new CopySide(30_000);

  @Test
  void bodiesAreTakenInOrderAndWhatComesTwiceIsSeen() {
    assertThat(copy.arrived("g1", 5, 1, 2, 0)).isEqualTo(Arrival.TAKE);
    copy.taken(1, 2);
    assertThat(copy.arrived("g1", 5, 1, 2, 0)).isEqualTo(Arrival.REPEATED);
    assertThat(copy.arrived("g1", 5, 3, 1, 0)).isEqualTo(Arrival.TAKE);
    copy.taken(3, 1);
    assertThat(copy.arrived("g1", 5, 5, 1, 0)).as("4 is missing").isEqualTo(Arrival.BROKEN);
    assertThat(copy.arrived("g1", 4, 1, 1, 0)).as("an older session").isEqualTo(Arrival.BROKEN);
  }

  @Test
  void itIsWholeOnlyWithinASessionWhoseBeginningItHasMadeUpFor() {
    copy.arrived("g1", 5, 1, 0, 0);
    assertThat(copy.beginPull(0)).isTrue();
    assertThat(copy.beginPull(0)).as("one at a time").isFalse();
    assertThat(copy.pulled(5, true, 1)).isTrue();
    assertThat(copy.isWhole()).isTrue();
    copy.arrived("g1", 6, 1, 0, 2);
    assertThat(copy.isWhole()).isFalse();
    assertThat(copy.pulled(5, true, 3)).as("of the session before").isFalse();
    assertThat(copy.beginPull(3)).isTrue();
    copy.arrived("g2", 1, 1, 0, 4);
    assertThat(copy.pulled(6, true, 5)).as("another owner").isFalse();
    assertThat(copy.isWhole()).isFalse();
  }

  @Test
  void aPullThatFailsIsTriedAgainAndAWholeCopyIsComparedNowAndThen() {
    copy.arrived("g1", 5, 1, 0, 0);
    copy.beginPull(0);
    assertThat(copy.pulled(5, false, 10)).isFalse();
    assertThat(copy.beginPull(11)).isFalse();
    assertThat(copy.beginPull(10 + CopySide.RETRY_MILLIS)).isTrue();
    copy.pulled(5, true, 1_000);
    assertThat(copy.beginPull(30_999)).isFalse();
    assertThat(copy.beginPull(31_000)).isTrue();
    copy.pulled(5, false, 32_000);
    assertThat(copy.isWhole()).as("it is not less whole for that").isTrue();
  }

  @Test
  void aCopyThatCouldNotKeepWhatCameWantsAnotherSession() {
    copy.arrived("g1", 5, 1, 0, 0);
    copy.beginPull(0);
    copy.pulled(5, true, 0);
    copy.broke();
    assertThat(copy.isWhole()).isFalse();
    assertThat(copy.beginPull(99_000)).isFalse();
    assertThat(copy.arrived("g1", 5, 2, 1, 0)).isEqualTo(Arrival.BROKEN);
    assertThat(copy.arrived("g1", 6, 1, 1, 0)).isEqualTo(Arrival.TAKE);
  }

  @Test
  void aPullThatEndsAfterTheSessionBrokeDoesNotMakeTheCopyWhole() {
    copy.arrived("g1", 5, 1, 0, 0);
    copy.beginPull(0);
    copy.broke();
    assertThat(copy.pulled(5, true, 1)).isFalse();
    assertThat(copy.isWhole()).isFalse();
  }

  @Test
  void aPullThatComparedAPartIsFollowedByAnotherBeforeTheCopyIsWhole() {
    copy.arrived("g1", 5, 1, 0, 0);
    copy.beginPull(0);
    copy.pullAgain(4, 10);
    assertThat(copy.beginPull(10)).as("of another session").isFalse();
    copy.pullAgain(5, 10);
    assertThat(copy.isWhole()).isFalse();
    assertThat(copy.beginPull(10)).isTrue();
    assertThat(copy.pulled(5, true, 11)).isTrue();
  }
}
