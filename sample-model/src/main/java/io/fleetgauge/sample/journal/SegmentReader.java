package io.fleetgauge.sample.journal;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** Reads the records of one segment in order. Not for several threads. */
public final class SegmentReader {
  /** Receives the bytes that are no undamaged record. */
  @FunctionalInterface
  public interface DamageListener {
    /**
     * @param file the segment
     * @param offset the first byte
     * @param length how many bytes are lost
     * @param reason what is wrong with them
     */
    void damaged(Path file, long offset, long length, String reason);
  }

  private final Path file;
  private final DamageListener damage;
  private final ByteBuffer bytes;
  private int position;

  /** Where the last undamaged record ends. */
  private int goodEnd;

  /**
   * @throws IOException if the file cannot be read
   */
  public SegmentReader(Path file, DamageListener damage) throws IOException {
    this(file, SegmentFormat.HEADER, damage, Arena.ofAuto());
  }

  /**
   * @param arena holds the file's memory; a file that is removed takes its place until it is closed
   */
  SegmentReader(Path file, byte[] header, DamageListener damage, Arena arena) throws IOException {
    this.file = file;
    this.damage = damage;
    try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
      bytes =
          channel
              .map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena)
              .asByteBuffer()
              .order(ByteOrder.LITTLE_ENDIAN);
    }
    position = Math.min(header.length, bytes.limit());
    goodEnd = position;
    for (int i = 0; i < position; i++) {
      if (bytes.get(i) != header[i]) {
        damage.damaged(file, 0, header.length, "the segment's header is wrong");
        break;
      }
    }
  }

  /**
   * The next undamaged record; null when there is none. Damaged records, and bytes up to the next
   * head, are skipped and reported to the listener, unless no undamaged record follows them: then
   * they are the torn tail.
   */
  public byte[] next() {
    int damagedFrom = -1;
    String reason = "";
    while (position < bytes.limit()) {
      if (!SegmentFormat.isHead(bytes, position)) {
        damagedFrom = damagedFrom < 0 ? position : damagedFrom;
        reason = reason.isEmpty() ? "no record begins here" : reason;
        position++;
        continue;
      }
      int length = bytes.getInt(position + 4);
      int from = position + SegmentFormat.HEAD_BYTES;
      if (length > bytes.limit() - from) {
        damagedFrom = damagedFrom < 0 ? position : damagedFrom;
        reason = "a record of " + length + " bytes is cut off";
        position++;
        continue;
      }
      byte[] record = new byte[length];
      bytes.get(from, record);
      CRC32C check = new CRC32C();
      check.update(record);
      if ((int) check.getValue() == bytes.getInt(position + 8)) {
        report(damagedFrom, position, reason);
        position = from + length;
        goodEnd = position;
        return record;
      }
      damagedFrom = damagedFrom < 0 ? position : damagedFrom;
      reason = "the checksum of a record of " + length + " bytes is wrong";
      // Its head is undamaged, so its length is known.
      position = from + length;
    }
    return null;
  }

  private void report(int from, int to, String reason) {
    if (from >= 0) {
      damage.damaged(file, from, to - from, reason);
    }
  }

  /** Where the last undamaged record ends, after {@link #next} returned null. */
  public long goodEnd() {
    return goodEnd;
  }

  /** Bytes after the last undamaged record, after {@link #next} returned null. */
  public long tornBytes() {
    return bytes.limit() - goodEnd;
  }
}
