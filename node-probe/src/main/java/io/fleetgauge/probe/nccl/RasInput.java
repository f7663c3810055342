package io.fleetgauge.probe.nccl;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/**
 * The bytes that a server sends, up to a limit and until a deadline, however it deals them out. Not
 * for several threads.
 */
final class RasInput {
  private static final int BUFFER_BYTES = 8 << 10;

  /** Longest line; the rest of a longer one is left out. */
  private static final int LONGEST_LINE = 4 << 10;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Where bytes come from. */
  interface Source {
    /**
     * @param millis how long it may wait, at least 1
     * @return the number of bytes, or -1 at the end
     * @throws SocketTimeoutException if none came in time
     */
    int read(byte[] into, int millis) throws IOException;
  }

  private final Source source;
  private final long mostBytes;
  private long deadline;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final StringBuilder line = new StringBuilder();
  private int at;
  private int end;
  private long read;

  /**
   * @param deadline by {@link System#nanoTime}
   */
  RasInput(Source source, long mostBytes, long deadline) {
    this.source = source;
    this.mostBytes = mostBytes;
    this.deadline = deadline;
  }

  static RasInput of(Socket socket, long mostBytes, long deadline) {
    return new RasInput(
        (into, millis) -> {
          socket.setSoTimeout(millis);
          return socket.getInputStream().read(into);
        },
        mostBytes,
        deadline);
  }

  /**
   * Waits until another deadline from now on.
   *
   * @param deadline by {@link System#nanoTime}
   */
  void until(long deadline) {
    this.deadline = deadline;
  }

  /** The next byte, 0 to 255, or -1 at the end. */
  int next() throws IOException {
    if (at == end && !fill()) {
      return -1;
    }
    return buffer[at++] & 0xff;
  }

  /** The next byte without taking it, or -1 at the end. */
  int peek() throws IOException {
    if (at == end && !fill()) {
      return -1;
    }
    return buffer[at] & 0xff;
  }

  /** A line without its end; null after the last one. */
  String line() throws IOException {
    line.setLength(0);
    int next = next();
    if (next < 0) {
      return null;
    }
    for (; next >= 0 && next != '\n'; next = next()) {
      if (line.length() < LONGEST_LINE && next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  private boolean fill() throws IOException {
    long left = (deadline - System.nanoTime()) / NANOS_PER_MILLI;
    if (left <= 0) {
      throw new RasFailure(RasFailure.Reason.TIMEOUT, "it has not answered in time");
    }
    int length;
    try {
      length = source.read(buffer, (int) Math.min(left, Integer.MAX_VALUE));
    } catch (SocketTimeoutException e) {
      throw new RasFailure(RasFailure.Reason.TIMEOUT, "it has not answered in time");
    }
    if (length <= 0) {
      return false;
    }
    at = 0;
    end = length;
    read += length;
    if (read > mostBytes) {
      throw new RasFailure(
          RasFailure.Reason.TOO_LARGE, "its answer is longer than " + mostBytes + " bytes");
    }
    return true;
  }

  /** The input of a text. */
  static RasInput of(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int[] given = {0};
    return new RasInput(
        (into, millis) -> {
          int length = Math.min(into.length, bytes.length - given[0]);
          System.arraycopy(bytes, given[0], into, 0, length);
          given[0] += length;
          return length == 0 ? -1 : length;
        },
        Long.MAX_VALUE,
        Long.MAX_VALUE);
  }
}
