package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Proves the messages of one stream and verifies them, each in its place. For one thread. */
final class StreamSeal {
  static final int NONCE_BYTES = 16;

  private final ClusterKey key;
  private final byte[] sends;
  private final byte[] receives;
  private long sent;
  private long received;

  /**
   * @param opening the nonce of the end that opened the stream
   * @param accepting the nonce of the other end
   * @param opens whether this end opened it
   */
  StreamSeal(ClusterKey key, byte[] opening, byte[] accepting, boolean opens) {
    this.key = key;
    this.sends = direction(opening, accepting, opens);
    this.receives = direction(opening, accepting, !opens);
  }

  private static byte[] direction(byte[] opening, byte[] accepting, boolean isOfOpening) {
    return ByteBuffer.allocate(2 * NONCE_BYTES + 1)
        .put(opening)
        .put(accepting)
        .put((byte) (isOfOpening ? 0 : 1))
        .array();
  }

  /** What is proven of a body; nothing without a secret. Safe for all threads. */
  static byte[] digest(ClusterKey key, byte[] body) {
    if (!key.isSet()) {
      return new byte[0];
    }
    try {
      return MessageDigest.getInstance("SHA-256").digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** The proof of the next message that is sent. */
  byte[] sign(byte[] head, byte[] digest) {
    return key.sign(Purpose.STREAM, sends, count(sent++), head, digest);
  }

  /** Whether the next message that is received is proven. */
  boolean verifies(byte[] proof, byte[] head, byte[] digest) {
    return key.verifies(proof, Purpose.STREAM, receives, count(received++), head, digest);
  }

  private static byte[] count(long count) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, count).array();
  }
}
