package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.wire.WireWriter;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Numbers of the format that both sides use; the drawing is in the package's description. */
final class FrameFormat {
  static final int MAGIC_0 = 'F';
  static final int MAGIC_1 = 'G';
  static final int VERSION = 1;
  static final int KIND_TICK = 1;
  static final int KIND_DICTIONARY = 2;
  static final int HEADER_BYTES = 12;
  static final int LENGTH_AT = 4;
  static final int CHECK_AT = 8;

  static final int INTEGER = 0;
  static final int DOUBLE = 1;
  static final int STALE = 2;
  static final int HISTOGRAM = 3;

  private FrameFormat() {}

  static int check(byte[] bytes, int frameAt, int bodyLength) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.wrap(bytes, frameAt + 2, CHECK_AT - 2));
    crc.update(ByteBuffer.wrap(bytes, frameAt + HEADER_BYTES, bodyLength));
    return (int) crc.getValue();
  }

  /** Bytes of a string in a frame. */
  static int bytes(String text) {
    int bytes = WireWriter.utf8Length(text);
    return WireWriter.uvarLength(bytes) + bytes;
  }

  /** Bytes of a label set in a frame. */
  static int bytes(int[] references) {
    int bytes = WireWriter.uvarLength(references.length / 2);
    for (int reference : references) {
      bytes += WireWriter.uvarLength(reference);
    }
    return bytes;
  }
}
