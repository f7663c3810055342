package io.fleetgauge.query.report;

import static io.fleetgauge.query.report.UsageRows.GPU_HOUR;
import static io.fleetgauge.query.report.UsageRows.HOUR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.prices.RateFiles;
import io.fleetgauge.query.prices.Rates;
import io.fleetgauge.sample.Labels;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a report makes of usage. */
class UsageGroupsTest {
  private static final Labels GPU =
      Labels.of("UUID", "GPU-1", "Hostname", "n1", "modelName", "NVIDIA H100");
  private static final Labels A = Labels.of("tenant", "a", "hpc_job", "1");
  private static final Labels B = Labels.of("tenant", "b", "hpc_job", "2");
  private static final List<Amount> CLASSES =
      List.of(Amount.BUSY, Amount.EXECUTION_IDLE, Amount.IDLE, Amount.UNKNOWN);

  @TempDir private Path folder;

  private Rates rates(String prices, String carbon, String pue) throws Exception {
    Path priceFile = Files.writeString(folder.resolve("prices.yaml"), prices);
    Path carbonFile = Files.writeString(folder.resolve("carbon.yaml"), carbon);
    RateFiles files =
        new RateFiles(Optional.of(priceFile), Optional.of(carbonFile), new BigDecimal(pue));
    files.look();
    assertThat(files.leftOut()).isZero();
    return files.rates();
  }

  private static ReportQuery query(Period period, String by, Rates rates, int maxRows)
      throws QueryFailure {
    return new ReportQuery(
        Pieces.of(period, rates.changes(period.from(), period.to())),
        GroupKey.parse(List.of(by)),
        List.of(),
        UsageTerms.DEFAULT,
        rates,
        maxRows);
  }

  private static String text(Row row, Figure figure, Rates rates) {
    return figure.text(row, rates).orElse("null");
  }

  @Test
  void everyFigureIsThatOfItsAmountsAndAbsentWithoutThem() throws Exception {
    UsageRow used =
        UsageRows.of(GPU, A, 0)
            .with(Amount.BUSY, GPU_HOUR)
            .with(Amount.EXECUTION_IDLE, GPU_HOUR / 2)
            .with(Amount.IDLE, GPU_HOUR / 4)
            .with(Amount.UNKNOWN, GPU_HOUR / 8)
            .with(Amount.ENERGY, 1_800_000_000L)
            .with(Amount.ENERGY_ESTIMATED, 1_800_000_000_000L)
            .with(Amount.ACTIVITY, 500_000 * HOUR)
            .with(Amount.ACTIVITY_TIME, GPU_HOUR)
            .with(Amount.SM, 400_000 * HOUR)
            .with(Amount.SM_TIME, GPU_HOUR)
            .with(Amount.TENSOR, 300_000 * HOUR)
            .with(Amount.TENSOR_TIME, GPU_HOUR)
            .with(Amount.DRAM, 200_000 * HOUR)
            .with(Amount.DRAM_TIME, GPU_HOUR)
            .with(Amount.NVLINK, 11)
            .with(Amount.PCIE, 12)
            .with(Amount.CPU, 13_500)
            .with(Amount.IO, 14)
            .memory(1 << 30, 77)
            .hostMemory(3L << 30)
            .row();
    Period period = new Period(0, 2 * HOUR, 2 * HOUR);
    Rates none = Rates.NONE;
    Report report =
        UsageGroups.report(
            query(period, "tenant", none, 9), List.of(used, UsageRows.of(GPU, B, 0).row()));
    assertThat(report.rows()).extracting(Row::group).containsExactly(List.of("a"), List.of("b"));
    Row a = report.rows().getFirst();
    List<String> figures = new ArrayList<>();
    for (Figure each : Figure.values()) {
      assertThat(text(report.rows().getLast(), each, none)).as(each.field).isEqualTo("null");
      if (each.of(a, none).isPresent()) {
        figures.add(each.field + "=" + text(a, each, none));
      }
    }
    assertThat(figures)
        .containsExactly(
            "gpu_hours_allocated=1.875",
            "gpu_hours_busy=1",
            "gpu_hours_execution_idle=0.5",
            "gpu_hours_idle=0.25",
            "gpu_hours_unknown=0.125",
            "gpu_seconds_allocated=6750",
            "gpu_seconds_busy=3600",
            "gpu_seconds_execution_idle=1800",
            "gpu_seconds_idle=900",
            "gpu_seconds_unknown=450",
            "energy_kwh=1",
            "energy_estimated_kwh=0.5",
            "energy_joules=3600000",
            "energy_estimated_joules=1800000",
            "memory_used_bytes=77",
            "memory_peak_bytes=1073741824",
            "memory_average_bytes=1073741824",
            "memory_seconds=3600",
            "activity_average_ratio=0.5",
            "sm_average_ratio=0.4",
            "tensor_average_ratio=0.3",
            "dram_average_ratio=0.2",
            "nvlink_bytes=11",
            "pcie_bytes=12",
            "cpu_seconds=13.5",
            "host_memory_peak_bytes=3221225472",
            "host_memory_average_bytes=3221225472",
            "host_memory_seconds=3600",
            "io_bytes=14");
  }

