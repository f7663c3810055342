package io.fleetgauge.gateway.stream;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.buffer.Buffer;

/**
 * One message, as the package draws it.
 *
 * @param kind {@link #ANSWER}, or that of a question
 * @param number of the question
 * @param fields of a question; an answer has none
 */
record Message(int kind, long number, byte[] fields, byte[] body) {
  static final int ANSWER = 0;

  /** Bytes before the head. */
  static final int PREFIX = 7;

  static final int MAX_HEAD = StreamQuestion.MAX_FIELDS + 16;

  private static final byte[] NOTHING = {};

  static Message answer(long number, byte[] body) {
    return new Message(ANSWER, number, NOTHING, body);
  }

  static Message of(long number, StreamQuestion question) {
    return new Message(question.kind(), number, question.fields(), question.body());
  }

  byte[] head() {
    return new WireWriter(16 + fields.length)
        .u8(kind)
        .uvar(number)
        .raw(fields, 0, fields.length)
        .toBytes();
  }

  static void write(byte[] head, byte[] proof, byte[] body, Buffer out) {
    out.appendIntLE(3 + head.length + proof.length + body.length)
        .appendUnsignedShortLE(head.length)
        .appendUnsignedByte((short) proof.length)
        .appendBytes(head)
        .appendBytes(proof)
        .appendBytes(body);
  }

  /**
   * @throws WireException if the head is none
   */
  static Message read(byte[] head, byte[] body) throws WireException {
    WireReader in = new WireReader(head);
    int kind = in.u8("the kind of a message");
    long number = in.uvar("the number of a message");
    return new Message(kind, number, in.raw(in.left(), "fields"), body);
  }
}
