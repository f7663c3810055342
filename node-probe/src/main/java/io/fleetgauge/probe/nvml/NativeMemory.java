package io.fleetgauge.probe.nvml;

import java.nio.charset.StandardCharsets;
import jnr.ffi.Pointer;

/** Memory that driver calls write to; allocated once and used again. Not for several threads. */
public final class NativeMemory {
  final Pointer pointer;

  /** From byte 4, for calls that write two numbers to two places. */
  final Pointer second;

  /** From byte 8, for lists that follow their count. */
  final Pointer list;

  private final int bytes;

  NativeMemory(Pointer pointer, int bytes) {
    this.pointer = pointer;
    this.bytes = bytes;
    this.second = pointer.slice(4, bytes - 4L);
    this.list = pointer.slice(8, bytes - 8L);
  }

  public int i32(int at) {
    return pointer.getInt(at);
  }

  public long u32(int at) {
    return Integer.toUnsignedLong(pointer.getInt(at));
  }

  public int u8(int at) {
    return pointer.getByte(at) & 0xff;
  }

  public long i64(int at) {
    return pointer.getLong(at);
  }

  public double f64(int at) {
    return pointer.getDouble(at);
  }

  public void put32(int at, int value) {
    pointer.putInt(at, value);
  }

  public void put64(int at, long value) {
    pointer.putLong(at, value);
  }

  /** A text that a zero byte ends, from {@code at}; what is not printable is left out. */
  public String text(int at) {
    byte[] text = new byte[Math.min(96, bytes - at)];
    pointer.get(at, text, 0, text.length);
    int length = 0;
    while (length < text.length && text[length] != 0) {
      length++;
    }
    return new String(text, 0, length, StandardCharsets.US_ASCII).replaceAll("[^ -~]", "").strip();
  }
}
