package io.fleetgauge.sample.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads a range of a byte array from front to back. Not for several threads. */
public final class WireReader {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final int end;
  private int position;

  public WireReader(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /**
   * @param from first byte
   * @param to one past the last
   */
  public WireReader(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.position = from;
    this.end = to;
  }

  public int position() {
    return position;
  }

  public int left() {
    return end - position;
  }

  public int u8(String what) throws WireException {
    need(1, what);
    return bytes[position++] & 0xff;
  }

  /** The version of a form, of which one is read. */
  public void version(int read, String what) throws WireException {
    int version = u8("the version of " + what);
    if (version != read) {
      throw new WireException(
          what + " of format version " + version + ", this program reads " + read);
    }
  }

  /** 1 for true, 0 for false. */
  public boolean flag(String what) throws WireException {
    int flag = u8(what);
    if (flag > 1) {
      throw new WireException(what + " is " + flag + ", allowed are 0 and 1");
    }
    return flag == 1;
  }

  public int u32(String what) throws WireException {
    need(4, what);
    int value = (int) INT.get(bytes, position);
    position += 4;
    return value;
  }

  public long u64(String what) throws WireException {
    need(8, what);
    long value = (long) LONG.get(bytes, position);
    position += 8;
    return value;
  }

  /** An unsigned number of 1 to 8 bytes, the lowest first. */
  public long number(int length, String what) throws WireException {
    need(length, what);
    long value = 0;
    if (left() >= Long.BYTES) {
      value = (long) LONG.get(bytes, position) & -1L >>> Long.SIZE - Byte.SIZE * length;
    } else {
      for (int i = 0; i < length; i++) {
        value |= (bytes[position + i] & 0xffL) << Byte.SIZE * i;
      }
    }
    position += length;
    return value;
  }

  public double f64(String what) throws WireException {
    return Double.longBitsToDouble(u64(what));
  }

  /** Consecutive doubles, into the front of an array. */
  public void f64s(double[] into, int count, String what) throws WireException {
    need(count > (end - position) / 8 ? Integer.MAX_VALUE : 8 * count, what);
    for (int i = 0; i < count; i++) {
      into[i] = Double.longBitsToDouble((long) LONG.get(bytes, position + 8 * i));
    }
    position += 8 * count;
  }

  public long uvar(String what) throws WireException {
    long value = 0;
    int start = position;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position == end) {
        throw new WireException(what + " at byte " + start + " is cut off");
      }
      byte next = bytes[position++];
      if (shift == 63 && (next & 0xfe) != 0) {
        break;
      }
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new WireException(what + " at byte " + start + " is a varint of more than 64 bits");
  }

  public long svar(String what) throws WireException {
    long zigzag = uvar(what);
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  /** A number that must fit in {@code 0..max}. */
  public int uint(int max, String what) throws WireException {
    int at = position;
    long value = uvar(what);
    if (value < 0 || value > max) {
      throw new WireException(
          what
              + " at byte "
              + at
              + " is "
              + Long.toUnsignedString(value)
              + ", allowed are 0 to "
              + max);
    }
    return (int) value;
  }

  /**
   * The number of items that follow. Each takes at least {@code bytesEach} bytes, so a count that
   * the rest of the input cannot hold is an error before memory is taken for it.
   */
  public int count(int bytesEach, String what) throws WireException {
    return uint(left() / bytesEach, "the number of " + what);
  }

  /** Reads one element of a list. */
  @FunctionalInterface
  public interface Element<T> {
    T read(WireReader in) throws WireException;
  }

  /**
   * A list behind the number of its elements.
   *
   * @param bytesEach as for {@link #count}
   */
  public <T> List<T> list(int bytesEach, String what, Element<T> element) throws WireException {
    int count = count(bytesEach, what);
    List<T> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(element.read(this));
    }
    return list;
  }

  public String string(String what) throws WireException {
    int length = uint(left(), "the length of " + what);
    need(length, what);
    if (isAscii(position, length)) {
      position += length;
      return new String(bytes, position - length, length, StandardCharsets.ISO_8859_1);
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, position, length))
              .toString();
      position += length;
      return text;
    } catch (CharacterCodingException e) {
      throw new WireException(what + " at byte " + position + " is not UTF-8");
    }
  }

  private boolean isAscii(int from, int length) {
    int any = 0;
    for (int i = from; i < from + length; i++) {
      any |= bytes[i];
    }
    return any >= 0;
  }

  /** Skips bytes. */
  public void skip(long length, String what) throws WireException {
    if (length < 0 || length > left()) {
      need(Integer.MAX_VALUE, what);
    }
    position += (int) length;
  }

  /** A byte that was read or skipped before. */
  public int at(int at) {
    return bytes[at];
  }

  /** Moves to a position that was read or is still to be read. */
  public void moveTo(int newPosition) {
    position = newPosition;
  }

  public byte[] raw(int length, String what) throws WireException {
    need(length, what);
    byte[] copy = java.util.Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** Fails when bytes are left after the end of the format. */
  public void end(String what) throws WireException {
    if (left() != 0) {
      throw new WireException(left() + " bytes are left after " + what + " at byte " + position);
    }
  }

  private void need(int length, String what) throws WireException {
    if (length > end - position) {
      throw new WireException(
          what
              + " at byte "
              + position
              + " needs "
              + length
              + " bytes, "
              + (end - position)
              + " are left");
    }
  }
}
