package io.fleetgauge.probe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class RingTest {
  private static final long STEP = 1_000;
  private static final long T = 1_700_000_000_000L;

  private final Ring ring = new Ring(5, STEP);

  private static Labels series(int number) {
    return Labels.of(Labels.NAME, "m", "i", Integer.toString(number));
  }

  private void put(long time, int number, double value) {
    ring.begin(T + time);
    ring.put(series(number), value);
  }

  private String values() {
    return text(ring.window(Long.MIN_VALUE, Long.MAX_VALUE));
  }

  private static String text(Window window) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < window.series().size(); i++) {
      text.append(i == 0 ? "" : "; ").append(window.series().get(i).value("i")).append(':');
      for (int row = 0; row < window.rows(); row++) {
        float value = window.values()[i][row];
        text.append(' ').append((window.time(row) - T) / STEP).append('=');
        text.append(Float.isNaN(value) ? "-" : Integer.toString((int) value));
      }
    }
    return text.toString();
  }

  @Test
  void anEmptyRingHasNoRows() {
    Window window = ring.window(Long.MIN_VALUE, Long.MAX_VALUE);
    assertThat(window.rows()).isZero();
    assertThat(window.series()).isEmpty();
  }

  @Test
  void theNewestRowsStayAndSecondsWithoutAValueAreGaps() {
    put(0, 1, 10);
    put(1_000, 1, 11);
    put(3_000, 1, 13);
    ring.begin(T + 4_000);
    ring.put(series(1), Double.NaN);
    assertThat(values()).isEqualTo("1: 0=10 1=11 2=- 3=13 4=-");
    put(6_000, 1, 16);
    assertThat(values()).isEqualTo("1: 2=- 3=13 4=- 5=- 6=16");
    assertThat(text(ring.window(T + 2_500, T + 5_000))).isEqualTo("1: 3=13 4=- 5=-");
    assertThat(text(ring.window(T + 6_001, T + 9_000))).isEqualTo("1:");
    put(60_000, 2, 7);
    assertThat(values()).as("after a long time nothing is left").isEqualTo("2: 60=7");
  }

  @Test
  void aSeriesWithoutAValueInAllRowsIsForgotten() {
    put(0, 1, 10);
    ring.put(series(2), 20);
    for (int second = 1; second <= 4; second++) {
      put(second * STEP, 2, 20 + second);
    }
    assertThat(values()).isEqualTo("1: 0=10 1=- 2=- 3=- 4=-; 2: 0=20 1=21 2=22 3=23 4=24");
    put(5_000, 2, 25);
    assertThat(values()).isEqualTo("2: 1=21 2=22 3=23 4=24 5=25");
  }

  @Test
  void rowsAfterATimeToWhichTheClockIsSetBackAreForgotten() {
    for (int second = 0; second < 5; second++) {
      put(second * STEP, 1, second);
    }
    put(2_000, 1, 99);
    assertThat(values()).isEqualTo("1: 0=0 1=1 2=99");
    put(3_000, 1, 98);
    assertThat(values()).isEqualTo("1: 0=0 1=1 2=99 3=98");
    put(-900_000, 1, 5);
    assertThat(values()).isEqualTo("1: -900=5");
  }

  @Test
  void moreSeriesThanTheLimitAreCountedAndLeftOut() {
    ring.begin(T);
    for (int i = 0; i < Ring.MOST_SERIES + 3; i++) {
      ring.put(series(i), i);
    }
    assertThat(ring.leftOut()).isEqualTo(3);
    assertThat(ring.bytes()).isEqualTo(4L * 5 * Ring.MOST_SERIES);
  }

  @Test
  void eightGpusForTenMinutesTakeLittleMemory() {
    Ring full = new Ring(631, STEP);
    full.begin(T);
    for (int i = 0; i < 8 * 8 + 7; i++) {
      full.put(series(i), i);
    }
    assertThat(full.bytes()).isLessThan(180 << 10);
  }

  @Test
  void aRingIsAMapOfTheNewestRows() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(20_260_801);
    TreeMap<Long, Integer> model = new TreeMap<>();
    long time = 0;
    for (int i = 0; i < 2_000; i++) {
      time += STEP * (random.nextInt(10) == 0 ? random.nextInt(9) - 4 : 1);
      ring.begin(T + time);
      model.tailMap(time, true).clear();
      if (!model.isEmpty() && time - model.lastKey() >= 0) {
        model.headMap(time - 4 * STEP, false).clear();
      }
      if (random.nextInt(4) > 0) {
        ring.put(series(1), i);
        model.put(time, i);
      }
      Window window = ring.window(Long.MIN_VALUE, Long.MAX_VALUE);
      TreeMap<Long, Integer> found = new TreeMap<>();
      for (int row = 0; row < window.rows() && window.series().size() == 1; row++) {
        float value = window.values()[0][row];
        if (!Float.isNaN(value)) {
          found.put(window.time(row) - T, (int) value);
        }
      }
      assertThat(found).as("after row %d", i).isEqualTo(model);
    }
  }

  @Test
  void aPartOfAWindowHasTheRowsAndSeriesThatAreAskedFor() {
    for (int second = 0; second < 5; second++) {
      put(second * STEP, 1, second);
      ring.put(series(2), 10 + second);
    }
    Window all = ring.window(Long.MIN_VALUE, Long.MAX_VALUE);
    assertThat(text(all.select(T + 1_000, T + 3_000, each -> each.value("i").equals("2"))))
        .isEqualTo("2: 1=11 2=12 3=13");
    assertThat(text(all.select(T + 1_001, T + 2_999, each -> each.value("i").equals("1"))))
        .isEqualTo("1: 2=2");
    assertThat(text(all.select(Long.MIN_VALUE, Long.MAX_VALUE, each -> true))).isEqualTo(text(all));
    for (long[] outside : new long[][] {{T + 5_000, Long.MAX_VALUE}, {Long.MIN_VALUE, T - 1}}) {
      assertThat(all.select(outside[0], outside[1], each -> true).rows()).isZero();
    }
  }
}