  @Test
  void aCounterThatHasNotIncreasedIsZeroAndOneThatIsNotThereIsAbsent() throws Exception {
    Rates rates = rates("prices: []", "default: 400", "1");
    UsageRow counted =
        UsageRows.of(GPU, A, 0)
            .with(Amount.ENERGY, 0)
            .with(Amount.NVLINK, 0)
            .with(Amount.CPU, 0)
            .row();
    Report report =
        UsageGroups.report(
            query(new Period(0, HOUR, HOUR), "tenant", rates, 9),
            List.of(counted, UsageRows.of(GPU, B, 0).row()));
    List<String> figures = new ArrayList<>();
    for (Figure each : Figure.values()) {
      assertThat(text(report.rows().getLast(), each, rates)).as(each.field).isEqualTo("null");
      if (each.of(report.rows().getFirst(), rates).isPresent()) {
        figures.add(each.field + "=" + text(report.rows().getFirst(), each, rates));
      }
    }
    assertThat(figures)
        .containsExactly(
            "energy_kwh=0",
            "energy_estimated_kwh=0",
            "energy_joules=0",
            "energy_estimated_joules=0",
            "nvlink_bytes=0",
            "cpu_seconds=0",
            "carbon_grams=0",
            "energy_without_carbon_kwh=0");
  }

