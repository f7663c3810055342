package io.fleetgauge.cluster.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PeerMachineTest {
  private static final long NOW = 1_000_000;

  private final PeerMachine machine = new PeerMachine("b", 1);
  private final List<String> sentTo = new ArrayList<>();
  private final List<Heartbeat> sent = new ArrayList<>();

  private static Heartbeat beat(String from, long life, long sent) {
    return new Heartbeat(from, life, sent, 0, 0, false, Map.of());
  }

  private static Heartbeat answer(String from, long sent, long to, long answered) {
    return new Heartbeat(from, 7, sent, to, answered, false, Map.of());
  }

  private static Heartbeat goodbye(String from, long life, long sent) {
    return new Heartbeat(from, life, sent, 0, 0, true, Map.of());
  }

  private void lists(String... others) {
    machine.listed(Optional.of(Set.of(others)), others.length + 1, NOW);
  }

  private void tick(long now) {
    machine.tick(
        now,
        (to, beat) -> {
          sentTo.add(to);
          sent.add(beat);
        });
  }

  private Peer.State state(String of) {
    return machine.list().of(of).orElseThrow().state();
  }

  @Test
  void whoFallsSilentIsNotLiveAfterFourSecondsButCountedForTwoMinutes() {
    machine.heard(beat("a", 2, 1), NOW);
    tick(NOW + PeerMachine.SILENT_MILLIS - 1);
    assertThat(state("a")).isEqualTo(Peer.State.LIVE);
    tick(NOW + PeerMachine.SILENT_MILLIS);
    assertThat(state("a")).isEqualTo(Peer.State.SILENT);
    tick(NOW + PeerMachine.COUNTED_MILLIS);
    assertThat(machine.list().count()).isEqualTo(2);
    tick(NOW + PeerMachine.COUNTED_MILLIS + 1);
    assertThat(machine.list().count()).isEqualTo(1);
  }

  @Test
  void whoSaysGoodbyeIsNotCountedAndALateHeartbeatChangesNothing() {
    machine.heard(beat("a", 2, 1), NOW);
    machine.heard(goodbye("a", 2, 3), NOW);
    assertThat(machine.heard(beat("a", 2, 2), NOW)).isFalse();
    assertThat(state("a")).isEqualTo(Peer.State.GONE);
    assertThat(machine.list().count()).isEqualTo(1);
  }

  @Test
  void whoIsStartedAgainReplacesItsEarlierLifeWhichDoesNotComeBack() {
    machine.heard(beat("a", 2, 100), NOW);
    machine.heard(beat("a", 3, 1), NOW);
    assertThat(machine.heard(beat("a", 2, 101), NOW)).isFalse();
    assertThat(machine.list().others()).extracting(Peer::life).containsExactly(3L);
  }

  @Test
  void membersThatAreNotHeardYetAreCounted() {
    machine.heard(beat("a", 2, 1), NOW);
    machine.listed(Optional.of(Set.of("a")), 4, NOW);
    assertThat(machine.list().count()).isEqualTo(4);
    machine.listed(Optional.of(Set.of()), 1, NOW);
    assertThat(machine.list().count()).isEqualTo(2);
  }

  @Test
  void itsOwnHeartbeatsAndMoreThanTheMostPeersAreNotCounted() {
    machine.heard(beat("b", 9, 1), NOW);
    assertThat(machine.list().count()).isEqualTo(1);
    for (int i = 0; i < 500; i++) {
      machine.heard(beat("p" + i, 100 + i, 1), NOW);
    }
    assertThat(machine.list().count()).isEqualTo(200);
  }

  @Test
  void theVersionRisesWhenSomebodyComesFallsSilentOrGoesAndNotWithEachHeartbeat() {
    long first = machine.list().version();
    machine.heard(beat("a", 2, 1), NOW);
    long came = machine.list().version();
    assertThat(came).isGreaterThan(first);
    machine.heard(beat("a", 2, 2), NOW + 1);
    assertThat(machine.list().version()).isEqualTo(came);
    tick(NOW + PeerMachine.SILENT_MILLIS + 1);
    long silent = machine.list().version();
    assertThat(silent).isGreaterThan(came);
    machine.heard(goodbye("a", 2, 3), NOW + PeerMachine.SILENT_MILLIS + 2);
    assertThat(machine.list().version()).isGreaterThan(silent);
  }

  @Test
  void whoIsListedIsSentAHeartbeatTwiceASecond() {
    lists("a", "c");
    for (long now = NOW; now < NOW + 1_000; now += 100) {
      tick(now);
    }
    assertThat(sentTo).containsExactlyInAnyOrder("a", "c", "a", "c");
    assertThat(sent).extracting(Heartbeat::sent).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aNoteIsSentUntilItsReceiverHasAcknowledgedIt() {
    byte[][] note = {{1}};
    machine.tell("t", false, () -> note[0]);
    assertThat(machine.to("a", NOW).notes()).containsKey("t");
    long acknowledged = machine.to("a", NOW + 1).sent();
    machine.heard(answer("a", 1, 1, acknowledged), NOW + 2);
    assertThat(machine.to("a", NOW + 3).notes()).isEmpty();
    assertThat(machine.to("c", NOW + 3).notes()).as("another one").containsKey("t");
    note[0] = new byte[] {2};
    assertThat(machine.to("a", NOW + 4).notes()).containsKey("t");
    machine.heard(answer("a", 2, 1, acknowledged), NOW + 5);
    assertThat(machine.to("a", NOW + 6).notes()).as("it has the note before").containsKey("t");
    machine.heard(new Heartbeat("a", 8, 1, 0, 0, false, Map.of()), NOW + 7);
    assertThat(machine.to("a", NOW + 8).notes()).as("it was started again").containsKey("t");
  }

  @Test
  void aPeerThatDroppedThisProcessHasItsNotesAgainAfterAMinute() {
    PeerMachine other = new PeerMachine("a", 7);
    machine.tell("t", false, () -> new byte[] {1});
    other.heard(machine.to("a", NOW), NOW);
    machine.heard(other.to("b", NOW), NOW);
    long later = NOW + PeerMachine.COUNTED_MILLIS + 1;
    other.tick(later, (to, beat) -> {});
    assertThat(other.list().of("b")).as("dropped").isEmpty();

    Heartbeat next = machine.to("a", NOW + PeerMachine.RENEW_MILLIS - 1_000);
    assertThat(next.notes()).as("nothing is new").isEmpty();
    other.heard(next, later);
    machine.heard(other.to("b", later), later);
    other.heard(machine.to("a", NOW + PeerMachine.RENEW_MILLIS), later + 1);
    assertThat(other.list().of("b").orElseThrow().notes()).containsKey("t");
  }

  @Test
  void onlyAnUrgentNoteIsSentBeforeItsTurn() {
    byte[][] notes = {{1}, {1}};
    machine.tell("calm", false, () -> notes[0]);
    machine.tell("urgent", true, () -> notes[1]);
    lists("a");
    tick(NOW);
    notes[0] = new byte[] {2};
    tick(NOW + 100);
    assertThat(sent).hasSize(1);
    notes[1] = new byte[] {2};
    tick(NOW + 200);
    assertThat(sent).hasSize(2);
    tick(NOW + 300);
    assertThat(sent).hasSize(2);
  }

  @Test
  void anAcknowledgementIsOfThisLifeAndOfWhatTheOtherHasHeardLast() {
    lists("a");
    machine.heard(answer("a", 1, 99, 1_000 * NOW), NOW);
    assertThat(machine.list().haveHeardSince(0)).as("of another life").isFalse();
    machine.heard(answer("a", 2, 1, 1_000 * NOW + 7), NOW);
    assertThat(machine.list().haveHeardSince(NOW - 1)).isTrue();
    assertThat(machine.list().haveHeardSince(NOW)).isFalse();
    lists("a", "c");
    assertThat(machine.list().haveHeardSince(NOW - 1)).as("not all").isFalse();
  }

  @Test
  void whoLeavesTellsTheOthersAndNothingMore() {
    lists("a");
    machine.leave(NOW, (to, beat) -> sent.add(beat));
    assertThat(sent).extracting(Heartbeat::leaving).containsExactly(true);
    tick(NOW + 1_000);
    assertThat(sent).hasSize(1);
  }

  @Test
  void aHeartbeatHasTheBytesThatAreDrawn() throws WireException {
    Heartbeat beat = new Heartbeat("n1", 2, 300, 3, 5, false, Map.of("t", new byte[] {9}));
    byte[] bytes = HeartbeatForm.toBytes(beat);
    assertThat(java.util.HexFormat.of().formatHex(bytes))
        .isEqualTo(
            "01"
                + "026e31"
                + "0200000000000000"
                + "ac02"
                + "0300000000000000"
                + "05"
                + "00"
                + "01"
                + "0174"
                + "01"
                + "09");
    Heartbeat read = HeartbeatForm.fromBytes(bytes);
    assertThat(read.notes().get("t")).containsExactly(9);
    assertThat(HeartbeatForm.toBytes(read)).isEqualTo(bytes);
  }
}
