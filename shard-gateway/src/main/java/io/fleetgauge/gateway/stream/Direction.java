package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.trust.Seal;
import java.nio.ByteBuffer;

/**
 * One direction of a stream: its messages are proven one by one, each in its place. For one thread.
 */
final class Direction {
  static final int NONCE_BYTES = 16;

  private final Seal seal;
  private final byte[] stream;
  private final byte[] place = new byte[Long.BYTES];
  private final ByteBuffer count = ByteBuffer.wrap(place);
  private long messages;

  /**
   * @param opening the nonce of the end that opened the stream
   * @param accepting the nonce of the other end
   * @param isOfOpening true for the messages of the end that opened it
   */
  Direction(Seal seal, byte[] opening, byte[] accepting, boolean isOfOpening) {
    this.seal = seal;
    this.stream =
        ByteBuffer.allocate(2 * NONCE_BYTES + 1)
            .put(opening)
            .put(accepting)
            .put((byte) (isOfOpening ? 0 : 1))
            .array();
  }

  /**
   * The proof of the next message.
   *
   * @param digest of its body; empty where no secret is set
   */
  byte[] sign(byte[] head, byte[] digest) {
    count.putLong(0, messages++);
    return seal.sign(stream, place, head, digest);
  }

  /** Returns true if the next message is proven. */
  boolean verifies(byte[] proof, byte[] head, byte[] digest) {
    count.putLong(0, messages++);
    return seal.verifies(proof, stream, place, head, digest);
  }
}
