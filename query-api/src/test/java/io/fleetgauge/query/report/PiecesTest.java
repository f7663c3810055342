package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PiecesTest {
  @Test
  void thePeriodIsCutAtIntervalsAndWherePricesChange() {
    Pieces pieces = Pieces.of(new Period(100, 1_050, 300), List.of(150L, 400L, 1_049L));
    assertThat(pieces.borders()).containsExactly(100L, 150L, 400L, 700L, 1_000L, 1_049L, 1_050L);
    assertThat(IntStream.range(0, pieces.count()).map(pieces::interval))
        .containsExactly(0, 0, 1, 2, 3, 3);
    assertThat(IntStream.range(0, pieces.count()).filter(pieces::isLast))
        .containsExactly(1, 2, 3, 5);
    assertThat(Pieces.of(new Period(0, 5, 5), List.of()).borders()).containsExactly(0L, 5L);
  }

  @Test
  void theLastIntervalIsAsLongAsThePeriodAllows() {
    Period period = new Period(100, 1_050, 300);
    assertThat(period.intervals()).isEqualTo(4);
    assertThat(period.start(3)).isEqualTo(1_000);
    assertThat(period.end(3)).isEqualTo(1_050);
    assertThat(period.end(2)).isEqualTo(1_000);
    assertThat(List.of(101L, 400L, 401L, 1_050L))
        .extracting(period::interval)
        .containsExactly(0, 0, 1, 3);
    assertThat(new Period(0, 600, 300).intervals()).isEqualTo(2);
  }
}
