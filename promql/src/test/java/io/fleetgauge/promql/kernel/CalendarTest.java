package io.fleetgauge.promql.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Staleness;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CalendarTest {
  @Test
  void partsOfADateAreThoseOfTheJdk() {
    SplittableRandom random = new SplittableRandom(1);
    int size = 20_000;
    double[] in = new double[size];
    for (int i = 0; i < size; i++) {
      in[i] = random.nextDouble(-4e11, 4e11);
    }
    in[0] = 0;
    in[1] = -1;
    in[2] = 951_782_400; // 29 February 2000
    in[3] = -2_203_891_200.0; // 1 March 1900, no leap year
    double[][] out = new double[8][size];
    Calendar.minute(in, out[0]);
    Calendar.hour(in, out[1]);
    Calendar.dayOfWeek(in, out[2]);
    Calendar.dayOfMonth(in, out[3]);
    Calendar.dayOfYear(in, out[4]);
    Calendar.daysInMonth(in, out[5]);
    Calendar.month(in, out[6]);
    Calendar.year(in, out[7]);
    for (int i = 0; i < size; i++) {
      OffsetDateTime date = Instant.ofEpochSecond((long) in[i]).atOffset(ZoneOffset.UTC);
      double[] wanted = {
        date.getMinute(),
        date.getHour(),
        date.getDayOfWeek().getValue() % 7,
        date.getDayOfMonth(),
        date.getDayOfYear(),
        date.toLocalDate().lengthOfMonth(),
        date.getMonthValue(),
        date.getYear()
      };
      for (int part = 0; part < wanted.length; part++) {
        assertThat(out[part][i]).as("part %s of %s", part, date).isEqualTo(wanted[part]);
      }
    }
  }

  @Test
  void whereThereIsNoSampleThereIsNoDate() {
    double[] out = new double[1];
    Calendar.year(new double[] {Staleness.MARKER}, out);
    assertThat(Staleness.isMarker(out[0])).isTrue();
  }
}
