package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class SeriesTableTest {
  @Test
  void itFindsWhatAMapOfTheSameKeysFinds() {
    SplittableRandom random = new SplittableRandom(1);
    SeriesTable table = new SeriesTable(new SipHash(1, 2));
    Map<String, Integer> map = new HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      String key = "k".repeat(random.nextInt(3)) + random.nextInt(20_000);
      byte[] bytes = ("<" + key + ">").getBytes(StandardCharsets.UTF_8);
      int hash = table.hash(bytes, 1, bytes.length - 1);
      int found = table.find(hash, bytes, 1, bytes.length - 1);
      assertThat(found).isEqualTo(map.getOrDefault(key, -1));
      if (found < 0) {
        map.put(key, table.add(hash, bytes, 1, bytes.length - 1));
      }
    }
    assertThat(table.size()).isEqualTo(map.size());
  }

  /** A checksum is linear, so it gives equal values to these keys behind any prefix. */
  @Test
  void keysThatWereChosenToHaveOneChecksumHaveHashesOfTheirOwn() {
    List<byte[]> keys = keysOfOneChecksum(14);
    assertThat(keys.stream().map(key -> checksum("prefix", key)).distinct()).hasSize(1);
    SeriesTable table = new SeriesTable(new SipHash(3, 4));
    Set<Integer> hashes = new HashSet<>();
    for (byte[] key : keys) {
      hashes.add(table.hash(key, 0, key.length));
    }
    assertThat(hashes).hasSizeGreaterThan(keys.size() - 10);
  }

  @Test
  void keysThatCollideInOneTableDoNotInAnother() {
    SeriesTable table = new SeriesTable(new SipHash(3, 4));
    SeriesTable other = new SeriesTable(new SipHash(3, 5));
    Set<Integer> hashes = new HashSet<>();
    int colliding = 0;
    for (int i = 0; colliding < 100; i++) {
      byte[] key = ("series " + i).getBytes(StandardCharsets.UTF_8);
      if ((table.hash(key, 0, key.length) & 0xfff) == 7) {
        colliding++;
        hashes.add(other.hash(key, 0, key.length) & 0xfff);
      }
    }
    assertThat(hashes).hasSizeGreaterThan(90);
  }

  /**
   * So many powers of two of keys: letters a and c, exchanged where the checksum stays the same.
   */
  private static List<byte[]> keysOfOneChecksum(int powers) {
    byte[] key = "a".repeat(32 + powers).getBytes(StandardCharsets.UTF_8);
    long[] changes = new long[key.length]; // by the highest bit of the checksum's change
    long[] letters = new long[key.length]; // which letters make this change
    List<Long> without = new ArrayList<>();
    for (int i = 0; i < key.length; i++) {
      byte[] other = key.clone();
      other[i] = 'c';
      long change = checksum("", other) ^ checksum("", key);
      long exchanged = 1L << i;
      int bit = 63 - Long.numberOfLeadingZeros(change);
      while (change != 0 && changes[bit] != 0) {
        change ^= changes[bit];
        exchanged ^= letters[bit];
        bit = 63 - Long.numberOfLeadingZeros(change);
      }
      if (change == 0) {
        without.add(exchanged);
      } else {
        changes[bit] = change;
        letters[bit] = exchanged;
      }
    }
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 1 << powers; i++) {
      byte[] next = key.clone();
      for (int j = 0; j < powers; j++) {
        for (int at = 0; (i >> j & 1) != 0 && at < key.length; at++) {
          next[at] ^= (byte) ((without.get(j) >> at & 1) == 0 ? 0 : 'a' ^ 'c');
        }
      }
      keys.add(next);
    }
    return keys;
  }

  private static long checksum(String prefix, byte[] key) {
    CRC32C check = new CRC32C();
    check.update(prefix.getBytes(StandardCharsets.UTF_8));
    check.update(key);
    return check.getValue();
  }
}
