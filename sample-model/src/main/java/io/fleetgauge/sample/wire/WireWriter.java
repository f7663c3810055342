package io.fleetgauge.sample.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.Consumer;

/** A growing sequence of bytes. Not for several threads. */
public final class WireWriter {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes;
  private int size;

  public WireWriter() {
    this(512);
  }

  public WireWriter(int capacity) {
    bytes = new byte[Math.max(16, capacity)];
  }

  public int size() {
    return size;
  }

  /** Removes the content and keeps the buffer. */
  public WireWriter clear() {
    size = 0;
    return this;
  }

  public WireWriter u8(int value) {
    room(1);
    bytes[size++] = (byte) value;
    return this;
  }

  public WireWriter u32(int value) {
    room(4);
    INT.set(bytes, size, value);
    size += 4;
    return this;
  }

  public WireWriter u64(long value) {
    room(8);
    LONG.set(bytes, size, value);
    size += 8;
    return this;
  }

  /** Eight bytes, NaN payloads kept. */
  public WireWriter f64(double value) {
    return u64(Double.doubleToRawLongBits(value));
  }

  /** Consecutive doubles, as {@link #f64} writes each. */
  public WireWriter f64s(double[] values, int count) {
    room(8 * count);
    byte[] out = bytes;
    int at = size;
    for (int i = 0; i < count; i++) {
      LONG.set(out, at + 8 * i, Double.doubleToRawLongBits(values[i]));
    }
    size = at + 8 * count;
    return this;
  }

  /**
   * Whole numbers, the first as {@link #svar} writes it and each other as its difference to the one
   * before.
   */
  public WireWriter differences(double[] values, int count) {
    room(10 * count);
    byte[] out = bytes;
    int at = size;
    long before = 0;
    for (int i = 0; i < count; i++) {
      long value = (long) values[i];
      long difference = value - before;
      before = value;
      long rest = (difference << 1) ^ (difference >> 63);
      while ((rest & ~0x7fL) != 0) {
        out[at++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      out[at++] = (byte) rest;
    }
    size = at;
    return this;
  }

  /** An unsigned varint; negative numbers count as their unsigned 64 bits. */
  public WireWriter uvar(long value) {
    room(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
    return this;
  }

  /** A zigzag varint: small magnitudes are short. */
  public WireWriter svar(long value) {
    return uvar((value << 1) ^ (value >> 63));
  }

  /** A list behind the number of its elements. */
  public <T> WireWriter list(Collection<T> list, Consumer<T> element) {
    uvar(list.size());
    list.forEach(element);
    return this;
  }

  /** A text in UTF-8 behind its length; a surrogate without its other half becomes "?". */
  public WireWriter string(String text) {
    int length = utf8Length(text);
    uvar(length);
    room(length);
    if (length == text.length()) {
      ascii(text);
      return this;
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return raw(utf8, 0, utf8.length);
  }

  private void ascii(String text) {
    byte[] out = bytes;
    int at = size;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out[at + i] = c < 0x80 ? (byte) c : (byte) '?';
    }
    size = at + text.length();
  }

  /** Bytes that a text has in UTF-8. */
  public static int utf8Length(String text) {
    int length = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        if (c < 0x800) {
          length++;
        } else if (!Character.isSurrogate(c)) {
          length += 2;
        } else if (Character.isHighSurrogate(c)
            && i + 1 < text.length()
            && Character.isLowSurrogate(text.charAt(i + 1))) {
          length += 2; // four bytes for two chars
          i++;
        }
      }
    }
    return length;
  }

  /** Bytes that {@link #uvar} writes. */
  public static int uvarLength(long value) {
    return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
  }

  public WireWriter raw(byte[] source, int from, int length) {
    room(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
    return this;
  }

  /** Overwrites four bytes that were written before, for lengths and checksums known only later. */
  public WireWriter setU32(int at, int value) {
    INT.set(bytes, at, value);
    return this;
  }

  /** The backing array; bytes from {@link #size()} on are not part of the content. */
  public byte[] array() {
    return bytes;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** The bytes followed by those of another. */
  public byte[] toBytes(WireWriter behind) {
    byte[] all = Arrays.copyOf(bytes, size + behind.size);
    System.arraycopy(behind.bytes, 0, all, size, behind.size);
    return all;
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length + (bytes.length >> 1)));
    }
  }
}
