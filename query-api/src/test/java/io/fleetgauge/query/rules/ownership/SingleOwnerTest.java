package io.fleetgauge.query.rules.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Who evaluates faults, as time and others come and go. */
class SingleOwnerTest {
  private static final String TOPIC = "faults";

  private final SingleOwner owner = new SingleOwner(TOPIC, "b");
  private long now = 1_000_000;

  private static Peer peer(String name, Peer.State state, boolean serves, long acknowledged) {
    return peer(name, state, serves ? SingleOwner.SERVES : SingleOwner.IDLE, acknowledged);
  }

  private static Peer peer(String name, Peer.State state, byte note, long acknowledged) {
    return new Peer(name, 1, state, 0, acknowledged, Map.of(TOPIC, new byte[] {note}));
  }

  private static PeerList list(Peer... others) {
    Set<String> names = List.of(others).stream().map(Peer::name).collect(Collectors.toSet());
    return new PeerList(
        1, "b", new ArrayList<>(List.of(others)), Optional.of(names), others.length + 1);
  }

  private void run(long millis, PeerList peers) {
    for (long end = now + millis; now < end; now += 100) {
      owner.tick(now, peers);
    }
    owner.tick(now, peers);
  }

  @Test
  void theFirstByNameOfThoseThatServeOwns() {
    run(5_000, list(peer("a", Peer.State.LIVE, true, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).isFalse();
    run(5_000, list(peer("a", Peer.State.LIVE, false, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).isTrue();
    run(100, list(peer("a", Peer.State.LIVE, SingleOwner.OWNS, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).as("of two that own").isFalse();
    run(5_000, list(peer("a", Peer.State.SILENT, true, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).isTrue();
    run(5_000, list(peer("c", Peer.State.LIVE, true, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).isTrue();
  }

  @Test
  void whoOwnsGoesOnWhenOneThatIsBeforeItByNameComesBack() {
    run(5_000, list());
    long term = owner.term();
    run(5_000, list(peer("a", Peer.State.LIVE, SingleOwner.SERVES, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(term, now)).isTrue();
    assertThat(owner.note()).containsExactly(SingleOwner.OWNS);
  }

  @Test
  void whoIsBeforeTheOwnerByNameTakesNothingFromIt() {
    run(5_000, list(peer("c", Peer.State.LIVE, SingleOwner.OWNS, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).isFalse();
    assertThat(owner.note()).containsExactly(SingleOwner.SERVES);
    run(100, list(peer("c", Peer.State.LIVE, SingleOwner.IDLE, Long.MAX_VALUE)));
    assertThat(owner.mayPublish(owner.term(), now)).as("it leaves").isTrue();
  }

  @Test
  void itBeginsWhenTheOneBeforeKnows() {
    owner.tick(now, list());
    owner.tick(now + 1, list());
    assertThat(owner.mayBegin(now + 1)).isFalse();
    now++;
    run(3_000, list());
    assertThat(owner.mayBegin(now)).isTrue();
  }

  @Test
  void aLoopThatStoodStillForLongerThanTheLeasePublishesNothingUntilOthersHaveHeard() {
    Peer before = peer("c", Peer.State.LIVE, true, now + 500);
    run(5_000, list(before));
    long term = owner.term();
    assertThat(owner.mayPublish(term, now)).isTrue();
    assertThat(owner.mayPublish(term, now + 3_001)).isFalse();
    now += 4_000;
    owner.tick(now, list(before));
    assertThat(owner.mayPublish(owner.term(), now)).isFalse();
    assertThat(owner.note()).containsExactly(0);
    run(100, list(peer("c", Peer.State.LIVE, true, now + 1)));
    assertThat(owner.mayPublish(owner.term(), now)).isTrue();
    assertThat(owner.mayPublish(term, now)).as("what was begun before").isFalse();
  }

  @Test
  void whoLeavesOwnsNothing() {
    run(5_000, list());
    owner.leave();
    run(100, list());
    assertThat(owner.mayPublish(owner.term(), now)).isFalse();
    assertThat(owner.note()).containsExactly(0);
  }
}
