package io.fleetgauge.gateway.remotewrite;

import java.util.Arrays;

/**
 * Series by their key bytes: open addressing, linear probing, the keys one behind the other. Not
 * for several threads.
 */
final class SeriesTable {
  private static final int NONE = -1;

  /** Places, of which at most half are taken. */
  private int[] places = empty(1 << 12);

  private int[] hashes = new int[1 << 10];
  private int[] keyAt = new int[1 << 10];
  private int[] keyLength = new int[1 << 10];

  /** Which series came behind each one the last time: senders keep an order. */
  private int[] follower = new int[1 << 10];

  private int size;
  private byte[] keys = new byte[1 << 16];
  private int keysSize;
  private final SipHash hash;

  /**
   * @param hash with a key that nobody outside knows, so that nobody can choose series that collide
   */
  SeriesTable(SipHash hash) {
    this.hash = hash;
  }

  private static int[] empty(int capacity) {
    int[] places = new int[capacity];
    Arrays.fill(places, NONE);
    return places;
  }

  int size() {
    return size;
  }

  /** Bytes of all keys. */
  int keyBytes() {
    return keysSize;
  }

  int hash(byte[] bytes, int from, int to) {
    return (int) hash.hash(bytes, from, to);
  }

  /** The number of a key, counted from 0 in order of arrival; -1 when it is not there. */
  int find(int hash, byte[] bytes, int from, int to) {
    int mask = places.length - 1;
    for (int at = hash & mask; ; at = at + 1 & mask) {
      int entry = places[at];
      if (entry == NONE) {
        return NONE;
      }
      if (hashes[entry] == hash && is(entry, bytes, from, to)) {
        return entry;
      }
    }
  }

  /** Returns true if these are the bytes of a key. */
  boolean is(int entry, byte[] bytes, int from, int to) {
    int start = keyAt[entry];
    int length = keyLength[entry];
    return length == to - from && Arrays.equals(keys, start, start + length, bytes, from, to);
  }

  int keyLength(int entry) {
    return keyLength[entry];
  }

  /** The length of a key, if the bytes from {@code from} on begin with it; 0 if not. */
  int begins(int entry, byte[] bytes, int from, int to) {
    int start = keyAt[entry];
    int length = keyLength[entry];
    return length <= to - from
            && Arrays.equals(keys, start, start + length, bytes, from, from + length)
        ? length
        : 0;
  }

  /** The key that came behind another one the last time; itself when none did. */
  int follower(int entry) {
    return follower[entry];
  }

  void follow(int entry, int next) {
    follower[entry] = next;
  }

  /** Adds a key that is not there; its number is the size before. */
  int add(int hash, byte[] bytes, int from, int to) {
    if (size == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * size);
      keyAt = Arrays.copyOf(keyAt, 2 * size);
      keyLength = Arrays.copyOf(keyLength, 2 * size);
      follower = Arrays.copyOf(follower, 2 * size);
    }
    int length = to - from;
    if (keys.length - keysSize < length) {
      keys = Arrays.copyOf(keys, Math.max(2 * keys.length, keysSize + length));
    }
    System.arraycopy(bytes, from, keys, keysSize, length);
    hashes[size] = hash;
    keyAt[size] = keysSize;
    keyLength[size] = length;
    follower[size] = size;
    keysSize += length;
    if (2 * (size + 1) > places.length) {
      places = empty(2 * places.length);
      for (int entry = 0; entry < size; entry++) {
        place(entry);
      }
    }
    place(size);
    return size++;
  }

  private void place(int entry) {
    int mask = places.length - 1;
    int at = hashes[entry] & mask;
    while (places[at] != NONE) {
      at = at + 1 & mask;
    }
    places[at] = entry;
  }
}
