package io.fleetgauge.gateway.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LastSamplesTest {
  private static final int PLACES = 500;
  private static final int TICKS = 20_000;

  @Test
  void aCopyIsOfOneTickWhileOthersAreWritten() throws InterruptedException {
    LastSamples last = new LastSamples();
    AtomicBoolean over = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int tick = 1; tick <= TICKS; tick++) {
                    long stamp = last.begin();
                    if (tick <= PLACES) {
                      last.add(); // the arrays grow, too
                    }
                    for (int place = 0; place < Math.min(tick, PLACES); place++) {
                      last.set(place, tick, tick, null);
                    }
                    last.end(stamp, tick);
                  }
                  over.set(true);
                });
    while (!over.get()) {
      LastSamples.Copy copy = last.copy();
      assertThat(copy.times()).hasSize((int) Math.min(PLACES, Math.max(0, copy.newest())));
      assertThat(LongStream.of(copy.times()).allMatch(time -> time == copy.newest())).isTrue();
      assertThat(DoubleStream.of(copy.values()).allMatch(value -> value == copy.newest())).isTrue();
    }
    writer.join();
    assertThat(last.copy().newest()).isEqualTo(TICKS);
  }

  @Test
  void aPlaceThatIsAnotherSeriesOrOwnersIsTold() {
    LastSamples last = new LastSamples();
    long stamp = last.begin();
    int first = last.add();
    last.set(first, 5, 1, null);
    last.end(stamp, 5);
    int version = last.copy().version();
    last.remove(first);
    stamp = last.begin();
    assertThat(last.add()).isEqualTo(first);
    last.end(stamp, 5);
    assertThat(last.version()).isGreaterThan(version);
    assertThat(last.copy().times()).containsExactly(Long.MIN_VALUE);
    version = last.version();
    stamp = last.begin();
    last.ownerChanged();
    last.end(stamp, 6);
    assertThat(last.copy().version()).isGreaterThan(version);
  }

  @Test
  void aHistogramIsNoNumber() {
    LastSamples last = new LastSamples();
    long stamp = last.begin();
    last.set(
        last.add(),
        5,
        7,
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            1,
            2,
            0,
            1,
            Histogram.Buckets.NONE,
            Histogram.Buckets.NONE,
            new double[0]));
    last.end(stamp, 5);
    assertThat(Staleness.isMarker(last.copy().values()[0])).isTrue();
  }
}