  @Test
  void costAndCarbonAreThoseOfThePieceWithTheRuleThatApplied() throws Exception {
    Rates rates =
        rates(
            """
            currency: EUR
            cpu: 0.03
            memory: 0.02
            prices:
              - {name: early, hours: 0-1, price: 0.1}
              - {name: of a, tenant: a, price: 3}
            """,
            "hours: {1970-01-01T00:00:00Z: 100, 1970-01-01T01:00:00Z: 300}",
            "1.2");
    Period period = new Period(0, 3 * HOUR, 3 * HOUR);
    ReportQuery query = query(period, "tenant", rates, 9);
    assertThat(query.pieces().borders()).containsExactly(0L, HOUR, 2 * HOUR, 3 * HOUR);
    List<UsageRow> usage = new ArrayList<>();
    for (Labels owner : List.of(A, B)) {
      for (int piece = 0; piece < 3; piece++) {
        usage.add(
            UsageRows.of(GPU, owner, piece)
                .with(Amount.BUSY, GPU_HOUR / 3)
                .with(Amount.UNKNOWN, GPU_HOUR / 3)
                .with(Amount.ENERGY, 3_600_000_000L)
                .memory(5, piece)
                .row());
      }
    }
    Labels host = Labels.of("Hostname", "n1");
    usage.add(UsageRows.of(host, A, 1).with(Amount.CPU, HOUR / 3).row());
    usage.add(UsageRows.of(host, A, 2).hostMemory(3L << 29).row());
    Report report = UsageGroups.report(query, usage);
    Row a = report.rows().getFirst();
    Row b = report.rows().getLast();
    assertThat(text(a, Figure.COST, rates))
        .as("2/3 of 0.1 and twice 3, 1/3 of 0.03, and 3/2 of 0.02")
        .isEqualTo("4.10666666666667");
    assertThat(text(a, Figure.COST_GPU, rates)).isEqualTo("4.06666666666667");
    assertThat(text(a, Figure.COST_CPU, rates)).isEqualTo("0.01");
    assertThat(text(a, Figure.COST_MEMORY, rates)).isEqualTo("0.03");
    assertThat(text(b, Figure.COST_CPU, rates)).as("not known").isEqualTo("null");
    assertThat(text(b, Figure.COST_MEMORY, rates)).isEqualTo("null");
    assertThat(text(a, Figure.HOURS_UNPRICED, rates)).isEqualTo("0");
    assertThat(a.charges()).extracting(each -> each.rule().name()).containsExactly("early", "of a");
    assertThat(a.charges().getLast().cost()).isEqualByComparingTo("4");
    assertThat(text(b, Figure.COST, rates)).isEqualTo("0.0666666666666667");
    assertThat(text(b, Figure.HOURS_UNPRICED, rates)).isEqualTo("1.33333333333333");
    for (Row row : report.rows()) {
      assertThat(text(row, Figure.CARBON, rates)).as("(100 + 300) * 1.2").isEqualTo("480");
      assertThat(text(row, Figure.ENERGY_WITHOUT_CARBON, rates)).isEqualTo("1");
      assertThat(text(row, Figure.MEMORY_USED, rates)).as("of the last piece").isEqualTo("2");
    }
    assertThat(text(report.totals().getFirst(), Figure.MEMORY_USED, rates)).isEqualTo("4");
    assertThat(text(report.totals().getFirst(), Figure.COST, rates)).isEqualTo("4.17333333333333");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void classesAddUpToWhatIsAllocatedAndEveryGroupingAndStepHasTheSameSum(long seed)
      throws Exception {
    Random random = new Random(seed);
    Rates rates =
        rates(
            "prices: [{hours: 1-3, price: 1.7}, {tenant: a, price: 0.9}, {price: 2}]",
            "default: 17",
            "1.1");
    Period whole = new Period(0, 6 * HOUR, 6 * HOUR);
    Period steps = new Period(0, 6 * HOUR, HOUR);
    Pieces hours = Pieces.of(steps, rates.changes(0, 6 * HOUR));
    Pieces coarse = Pieces.of(whole, rates.changes(0, 6 * HOUR));
    List<UsageRow> usage = new ArrayList<>();
    List<UsageRow> ofHours = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Labels owner = random.nextBoolean() ? A : random.nextBoolean() ? B : Labels.EMPTY;
      Labels device = GPU.with("UUID", "GPU-" + random.nextInt(4)).with("rack", "r" + i % 2);
      int hour = random.nextInt(6);
      UsageRows row = UsageRows.of(device, owner, hour);
      UsageRows inWhole = UsageRows.of(device, owner, pieceOf(coarse, hours.start(hour)));
      for (Amount each :
          List.of(
              Amount.BUSY,
              Amount.EXECUTION_IDLE,
              Amount.IDLE,
              Amount.UNKNOWN,
              Amount.ENERGY,
              Amount.ENERGY_ESTIMATED)) {
        long value = random.nextLong(1L << 50);
        row.with(each, value);
        inWhole.with(each, value);
      }
      ofHours.add(row.row());
      usage.add(inWhole.row());
    }
    Row all = UsageGroups.report(query(whole, "tenant", rates, 99), usage).totals().getFirst();
    assertThat(CLASSES.stream().map(all.sums()::of).reduce(java.math.BigInteger::add).orElseThrow())
        .isEqualTo(all.sums().allocated());
    BigDecimal allocated = Figure.SECONDS_ALLOCATED.of(all, rates).orElseThrow();
    BigDecimal joules = Figure.JOULES.of(all, rates).orElseThrow();
    for (String by : List.of("tenant", "job", "gpu", "rack", "model,host")) {
      for (Period period : List.of(whole, steps)) {
        Report report =
            UsageGroups.report(query(period, by, rates, 99), period == whole ? usage : ofHours);
        assertThat(sum(report.rows(), Figure.SECONDS_ALLOCATED, rates))
            .isEqualByComparingTo(allocated);
        assertThat(sum(report.rows(), Figure.JOULES, rates)).isEqualByComparingTo(joules);
        assertThat(sum(report.totals(), Figure.JOULES, rates)).isEqualByComparingTo(joules);
        assertThat(sum(report.rows(), Figure.COST, rates).doubleValue())
            .isCloseTo(
                Figure.COST.of(all, rates).orElseThrow().doubleValue(),
                org.assertj.core.data.Offset.offset(1e-9));
      }
    }
  }

  private static int pieceOf(Pieces pieces, long time) {
    int piece = 0;
    while (pieces.borders().get(piece + 1) <= time) {
      piece++;
    }
    return piece;
  }

  private static BigDecimal sum(List<Row> rows, Figure figure, Rates rates) {
    return rows.stream()
        .flatMap(row -> figure.of(row, rates).stream())
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  @Test
  void moreRowsThanAreAllowedAreRefused() throws Exception {
    Period period = new Period(0, 2 * HOUR, HOUR);
    List<UsageRow> usage =
        List.of(
            UsageRows.of(GPU, A, 0).row(),
            UsageRows.of(GPU, B, 0).row(),
            UsageRows.of(GPU, A, 1).row());
    assertThat(UsageGroups.report(query(period, "job", Rates.NONE, 3), usage).rows())
        .extracting(row -> row.from() + row.group().getFirst())
        .containsExactly("01", "02", "36000001");
    assertThatThrownBy(() -> UsageGroups.report(query(period, "job", Rates.NONE, 2), usage))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("more than the 2 rows that report.maxRows allows");
  }
}
