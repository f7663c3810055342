package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.bus.BusMessage.TableChanged;
import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MessageSealTest {
  private static final String SECRET = "0123456789abcdef";
  private static final long NOW = 1_700_000_000_000L;
  private static final long LIFE = 2;

  private final MessageSeal seal = new MessageSeal(with(SECRET));

  private static ClusterKey with(String... secrets) {
    return ClusterKey.of(() -> List.of(secrets));
  }

  private static Envelope message(long sequence, long sent) {
    return new Envelope(LIFE, sequence, sent, new TableChanged(sequence));
  }

  private static Rejection rejection(MessageSeal by, byte[] bytes) {
    MessageSeal.Opened opened = by.open(bytes, NOW);
    assertThat(opened.envelope()).isEmpty();
    return opened.rejection().orElseThrow();
  }

  @Test
  void aMessageOfAProcessWithTheSecretIsOpened() {
    byte[] bytes = seal.seal(message(1, NOW));
    assertThat(new MessageSeal(with(SECRET)).open(bytes, NOW).envelope()).contains(message(1, NOW));
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
  }

  @Test
  void everyChangedBitMakesTheOriginUnproven() {
    byte[] bytes = seal.seal(message(1, NOW));
    for (int i = 0; i < 8 * bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i >> 3] ^= (byte) (1 << (i & 7));
      assertThat(rejection(seal, changed)).isEqualTo(Rejection.UNPROVEN);
    }
    assertThat(seal.open(bytes, NOW).envelope()).isPresent();
  }

  @Test
  void aMessageWithoutAMacOrWithThatOfAnotherSecretIsUnproven() {
    MessageSeal open = new MessageSeal(ClusterKey.NONE);
    MessageSeal other = new MessageSeal(with(SECRET + "x"));
    assertThat(rejection(seal, open.seal(message(1, NOW)))).isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(seal, other.seal(message(1, NOW)))).isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(seal, new byte[0])).isEqualTo(Rejection.UNPROVEN);
    assertThat(rejection(seal, new byte[31])).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void withoutASecretMessagesAreReadAsTheyAre() {
    MessageSeal open = new MessageSeal(ClusterKey.NONE);
    byte[] bytes = open.seal(message(1, NOW));
    assertThat(bytes).isEqualTo(MessageForm.toBytes(message(1, NOW)));
    assertThat(open.open(bytes, NOW).envelope()).isPresent();
    assertThat(rejection(open, new byte[] {1, 2, 3})).isEqualTo(Rejection.UNREADABLE);
    assertThat(rejection(open, seal.seal(message(2, NOW)))).isEqualTo(Rejection.UNREADABLE);
  }

  @Test
  void aMessageCountsOnceAndOlderOnesOfItsSenderNotAtAll() {
    byte[] second = seal.seal(message(2, NOW));
    assertThat(seal.open(second, NOW).envelope()).isPresent();
    assertThat(rejection(seal, second)).isEqualTo(Rejection.REPEATED);
    assertThat(rejection(seal, seal.seal(message(1, NOW)))).isEqualTo(Rejection.REPEATED);
    assertThat(seal.open(seal.seal(message(3, NOW)), NOW).envelope()).isPresent();
    Envelope nextLife = new Envelope(6, 0, NOW, new TableChanged(1));
    assertThat(seal.open(seal.seal(nextLife), NOW).envelope()).isPresent();
  }

  @Test
  void aMessageFromLongAgoOrFromTheFutureIsStale() {
    long skew = MessageSeal.MAX_SKEW_MILLIS;
    assertThat(rejection(seal, seal.seal(message(1, NOW - skew - 1)))).isEqualTo(Rejection.STALE);
    assertThat(rejection(seal, seal.seal(message(1, NOW + skew + 1)))).isEqualTo(Rejection.STALE);
    assertThat(rejection(seal, seal.seal(message(1, Long.MIN_VALUE)))).isEqualTo(Rejection.STALE);
    assertThat(seal.open(seal.seal(message(1, NOW - skew)), NOW).envelope()).isPresent();
    assertThat(seal.open(seal.seal(message(2, NOW + skew)), NOW).envelope()).isPresent();
  }

  @Test
  void aMessageThatIsTooLongIsNotLookedAt() {
    assertThat(rejection(seal, new byte[MessageSeal.MAX_BYTES + 1])).isEqualTo(Rejection.TOO_LONG);
    assertThat(rejection(seal, new byte[MessageSeal.MAX_BYTES])).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void aSecretThatIsReadAgainHoldsFromThenOn() {
    AtomicReference<String> secret = new AtomicReference<>(SECRET);
    MessageSeal changing = new MessageSeal(ClusterKey.of(() -> List.of(secret.get())));
    assertThat(changing.open(seal.seal(message(1, NOW)), NOW).envelope()).isPresent();
    secret.set("another secret text");
    assertThat(rejection(changing, seal.seal(message(2, NOW)))).isEqualTo(Rejection.UNPROVEN);
  }

  @Test
  void messagesPassWhileTheSecretIsBeingChanged() {
    MessageSeal changing = new MessageSeal(with(SECRET, "another secret text"));
    MessageSeal changed = new MessageSeal(with("another secret text", SECRET));
    assertThat(changing.open(seal.seal(message(1, NOW)), NOW).envelope()).isPresent();
    assertThat(changing.open(changed.seal(message(2, NOW)), NOW).envelope()).isPresent();
    assertThat(changed.open(changing.seal(message(1, NOW)), NOW).envelope()).isPresent();
  }
}
