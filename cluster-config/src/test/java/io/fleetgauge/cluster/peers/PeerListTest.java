package io.fleetgauge.cluster.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PeerListTest {
  private static final Peer LIVE = peer("a", Peer.State.LIVE, 500);
  private static final Peer SILENT = peer("c", Peer.State.SILENT, 700);
  private static final Peer GONE = peer("d", Peer.State.GONE, 0);

  private static Peer peer(String name, Peer.State state, long acknowledged) {
    return new Peer(name, 7, state, 1_000, acknowledged, Map.of());
  }

  private static PeerList list(Set<String> listed, int members, Peer... others) {
    return new PeerList(1, "b", List.of(others), Optional.of(listed), members);
  }

  @Test
  void whoMayBeRunningIsCountedInOrderOfNamesAndWhoSaidGoodbyeIsNot() {
    PeerList list = list(Set.of("a", "c"), 1, SILENT, GONE, LIVE);
    assertThat(list.counted()).containsExactly("a", "b", "c");
    assertThat(list.count()).isEqualTo(3);
    assertThat(list.liveNames()).containsExactly("a");
    assertThat(list(Set.of(), 5, LIVE).count()).as("members not heard yet").isEqualTo(5);
  }

  @Test
  void allAreSeenWhenEachThatIsListedIsLive() {
    assertThat(list(Set.of("a"), 2, LIVE, SILENT).seesAll()).isTrue();
    assertThat(list(Set.of("a", "c"), 3, LIVE, SILENT).seesAll()).isFalse();
    assertThat(list(Set.of("a", "e"), 3, LIVE).seesAll()).as("e was never heard").isFalse();
    assertThat(list(Set.of(), 1).seesAll()).as("nobody else").isTrue();
  }

  @Test
  void allHaveHeardThisProcessWhenEachThatIsListedHasAcknowledgedWhatWasSentLater() {
    PeerList list = list(Set.of("a", "c"), 3, LIVE, SILENT, GONE);
    assertThat(list.haveHeardSince(499)).isTrue();
    assertThat(list.haveHeardSince(500)).as("sent at that time is not later").isFalse();
    assertThat(list(Set.of("a", "e"), 3, LIVE).haveHeardSince(0)).isFalse();
  }

  @Test
  void whileTheMembershipIsNotKnownNobodyIsTakenForAll() {
    PeerList list = new PeerList(1, "b", List.of(LIVE), Optional.empty(), 1);
    assertThat(list.seesAll()).isFalse();
    assertThat(list.haveHeardSince(0)).isFalse();
  }
}
