package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.runtime.trust.Seal;
import io.fleetgauge.sample.wire.WireException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Opens the messages of other members. A message counts once: its sequence number rises with each
 * message of one life of its sender, and its time must be close to the receiver's. Not for several
 * threads.
 */
final class Inbox {
  /** Longer messages are rejected, bytes. */
  static final int MAX_BYTES = 1 << 20;

  /** Largest difference between the time of a message and the receiver's, ms. */
  static final long MAX_SKEW_MILLIS = 30_000;

  private static final int MAX_SENDERS = 1_000;

  private final Seal seal;
  // By life; the sender that was silent longest is forgotten first.
  private final Map<Long, Long> newest = new LinkedHashMap<>(16, 0.75f, true);

  Inbox(Seal seal) {
    this.seal = seal;
  }

  /** A message that was accepted, or why it was not. */
  record Opened(Optional<Envelope> envelope, Optional<Rejection> rejection) {
    private static Opened rejected(Rejection why) {
      return new Opened(Optional.empty(), Optional.of(why));
    }
  }

  /**
   * @param now ms since the epoch
   */
  Opened open(byte[] sealed, long now) {
    if (sealed.length > MAX_BYTES) {
      return Opened.rejected(Rejection.TOO_LONG);
    }
    Optional<byte[]> bytes = seal.open(sealed);
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

  private boolean isNew(Envelope envelope) {
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
