package io.fleetgauge.distribution.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a program or library asks of the system: the libraries that it is linked with, and the
 * loader, which is empty for a library. 64-bit, little-endian.
 */
record Elf(List<String> libraries, String loader) {
  private static final byte[] MAGIC = {0x7f, 'E', 'L', 'F', 2, 1};
  static final int HEADER = 64;
  private static final int SEGMENT = 56;
  private static final int LOAD = 1;
  private static final int DYNAMIC = 2;
  private static final int INTERPRETER = 3;
  private static final int NEEDED = 1;
  private static final int STRING_TABLE = 5;

  static boolean isElf(byte[] file) {
    return file.length >= HEADER
        && ByteBuffer.wrap(file, 0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC));
  }

  static Elf read(byte[] bytes) {
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int segments = (int) file.getLong(32);
    int count = file.getShort(56);
    List<Long> names = new ArrayList<>();
    long stringTable = 0;
    String loader = "";
    for (int i = 0; i < count; i++) {
      int segment = segments + i * SEGMENT;
      int offset = (int) file.getLong(segment + 8);
      if (file.getInt(segment) == INTERPRETER) {
        loader = text(bytes, offset);
      }
      if (file.getInt(segment) == DYNAMIC) {
        int end = offset + (int) file.getLong(segment + 32);
        for (int at = offset; at < end && file.getLong(at) != 0; at += 16) {
          if (file.getLong(at) == NEEDED) {
            names.add(file.getLong(at + 8));
          } else if (file.getLong(at) == STRING_TABLE) {
            stringTable = file.getLong(at + 8);
          }
        }
      }
    }
    for (int i = 0; i < count; i++) {
      int segment = segments + i * SEGMENT;
      long address = file.getLong(segment + 16);
      long length = file.getLong(segment + 32);
      if (file.getInt(segment) == LOAD
          && stringTable >= address
          && stringTable < address + length) {
        int strings = (int) (stringTable - address + file.getLong(segment + 8));
        List<String> libraries =
            names.stream().map(name -> text(bytes, strings + name.intValue())).toList();
        return new Elf(libraries, loader);
      }
    }
    return new Elf(List.of(), loader);
  }

  private static String text(byte[] bytes, int from) {
    int end = from;
    while (bytes[end] != 0) {
      end++;
    }
    return new String(bytes, from, end - from, StandardCharsets.US_ASCII);
  }
}
