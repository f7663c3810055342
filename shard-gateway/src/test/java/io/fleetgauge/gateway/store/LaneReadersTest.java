package io.fleetgauge.gateway.store;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.read.NewestSamples;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers on other threads while the writer appends, seals and drops blocks. */
class LaneReadersTest {
  private static final int SERIES = 20;
  private static final long TICK = 15_000;

  @TempDir private Path folder;

  /** All series have the value of the tick, so a reader sees a torn tick at once. */
  @Test
  void aReaderSeesWholeTicksWhileSamplesMoveToBlocks() throws Exception {
    HostWriter writer = new HostWriter(folder, "n1");
    Labels[] series = new Labels[SERIES];
    for (int i = 0; i < SERIES; i++) {
      series[i] = writer.series("m", "i", String.format("%02d", i));
    }
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      boolean newest = i == 1;
      readers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (!done.get()) {
                        if (newest) {
                          readNewest(writer);
                        } else {
                          readAll(writer);
                        }
                        reads.incrementAndGet();
                      }
                    } catch (Throwable e) {
                      failure.compareAndSet(null, e);
                    }
                  }));
    }
    long ticks = 12 * BLOCK_MILLIS / TICK;
    double[] values = new double[SERIES];
    for (long tick = 1; tick <= ticks && failure.get() == null; tick++) {
      Arrays.fill(values, tick);
      writer.send(tick * TICK, series, values, null);
      if (tick % 40 == 0) {
        writer.sealAll(tick * TICK);
        writer.lane().dropBlocks(tick * TICK - 6 * BLOCK_MILLIS);
      }
    }
    done.set(true);
    for (Thread reader : readers) {
      reader.join(10_000);
    }
    assertThat(failure.get()).isNull();
    assertThat(reads.get()).isPositive();
  }

  private static void readAll(HostWriter writer) throws Exception {
    List<Series> found =
        writer
            .store()
            .select(
                List.of("n1"),
                new Selection(Parser.parseSelector("m"), 0, Long.MAX_VALUE),
                1 << 30,
                Assertions::fail,
                StopCheck.NEVER);
    if (found.isEmpty()) {
      return;
    }
    assertThat(found).hasSize(SERIES);
    for (Series each : found) {
      // A block may go between two series, so the first times differ; the last one does not.
      long[] times = each.times();
      assertThat(times[times.length - 1])
          .isEqualTo(found.getFirst().times()[found.getFirst().size() - 1]);
      for (int i = 0; i < times.length; i++) {
        assertThat(each.values()[i]).isEqualTo(times[i] / TICK);
        assertThat(i == 0 || times[i] == times[i - 1] + TICK).isTrue();
      }
    }
  }

  private static void readNewest(HostWriter writer) throws Exception {
    NewestSamples<Labels> newest =
        new NewestSamples<>(
            writer.lane().view(), List.of(Parser.parseSelector("m")), labels -> labels);
    List<Double> values = new ArrayList<>();
    newest.read(0, Long.MAX_VALUE, (labels, time, value) -> values.add(value));
    assertThat(values.stream().distinct().count()).isLessThanOrEqualTo(1);
  }
}
