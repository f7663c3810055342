package io.fleetgauge.sample.prometheus;

import java.util.Arrays;

/** Growing lines of the text format, each a start, a number and a time. Not for several threads. */
public final class ExpositionLines {
  /** Bytes for a number, a time and the separators. */
  private static final int NUMBER_BYTES = 64;

  private static final byte[] NONE = {};

  private byte[] bytes;
  private int size;
  private int count;
  private final byte[] lastTimeBytes = new byte[32];
  private int lastTimeSize;
  private long lastTime;

  /**
   * @param expected about how many bytes there will be
   */
  public ExpositionLines(int expected) {
    bytes = new byte[Math.max(256, expected)];
  }

  /**
   * Adds a line.
   *
   * @param start as {@link ExpositionLine#start} has it
   * @param time ms
   */
  public void add(byte[] start, double value, long time) {
    add(NONE, start, value, time);
  }

  /**
   * Adds a line whose start is in two pieces.
   *
   * @param time ms
   */
  public void add(byte[] name, byte[] braces, double value, long time) {
    int length = name.length + braces.length;
    if (bytes.length - size < length + NUMBER_BYTES) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length + length);
    }
    System.arraycopy(name, 0, bytes, size, name.length);
    System.arraycopy(braces, 0, bytes, size + name.length, braces.length);
    size = Numbers.putGeneral(value, bytes, size + length);
    bytes[size++] = ' ';
    time(time);
    bytes[size++] = '\n';
    count++;
  }

  /** Many lines have the time of the line before. */
  private void time(long time) {
    if (time != lastTime || lastTimeSize == 0) {
      lastTimeSize = Numbers.put(time, lastTimeBytes, 0);
      lastTime = time;
    }
    System.arraycopy(lastTimeBytes, 0, bytes, size, lastTimeSize);
    size += lastTimeSize;
  }

  public int count() {
    return count;
  }

  /** The number of bytes. */
  public int size() {
    return size;
  }

  /** An array that has them at its beginning. */
  public byte[] array() {
    return bytes;
  }
}
