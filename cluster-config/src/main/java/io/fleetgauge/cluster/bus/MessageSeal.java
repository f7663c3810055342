package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.sample.wire.WireException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Proves that a message comes from a process of this cluster, and is new. Safe for all threads.
 *
 * <pre>
 * sealed = envelope signature:32 bytes      of the envelope, by {@link ClusterKey}
 * sealed = envelope                         where no secret is set
 * </pre>
 *
 * <p>Hazelcast has no TLS in the free edition, so any process that reaches its port could send
 * messages. A message counts once: its sequence number rises with each message of one life of its
 * sender, and its time must be close to the receiver's.
 */
final class MessageSeal {
  /** Longer messages are rejected, bytes. */
  static final int MAX_BYTES = 1 << 20;

  /** Largest difference between the time of a message and the receiver's, ms. */
  static final long MAX_SKEW_MILLIS = 30_000;

  private static final int MAX_SENDERS = 1_000;

  private final ClusterKey key;
  // By life; the sender that was silent longest is forgotten first.
  private final Map<Long, Long> newest = new LinkedHashMap<>(16, 0.75f, true);

  MessageSeal(ClusterKey key) {
    this.key = key;
  }

  /** A message that was accepted, or why it was not. */
  record Opened(Optional<Envelope> envelope, Optional<Rejection> rejection) {
    private static Opened rejected(Rejection why) {
      return new Opened(Optional.empty(), Optional.of(why));
    }
  }

  byte[] seal(Envelope envelope) {
    return key.seal(Purpose.MESSAGE, MessageForm.toBytes(envelope));
  }

  /**
   * @param now ms since the epoch
   */
  Opened open(byte[] sealed, long now) {
    if (sealed.length > MAX_BYTES) {
      return Opened.rejected(Rejection.TOO_LONG);
    }
    Optional<byte[]> bytes = key.open(Purpose.MESSAGE, sealed);
    if (bytes.isEmpty()) {
      return Opened.rejected(Rejection.UNPROVEN);
    }
    Envelope envelope;
    try {
      envelope = MessageForm.fromBytes(bytes.get());
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
    long before = newest.getOrDefault(envelope.life(), -1L);
    if (envelope.sequence() <= before) {
      return false;
    }
    newest.put(envelope.life(), envelope.sequence());
    if (newest.size() > MAX_SENDERS) {
      newest.remove(newest.keySet().iterator().next());
    }
    return true;
  }
}
