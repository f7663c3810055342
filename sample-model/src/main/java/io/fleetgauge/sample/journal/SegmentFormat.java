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
  static final byte[] PACKED_HEADER = {'F', 'G', 'J', 'P', 1};
  static final int VERSION_AT = 4;
  static final int MAGIC = 'R' | 'E' << 8 | 'C' << 16 | '1' << 24;
  static final int HEAD_BYTES = 16;
  static final String SUFFIX = ".journal";
  static final String PACKED_SUFFIX = ".packed";

  /** Suffix of a packed segment that is being written. */
  static final String UNFINISHED = ".unfinished";

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private SegmentFormat() {}

  static Path file(Path folder, long number) {
    return folder.resolve(String.format("%016d", number) + SUFFIX);
  }

  static Path packedFile(Path folder, long number) {
    return folder.resolve(String.format("%016d", number) + PACKED_SUFFIX);
  }

  /** The segment's number from its file name; -1 when the file is no segment. */
  static long number(Path file) {
    return number(file.getFileName().toString(), SUFFIX);
  }

  /** The number of a packed segment from its file name; -1 when the file is none. */
  static long packedNumber(Path file) {
    return number(file.getFileName().toString(), PACKED_SUFFIX);
  }

  private static long number(String name, String suffix) {
    if (!name.endsWith(suffix)) {
      return -1;
    }
    try {
      return Long.parseLong(name.substring(0, name.length() - suffix.length()));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  static boolean isUnfinished(Path file) {
    return number(file.getFileName().toString(), PACKED_SUFFIX + UNFINISHED) >= 0;
  }

  static boolean isSegment(String name) {
    Path file = Path.of(name);
    return number(file) >= 0 || packedNumber(file) >= 0 || isUnfinished(file);
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

  /** Returns true if an undamaged head begins at this byte. */
  static boolean isHead(ByteBuffer bytes, int at) {
    if (at + HEAD_BYTES > bytes.limit() || bytes.getInt(at) != MAGIC || bytes.getInt(at + 4) < 0) {
      return false;
    }
    CRC32C check = new CRC32C();
    check.update(bytes.duplicate().position(at).limit(at + 12));
    return (int) check.getValue() == bytes.getInt(at + 12);
  }
}
