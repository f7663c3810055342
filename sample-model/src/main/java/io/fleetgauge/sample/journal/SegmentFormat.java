package io.fleetgauge.sample.journal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Constants and checks of the format that the package describes. */
final class SegmentFormat {
  static final byte[] HEADER = {'F', 'G', 'J', 'L', 1};
  static final int MAGIC = 'R' | 'E' << 8 | 'C' << 16 | '1' << 24;
  static final int HEAD_BYTES = 16;
  static final String SUFFIX = ".journal";

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private SegmentFormat() {}

  static Path file(Path folder, long number) {
    return folder.resolve(String.format("%016d", number) + SUFFIX);
  }

  /** The segment's number from its file name; -1 when the file is no segment. */
  static long number(Path file) {
    String name = file.getFileName().toString();
    if (!name.endsWith(SUFFIX)) {
      return -1;
    }
    try {
      return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  static boolean isSegment(String name) {
    return number(Path.of(name)) >= 0;
  }

  /** The head of a record. */
  static byte[] head(byte[] record) {
    byte[] head = new byte[HEAD_BYTES];
    INT.set(head, 0, MAGIC);
    INT.set(head, 4, record.length);
    CRC32C check = new CRC32C();
    check.update(record);
    INT.set(head, 8, (int) check.getValue());
    check.reset();
    check.update(head, 0, 12);
    INT.set(head, 12, (int) check.getValue());
    return head;
  }

  /** Whether an undamaged head begins at this byte. */
  static boolean isHead(ByteBuffer bytes, int at) {
    if (at + HEAD_BYTES > bytes.limit() || bytes.getInt(at) != MAGIC || bytes.getInt(at + 4) < 0) {
      return false;
    }
    CRC32C check = new CRC32C();
    check.update(bytes.duplicate().position(at).limit(at + 12));
    return (int) check.getValue() == bytes.getInt(at + 12);
  }
}
