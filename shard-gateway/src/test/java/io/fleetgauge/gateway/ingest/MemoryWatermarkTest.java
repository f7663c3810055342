package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryWatermarkTest {
  private long used;
  private final MemoryWatermark memory = new MemoryWatermark(() -> used, 1_000);

  @ParameterizedTest
  @CsvSource({
    "0, false, false",
    "750, false, false",
    "751, true, false",
    "850, true, false",
    "851, true, true",
    "1000, true, true"
  })
  void queriesAreShedAboveThreeQuartersAndSamplesAboveSeventeenTwentieths(
      long bytes, boolean queries, boolean samples) {
    used = bytes;
    memory.look();
    assertThat(memory.queriesAreShed()).isEqualTo(queries);
    assertThat(memory.samplesAreShed()).isEqualTo(samples);
    assertThat(memory.ratio()).isEqualTo(bytes / 1_000.0);
  }

  @Test
  void aReadingHoldsUntilTheNextOne() {
    used = 900;
    assertThat(memory.samplesAreShed()).as("nothing was read yet").isFalse();
    memory.look();
    used = 100;
    assertThat(memory.samplesAreShed()).isTrue();
    memory.look();
    assertThat(memory.samplesAreShed()).isFalse();
    assertThat(memory.queriesAreShed()).isFalse();
  }

  @Test
  @Timeout(600)
  void eachCollectionOfTheHeapIsFollowedByAReading() throws Exception {
    CountDownLatch readings = new CountDownLatch(2);
    MemoryWatermark watched =
        new MemoryWatermark(
            () -> {
              readings.countDown();
              return 900;
            },
            1_000);
    AutoCloseable watch = watched.watchCollections();
    assertThat(readings.getCount()).as("one reading when it begins").isEqualTo(1);
    System.gc();
    readings.await();
    watch.close();
    assertThat(watched.samplesAreShed()).isTrue();
  }

  @Test
  void theHeapOfThisProcessHasSomethingInUseAfterACollection() {
    MemoryWatermark heap = MemoryWatermark.ofHeap();
    System.gc();
    heap.look();
    assertThat(heap.ratio()).isStrictlyBetween(0.0, 1.0);
  }
}
