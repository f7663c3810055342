package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.sample.wire.WireException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves that a message comes from a process of this cluster, and is new. Safe for all threads.
 *
 * <pre>
 * sealed = envelope mac:32 bytes      HMAC-SHA256 of the envelope with the cluster's secret
 * sealed = envelope                   where no secret is set
 * </pre>
 *
 * <p>Hazelcast has no TLS in the free edition, so any process that reaches its port could send
 * messages. The secret itself never travels. A message counts once: its sequence number rises with
 * each message of one life of its sender, and its time must be close to the receiver's.
 */
final class MessageSeal {
  /** Longer messages are rejected, bytes. */
  static final int MAX_BYTES = 1 << 20;

  /** How much the time of a message may differ from the receiver's, ms. */
  static final long MAX_SKEW_MILLIS = 30_000;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int MAC_BYTES = 32;
  private static final int MAX_SENDERS = 1_000;

  private final Supplier<String> secret;
  // By life; the sender that was silent longest is forgotten first.
  private final Map<Long, Long> newest = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param secret the cluster's; empty when none is set
   */
  MessageSeal(Supplier<String> secret) {
    this.secret = secret;
  }

  /** A message that was accepted, or why it was not. */
  record Opened(Optional<Envelope> envelope, Optional<Rejection> rejection) {
    private static Opened rejected(Rejection why) {
      return new Opened(Optional.empty(), Optional.of(why));
    }
  }

  byte[] seal(Envelope envelope) {
    byte[] bytes = MessageForm.toBytes(envelope);
    String key = secret.get();
    if (key.isEmpty()) {
      return bytes;
    }
    byte[] sealed = Arrays.copyOf(bytes, bytes.length + MAC_BYTES);
    System.arraycopy(mac(key, bytes, bytes.length), 0, sealed, bytes.length, MAC_BYTES);
    return sealed;
  }

  /**
   * @param now ms since the epoch
   */
  Opened open(byte[] sealed, long now) {
    if (sealed.length > MAX_BYTES) {
      return Opened.rejected(Rejection.TOO_LONG);
    }
    String key = secret.get();
    byte[] bytes = sealed;
    if (!key.isEmpty()) {
      int length = sealed.length - MAC_BYTES;
      if (length < 0
          || !MessageDigest.isEqual(
              mac(key, sealed, length), Arrays.copyOfRange(sealed, length, sealed.length))) {
        return Opened.rejected(Rejection.UNPROVEN);
      }
      bytes = Arrays.copyOf(sealed, length);
    }
    Envelope envelope;
    try {
      envelope = MessageForm.fromBytes(bytes);
    } catch (WireException e) {
      return Opened.rejected(Rejection.UNREADABLE);
    }
    long sent = envelope.sent();
    if (sent < now - MAX_SKEW_MILLIS || sent > now + MAX_SKEW_MILLIS) {
      return Opened.rejected(Rejection.STALE);
    }
    return isNew(envelope)
        ? new Opened(Optional.of(envelope), Optional.empty())
        : Opened.rejected(Rejection.REPEATED);
  }

  private synchronized boolean isNew(Envelope envelope) {
    long before = newest.getOrDefault(envelope.sender().life(), -1L);
    if (envelope.sequence() <= before) {
      return false;
    }
    newest.put(envelope.sender().life(), envelope.sequence());
    if (newest.size() > MAX_SENDERS) {
      newest.remove(newest.keySet().iterator().next());
    }
    return true;
  }

  private static byte[] mac(String key, byte[] bytes, int length) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      mac.update(bytes, 0, length);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
