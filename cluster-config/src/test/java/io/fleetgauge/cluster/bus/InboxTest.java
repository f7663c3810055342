package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.bus.BusMessage.TableChanged;
import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class InboxTest {
  private static final String SECRET = "0123456789abcdef";
  private static final long NOW = 1_700_000_000_000L;
  private static final long LIFE = 2;

  private final Inbox inbox = inbox(with(SECRET));

  private static ClusterKey with(String... secrets) {
    return ClusterKey.of(() -> List.of(secrets));
  }

  private static Envelope message(long sequence, long sent) {
    return new Envelope(LIFE, sequence, sent, new TableChanged(sequence));
  }

  private static Inbox inbox(ClusterKey key) {
    return new Inbox(new Seal(key, Purpose.MESSAGE));
  }

  private static byte[] sealed(ClusterKey key, Envelope envelope) {
    return new Seal(key, Purpose.MESSAGE).seal(MessageForm.toBytes(envelope));
  }

  private static byte[] sealed(Envelope envelope) {
    return sealed(with(SECRET), envelope);
  }

  private static Rejection rejection(Inbox by, byte[] bytes) {
    Inbox.Opened opened = by.open(bytes, NOW);
    assertThat(opened.envelope()).isEmpty();
    return opened.rejection().orElseThrow();
  }

  @Test
  void aMessageOfAProcessWithTheSecretIsOpened() {
    byte[] bytes = sealed(message(1, NOW));
    assertThat(inbox(with(SECRET)).open(bytes, NOW).envelope()).contains(message(1, NOW));
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
  }

  @Test
  void everyChangedBitMakesTheOriginUnproven() {
    byte[] bytes = sealed(message(1, NOW));
    for (int i = 0; i < 8 * bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i >> 3] ^= (byte) (1 << (i & 7));
      assertThat(rejection(inbox, changed)).isEqualTo(Rejection.UNPROVEN);
    }
    assertThat(inbox.open(bytes, NOW).envelope()).isPresent();
  }

  @Test
  void aMessageWithoutAMacOrWithThatOfAnotherSecretIsUnproven() {
    ClusterKey other = with(SECRET + "x");
    assertThat(rejection(inbox, sealed(ClusterKey.NONE, message(1, NOW))))
        .isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(inbox, sealed(other, message(1, NOW)))).isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(inbox, new byte[0])).isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(inbox, new byte[31])).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void whatWasSealedForAnotherPurposeOrPlaceIsUnproven() {
    byte[] bytes = MessageForm.toBytes(message(1, NOW));
    Seal entry = new Seal(with(SECRET), Purpose.ENTRY);
    Seal elsewhere = new Seal(with(SECRET), Purpose.MESSAGE);
    assertThat(rejection(inbox, entry.seal(bytes))).isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(inbox, elsewhere.seal(bytes, "place"))).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void withoutASecretMessagesAreReadAsTheyAre() {
    Inbox open = inbox(ClusterKey.NONE);
    byte[] bytes = sealed(ClusterKey.NONE, message(1, NOW));
    assertThat(bytes).isEqualTo(MessageForm.toBytes(message(1, NOW)));
    assertThat(open.open(bytes, NOW).envelope()).isPresent();
    assertThat(rejection(open, new byte[] {1, 2, 3})).isEqualTo(Rejection.UNREADABLE);
    assertThat(rejection(open, sealed(message(2, NOW)))).isEqualTo(Rejection.UNREADABLE);
  }

  @Test
  void aMessageCountsOnceAndOlderOnesOfItsSenderNotAtAll() {
    byte[] second = sealed(message(2, NOW));
    assertThat(inbox.open(second, NOW).envelope()).isPresent();
    assertThat(rejection(inbox, second)).isEqualTo(Rejection.REPEATED);
    assertThat(rejection(inbox, sealed(message(1, NOW)))).isEqualTo(Rejection.REPEATED);
    assertThat(inbox.open(sealed(message(3, NOW)), NOW).envelope()).isPresent();
    Envelope nextLife = new Envelope(6, 0, NOW, new TableChanged(1));
    assertThat(inbox.open(sealed(nextLife), NOW).envelope()).isPresent();
  }

  @Test
  void aMessageFromLongAgoOrFromTheFutureIsStale() {
    long skew = Inbox.MAX_SKEW_MILLIS;
    assertThat(rejection(inbox, sealed(message(1, NOW - skew - 1)))).isEqualTo(Rejection.STALE);
    assertThat(rejection(inbox, sealed(message(1, NOW + skew + 1)))).isEqualTo(Rejection.STALE);
    assertThat(rejection(inbox, sealed(message(1, Long.MIN_VALUE)))).isEqualTo(Rejection.STALE);
    assertThat(inbox.open(sealed(message(1, NOW - skew)), NOW).envelope()).isPresent();
    assertThat(inbox.open(sealed(message(2, NOW + skew)), NOW).envelope()).isPresent();
  }

  @Test
  void aMessageThatIsTooLongIsNotLookedAt() {
    assertThat(rejection(inbox, new byte[Inbox.MAX_BYTES + 1])).isEqualTo(Rejection.TOO_LONG);
    assertThat(rejection(inbox, new byte[Inbox.MAX_BYTES])).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void aSecretThatIsReadAgainHoldsFromThenOn() {
    AtomicReference<String> secret = new AtomicReference<>(SECRET);
    Inbox changing = inbox(ClusterKey.of(() -> List.of(secret.get())));
    assertThat(changing.open(sealed(message(1, NOW)), NOW).envelope()).isPresent();
    secret.set("another secret text");
    assertThat(rejection(changing, sealed(message(2, NOW)))).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void messagesPassWhileTheSecretIsBeingChanged() {
    ClusterKey changing = with(SECRET, "another secret text");
    ClusterKey changed = with("another secret text", SECRET);
    Inbox first = inbox(changing);
    assertThat(first.open(sealed(message(1, NOW)), NOW).envelope()).isPresent();
    assertThat(first.open(sealed(changed, message(2, NOW)), NOW).envelope()).isPresent();
    assertThat(inbox(changed).open(sealed(changing, message(1, NOW)), NOW).envelope()).isPresent();
  }
}
