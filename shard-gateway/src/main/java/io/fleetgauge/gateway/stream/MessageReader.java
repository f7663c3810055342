package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Finds the messages in bytes that come in pieces. Memory is taken for bytes that have come, not
 * for those that are announced.
 */
final class MessageReader {
  private static final int USUAL = 64 << 10;
  private static final int LENGTH = 4;

  /** Not checked yet. */
  record Found(byte[] head, byte[] proof, byte[] body) {}

  private byte[] bytes = new byte[USUAL];
  private int from;
  private int to;

  void add(Buffer piece) {
    int more = piece.length();
    if (bytes.length - to < more) {
      byte[] target =
          to - from + more <= bytes.length
              ? bytes
              : new byte[Math.max(to - from + more, 2 * (to - from))];
      System.arraycopy(bytes, from, target, 0, to - from);
      to -= from;
      from = 0;
      bytes = target;
    }
    piece.getBytes(bytes, to);
    to += more;
  }

  /** The next bytes, when all of them have come. */
  Optional<byte[]> take(int length) {
    if (to - from < length) {
      return Optional.empty();
    }
    byte[] taken = Arrays.copyOfRange(bytes, from, from + length);
    taken(length);
    return Optional.of(taken);
  }

  /**
   * The next message, when all of it has come.
   *
   * @throws WireException if it is too long, or its lengths contradict each other
   */
  Optional<Found> next() throws WireException {
    if (to - from < Message.PREFIX) {
      return Optional.empty();
    }
    WireReader in = new WireReader(bytes, from, to);
    int length = in.u32("a length");
    int lengths = in.u8("a length") | in.u8("a length") << 8;
    int proof = in.u8("a length");
    int before = Message.PREFIX - LENGTH + lengths + proof;
    if (lengths > Message.MAX_HEAD || proof > ClusterKey.SIGNATURE_BYTES) {
      throw new WireException("a message with a head of " + lengths + " bytes");
    }
    if (length < before || length - before > StreamQuestion.MAX_BODY) {
      throw new WireException(
          "a message of "
              + Integer.toUnsignedString(length)
              + " bytes; the limit of its body is "
              + StreamQuestion.MAX_BODY);
    }
    if (to - from < LENGTH + length) {
      return Optional.empty();
    }
    Found found =
        new Found(
            in.raw(lengths, "a head"), in.raw(proof, "a proof"), in.raw(length - before, "a body"));
    taken(LENGTH + length);
    return Optional.of(found);
  }

  private void taken(int length) {
    from += length;
    if (from == to) {
      from = 0;
      to = 0;
      if (bytes.length > 16 * USUAL) {
        bytes = new byte[USUAL];
      }
    }
  }
}
