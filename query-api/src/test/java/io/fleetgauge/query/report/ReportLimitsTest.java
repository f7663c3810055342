package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Most rows, and the largest figures. */
class ReportLimitsTest {
  private static final Labels GPU = Labels.of("Hostname", "n1");

  private static Series memory(Labels labels, long time, double mebibytes) {
    return new Series(
        labels.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"),
        new long[] {time},
        new double[] {mebibytes});
  }

  /** Takes samples of memory; others there are none. */
  private static void add(ReportFold fold, long to, Series... memory) throws QueryFailure {
    List<List<Series>> piece = new ArrayList<>();
    for (Measure.Source source : Measure.SOURCES) {
      piece.add(
          Arrays.stream(memory)
              .filter(each -> each.labels().metric().equals(source.metric().name()))
              .toList());
    }
    fold.add(to, piece);
  }

  private static ReportFold fold(long step, int maxRows, String by) throws QueryFailure {
    return new ReportFold(
        new ReportQuery(
            new Period(0, 1_000, step), GroupKey.parse(List.of(by)), List.of(), 100, maxRows));
  }

  @Test
  void moreGroupsThanRowsAreAllowedAreRefusedAsSoonAsTheyAreSeen() throws Exception {
    ReportFold fold = fold(1_000, 2, "pod");
    add(fold, 100, memory(GPU.with("pod", "a"), 10, 1));
    add(fold, 200, memory(GPU.with("pod", "b"), 150, 1));
    assertThat(fold.value().rows())
        .extracting(Row::group)
        .containsExactly(List.of("a"), List.of("b"));
    ReportFold over = fold(1_000, 2, "pod");
    assertThatThrownBy(
            () ->
                add(
                    over,
                    300,
                    memory(GPU.with("pod", "a"), 10, 1),
                    memory(GPU.with("pod", "b"), 120, 1),
                    memory(GPU.with("pod", "c"), 230, 1)))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("more than the 2 rows that report.maxRows allows");
  }

  @Test
  void rowsOfManyIntervalsAreRefusedBeforeAllSamplesAreRead() throws Exception {
    ReportFold fold = fold(10, 10, "gpu");
    add(fold, 100, memory(GPU, 5, 1));
    assertThatThrownBy(() -> add(fold, 200, memory(GPU, 105, 2)))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("more than the 10 rows");
    ReportFold last = fold(100, 9, "gpu");
    for (int i = 0; i < 10; i++) {
      add(last, i * 100 + 100, memory(GPU, i * 100 + 5, 1));
    }
    assertThatThrownBy(last::value).hasMessageContaining("more than the 9 rows");
  }

  @Test
  void gpusWithoutAnIdAreToldApartByTheirHostAndNumber() {
    assertThat(
            List.of(
                Gpu.of(Labels.of("UUID", "GPU-1", "uuid", "GPU-2", "gpu", "0")),
                Gpu.of(Labels.of("uuid", "GPU-2", "Hostname", "n1")),
                Gpu.of(Labels.of("Hostname", "n1", "instance", "i", "gpu", "3")),
                Gpu.of(Labels.of("instance", "i", "gpu", "3"))))
        .containsExactly("GPU-1", "GPU-2", "n1/3", "i/3");
  }

  @Test
  void bytesThatCannotBeDividedGoToTheFirstByLabelsInWhateverOrderTheyCome() throws Exception {
    List<Series> owners =
        new ArrayList<>(
            List.of(
                memory(GPU.with("pod", "a"), 10, 1),
                memory(GPU.with("pod", "b"), 10, 1),
                memory(GPU.with("pod", "c"), 10, 1)));
    for (int i = 0; i < owners.size(); i++) {
      Collections.rotate(owners, 1);
      ReportFold fold = fold(1_000, 3, "pod");
      add(fold, 1_000, owners.toArray(Series[]::new));
      assertThat(fold.value().rows())
          .extracting(row -> row.memory().orElseThrow().peakBytes())
          .containsExactly(349_526L, 349_525L, 349_525L);
    }
  }

  @Test
  void aSampleThatNoGpuCanHaveEndsTheValue() throws Exception {
    ReportFold fold = fold(1_000, 2, "gpu");
    double most = 1e13 / (1 << 20);
    add(
        fold,
        1_000,
        new Series(
            GPU.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"),
            new long[] {0, 50, 100, 140, 200, 230},
            new double[] {most, most * 1.01, most, -1, 0, Double.NaN}));
    Row row = fold.value().rows().getFirst();
    assertThat(row.memory().orElseThrow().seconds()).isEqualTo(0.12);
    assertThat(row.memory().orElseThrow().peakBytes()).isEqualTo(Math.round(1e13));
    assertThat(row.memory().orElseThrow().usedBytes()).isEmpty();
  }

  @Test
  void anIntegralOfAnySizeIsExact() {
    Integral integral = new Integral();
    BigInteger exact = BigInteger.ZERO;
    long[] values = {Long.MAX_VALUE, 3, 10_000_000_000_000L, Long.MAX_VALUE};
    long[] millis = {Long.MAX_VALUE, 5, 31_536_000_000L, 3};
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < values.length; i++) {
        integral.add(values[i], millis[i]);
        exact = exact.add(BigInteger.valueOf(values[i]).multiply(BigInteger.valueOf(millis[i])));
        if (exact.bitLength() < 128) {
          assertThat(integral.toDouble()).isEqualTo(exact.doubleValue());
        }
      }
    }
    assertThat(exact.bitLength()).isGreaterThan(120);
  }
}
