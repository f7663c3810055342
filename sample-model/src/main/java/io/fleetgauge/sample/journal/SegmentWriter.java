package io.fleetgauge.sample.journal;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes one segment. One thread writes; any thread may force. */
final class SegmentWriter implements Closeable {
  private static final int BUFFER_BYTES = 1 << 18;

  final long number;
  private final FileChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /** Bytes of whole records in the file. */
  private long goodEnd;

  private SegmentWriter(long number, FileChannel channel) {
    this.number = number;
    this.channel = channel;
  }

  /** Begins a segment; a file that a failed attempt left is overwritten. */
  static SegmentWriter begin(PrivateFiles.Opener opener, Path folder, long number)
      throws IOException {
    FileChannel channel =
        opener.open(
            SegmentFormat.file(folder, number),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    SegmentWriter writer = new SegmentWriter(number, channel);
    try {
      writer.put(SegmentFormat.HEADER);
      writer.flush();
      // Without this a power failure may lose the file although its content was forced.
      PrivateFiles.forceNames(folder, opener);
      return writer;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Fails unless the disk has room for some more records. */
  void requireRoom() throws IOException {
    put(new byte[BUFFER_BYTES]);
    drain();
    channel.truncate(goodEnd).position(goodEnd);
  }

  void write(byte[] record) throws IOException {
    put(SegmentFormat.head(record));
    put(record);
  }

  private void put(byte[] source) throws IOException {
    int at = 0;
    while (at < source.length) {
      if (!buffer.hasRemaining()) {
        drain();
      }
      int length = Math.min(source.length - at, buffer.remaining());
      buffer.put(source, at, length);
      at += length;
    }
  }

  private void drain() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
  }

  /** Hands all that was written to the operating system. */
  void flush() throws IOException {
    drain();
    goodEnd = channel.position();
  }

  /** Forces all that was flushed to the disk. */
  void force() throws IOException {
    channel.force(false);
  }

  /** Bytes of the file after the last flush. */
  long size() {
    return goodEnd;
  }

  /** Removes what was not flushed whole, as far as the disk allows, and closes. */
  void abandon() {
    try (FileChannel closing = channel) {
      closing.truncate(goodEnd);
    } catch (IOException e) {
      // The reader recognises a torn tail.
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
