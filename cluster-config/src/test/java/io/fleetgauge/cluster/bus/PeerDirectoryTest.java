package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerDirectoryTest {
  private static final Peer SELF = new Peer("b", 20, 1);
  private static final Peer OLDER = new Peer("a", 10, 2);
  private static final Peer YOUNGER = new Peer("c", 30, 3);

  private final PeerDirectory peers = new PeerDirectory(SELF);

  @Test
  void theOldestLiveQueryApiDeals() {
    assertThat(peers.dealer(0)).isEqualTo(SELF);
    peers.heard(YOUNGER, 0);
    assertThat(peers.dealer(0)).isEqualTo(SELF);
    peers.heard(OLDER, 0);
    assertThat(peers.dealer(0)).isEqualTo(OLDER);
    assertThat(peers.live(0)).containsExactly(OLDER, SELF, YOUNGER);
    peers.left(OLDER);
    assertThat(peers.dealer(0)).isEqualTo(SELF);
  }

  @Test
  void ofTwoThatStartedTogetherTheSameIsOlderForAll() {
    Peer twin = new Peer("z", 20, 0);
    peers.heard(twin, 0);
    assertThat(peers.dealer(0)).isEqualTo(twin);
  }

  @Test
  void whoFallsSilentIsNotLiveButCountedForTwoMinutes() {
    peers.heard(OLDER, 0);
    assertThat(peers.live(PeerDirectory.LIVE_MILLIS)).contains(OLDER);
    assertThat(peers.live(PeerDirectory.LIVE_MILLIS + 1)).doesNotContain(OLDER);
    assertThat(peers.count(PeerDirectory.LOST_MILLIS)).isEqualTo(2);
    assertThat(peers.count(PeerDirectory.LOST_MILLIS + 1)).isEqualTo(1);
  }

  @Test
  void whoWasStartedAgainReplacesItsEarlierLife() {
    peers.heard(YOUNGER, 0);
    Peer again = new Peer("c", 40, 4);
    peers.heard(again, 1);
    assertThat(peers.counted(1)).containsExactly(SELF, again);
  }

  @Test
  void membersThatAreNotHeardYetAreCounted() {
    peers.heard(OLDER, 0);
    peers.members(4);
    assertThat(peers.count(0)).isEqualTo(4);
    peers.members(1);
    assertThat(peers.count(0)).isEqualTo(2);
  }

  @Test
  void itsOwnMessagesAndMoreThanTheMostPeersAreNotCounted() {
    peers.heard(SELF, 0);
    assertThat(peers.live(0)).containsExactly(SELF);
    for (int i = 0; i < 2 * MessageForm.MAX_PEERS; i++) {
      peers.heard(new Peer("p" + i, 100 + i, 100 + i), 0);
    }
    assertThat(peers.live(0)).hasSize(MessageForm.MAX_PEERS);
  }
}
