package io.fleetgauge.probe.host.reading;

import java.nio.charset.StandardCharsets;

/** Strings of words that were met before, so that the next reading creates none. */
final class Names {
  private static final int SLOTS = 1_024;
  private static final int LONGEST = 64;

  private final String[] slots = new String[SLOTS];

  /** The word as text; bytes that are not UTF-8 become replacement characters. */
  String of(byte[] bytes, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] < 0) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
      }
      hash = 31 * hash + bytes[i];
    }
    // A word in the slot of another replaces it: the table never grows.
    int slot = (hash ^ hash >>> 15) & SLOTS - 1;
    String known = slots[slot];
    if (known != null && isEqual(known, bytes, from, to)) {
      return known;
    }
    String name = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    if (to - from <= LONGEST) {
      slots[slot] = name;
    }
    return name;
  }

  static boolean isEqual(String text, byte[] bytes, int from, int to) {
    if (text.length() != to - from) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (text.charAt(i - from) != bytes[i]) {
        return false;
      }
    }
    return true;
  }
}
