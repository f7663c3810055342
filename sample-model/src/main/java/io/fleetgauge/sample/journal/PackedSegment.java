package io.fleetgauge.sample.journal;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads the records of a packed segment, part by part. Not for several threads. */
final class PackedSegment {
  private static final byte CONTENTS = 'C';
  private static final byte PART = 'P';

  /** A line of the contents: where a part is, from the end of the contents on. */
  private record Line(long at, long length, String what) {}

  private final Path file;
  private final Packing packing;
  private final SegmentReader.DamageListener damage;
  private final SegmentReader reader;
  private final ArrayDeque<byte[]> unpacked = new ArrayDeque<>();
  private final List<Line> contents = new ArrayList<>();
  private long contentsEnd;
  private boolean isAtEnd;

  /**
   * @throws IOException if the file cannot be read
   */
  PackedSegment(Path file, Packing packing, SegmentReader.DamageListener damage)
      throws IOException {
    this.file = file;
    this.packing = packing;
    this.damage = damage;
    this.reader =
        new SegmentReader(file, SegmentFormat.PACKED_HEADER, this::damaged, Arena.ofAuto());
  }

  /**
   * The next record; null when there is none. Damaged parts are skipped and reported, with what was
   * in them.
   */
  byte[] next() {
    while (unpacked.isEmpty() && !isAtEnd) {
      byte[] part = reader.next();
      if (part == null) {
        isAtEnd = true;
        if (reader.tornBytes() > 0) {
          damaged(file, reader.goodEnd(), reader.tornBytes(), "it ends within a part");
        }
      } else if (part.length > 0 && part[0] == CONTENTS) {
        readContents(part);
      } else {
        unpack(part);
      }
    }
    return unpacked.poll();
  }

  private void unpack(byte[] part) {
    try {
      if (part.length == 0 || part[0] != PART) {
        throw new IOException("it begins with no kind that is known");
      }
      unpacked.addAll(packing.unpack(Arrays.copyOfRange(part, 1, part.length)));
    } catch (IOException e) {
      long at = reader.goodEnd() - part.length - SegmentFormat.HEAD_BYTES;
      damaged(
          file,
          at,
          part.length + SegmentFormat.HEAD_BYTES,
          "a part cannot be unpacked: " + e.getMessage());
    }
  }

  private void readContents(byte[] part) {
    contentsEnd = reader.goodEnd();
    String text = new String(part, 1, part.length - 1, StandardCharsets.UTF_8);
    for (String line : text.lines().toList()) {
      String[] fields = line.split(" ", 3);
      contents.add(new Line(Long.parseLong(fields[0]), Long.parseLong(fields[1]), fields[2]));
    }
  }

  private void damaged(Path path, long offset, long length, String reason) {
    List<String> lost =
        contents.stream()
            .filter(line -> contentsEnd + line.at < offset + length)
            .filter(line -> contentsEnd + line.at + line.length > offset)
            .map(Line::what)
            .toList();
    damage.damaged(
        path,
        offset,
        length,
        lost.isEmpty() ? reason : reason + " (" + String.join(", ", lost) + ")");
  }

  /**
   * Writes a packed segment, under another name until it is complete and on the disk.
   *
   * @return its bytes
   * @throws IOException if it cannot be written; nothing is left of it then
   */
  static long write(PrivateFiles.Opener opener, Path file, List<Packing.Part> parts)
      throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + SegmentFormat.UNFINISHED);
    long size;
    try {
      try (FileChannel channel =
          opener.open(
              unfinished,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        put(channel, SegmentFormat.PACKED_HEADER);
        record(channel, CONTENTS, contents(parts));
        for (Packing.Part part : parts) {
          record(channel, PART, part.bytes());
        }
        channel.force(true);
        size = channel.position();
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw e;
    }
    try {
      PrivateFiles.forceNames(file.toAbsolutePath().getParent(), opener);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
    return size;
  }

  private static byte[] contents(List<Packing.Part> parts) {
    StringBuilder text = new StringBuilder();
    long at = 0;
    for (Packing.Part part : parts) {
      long length = SegmentFormat.HEAD_BYTES + 1 + part.bytes().length;
      text.append(at).append(' ').append(length).append(' ');
      text.append(part.records()).append(" records of ");
      text.append(part.name().replaceAll("\\R", " ")).append('\n');
      at += length;
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void record(FileChannel channel, byte kind, byte[] content) throws IOException {
    byte[] record = new byte[1 + content.length];
    record[0] = kind;
    System.arraycopy(content, 0, record, 1, content.length);
    put(channel, SegmentFormat.head(record));
    put(channel, record);
  }

  private static void put(FileChannel channel, byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      channel.write(left);
    }
  }
}
