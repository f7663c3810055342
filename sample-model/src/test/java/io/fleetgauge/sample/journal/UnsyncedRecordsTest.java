package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnsyncedRecordsTest {
  private final UnsyncedRecords records = new UnsyncedRecords();

  @Test
  void theOldestRecordDecidesHowLongTheyWait() {
    records.add(new byte[3], 100);
    records.add(new byte[4], 150);
    assertThat(records.waitedNanos(175)).isEqualTo(75);
    assertThat(records.count()).isEqualTo(2);
    assertThat(records.bytes()).isEqualTo(7);
  }

  @Test
  void afterASyncTheRestWaitsFromThatSyncOn() {
    records.add(new byte[3], 100);
    records.add(new byte[4], 150);
    records.synced(1, 200);
    assertThat(records.waitedNanos(230)).isEqualTo(30);
    assertThat(records.count()).isEqualTo(1);
    assertThat(records.bytes()).isEqualTo(4);
    assertThat(records.isEmpty()).isFalse();
  }

  @Test
  void theFirstRecordAfterAllAreSyncedWaitsFromItsOwnTimeOn() {
    records.add(new byte[3], 100);
    records.synced(1, 200);
    assertThat(records.isEmpty()).isTrue();
    records.add(new byte[4], 500);
    assertThat(records.waitedNanos(510)).isEqualTo(10);
  }

  @Test
  void moreSyncedThanThereAreRemovesThemAll() {
    records.add(new byte[3], 100);
    records.synced(5, 200);
    assertThat(records.count()).isZero();
    assertThat(records.bytes()).isZero();
  }

  @Test
  void clearedThereAreNeitherRecordsNorBytes() {
    records.add(new byte[3], 100);
    records.clear();
    assertThat(records.isEmpty()).isTrue();
    assertThat(records.bytes()).isZero();
    assertThat(records.toList()).isEmpty();
  }

  @Test
  void theListIsACopyInTheOrderOfTheirArrival() {
    byte[] first = {1};
    byte[] second = {2};
    records.add(first, 0);
    records.add(second, 0);
    var list = records.toList();
    records.clear();
    assertThat(list).containsExactly(first, second);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theBytesAreAlwaysThoseOfTheRecordsThatWait(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrayDeque<byte[]> twin = new ArrayDeque<>();
    for (int round = 0; round < 2_000; round++) {
      if (random.nextInt(4) > 0) {
        byte[] record = new byte[random.nextInt(100)];
        records.add(record, round);
        twin.add(record);
      } else {
        int count = random.nextInt(5);
        records.synced(count, round);
        for (int i = 0; i < count; i++) {
          twin.poll();
        }
      }
      assertThat(records.count()).isEqualTo(twin.size());
      assertThat(records.bytes()).isEqualTo(twin.stream().mapToLong(each -> each.length).sum());
      assertThat(records.toList()).isEqualTo(new ArrayList<>(twin));
    }
  }
}
