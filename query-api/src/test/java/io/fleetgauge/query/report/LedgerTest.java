package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The report against a plain ledger, from seeds. */
class LedgerTest {
  private static final long END = 1_500;
  private static final long LOOKBACK = 60;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 12);
  }

  static LongStream moreSeeds() {
    return LongStream.rangeClosed(13, 150);
  }

  /** A report of samples that come in pieces. */
  private static Report report(
      List<Series> all, Period period, List<GroupKey> by, long lookback, LongStream cuts)
      throws QueryFailure {
    ReportFold fold = new ReportFold(new ReportQuery(period, by, List.of(), lookback, 10_000));
    long after = period.from() - lookback;
    for (long to : LongStream.concat(cuts, LongStream.of(period.to())).sorted().toArray()) {
      if (to <= after || to > period.to()) {
        continue;
      }
      fold.add(to, piece(all, after, to));
      after = to;
    }
    return fold.value();
  }

  private static List<List<Series>> piece(List<Series> all, long after, long to) {
    List<List<Series>> piece = new ArrayList<>();
    for (Measure.Source source : Measure.SOURCES) {
      List<Series> selected = new ArrayList<>();
      for (Series each : all) {
        int first = Series.firstAfter(each.times(), 0, each.size(), after);
        int end = Series.firstAfter(each.times(), 0, each.size(), to);
        if (each.labels().metric().equals(source.metric().name()) && first < end) {
          selected.add(
              new Series(
                  each.labels(),
                  java.util.Arrays.copyOfRange(each.times(), first, end),
                  java.util.Arrays.copyOfRange(each.values(), first, end)));
        }
      }
      piece.add(selected);
    }
    return piece;
  }

  private static void check(long seed) throws QueryFailure {
    Random random = new Random(seed * 31);
    List<Series> all = new RandomGpus(seed, END).series();
    long from = 200 + random.nextInt(200);
    long to = END - random.nextInt(300);
    long step = random.nextBoolean() ? to - from : 50 + random.nextInt(400);
    Period period = new Period(from, to, Math.min(step, to - from));
    List<List<String>> groupings =
        List.of(
            List.of("tenant"),
            List.of("gpu"),
            List.of("pod", "container", "host"),
            List.of("gpu", "mig"));
    List<String> by = groupings.get(random.nextInt(groupings.size()));
    Report report =
        report(
            all,
            period,
            GroupKey.parse(List.of(String.join(",", by))),
            LOOKBACK,
            random.longs(random.nextInt(9), from - LOOKBACK, to));
    List<Row> rows = new PlainLedger(all, period, LOOKBACK, groupOf(by)).rows();
    assertThat(report.rows()).as("seed " + seed).isEqualTo(rows);
    assertThat(report.totals())
        .as("seed " + seed)
        .isEqualTo(new PlainLedger(all, period, LOOKBACK, labels -> List.of()).rows());
  }

  private static Function<Labels, List<String>> groupOf(List<String> by) {
    return labels ->
        by.stream()
            .map(
                key ->
                    switch (key) {
                      case "gpu" -> labels.value("UUID");
                      case "mig" -> labels.value("GPU_I_ID");
                      case "host" -> labels.value("Hostname");
                      default -> {
                        String exported = labels.value("exported_" + key);
                        yield exported.isEmpty() ? labels.value(key) : exported;
                      }
                    })
            .toList();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theReportIsThatOfALedgerThatLooksAtEveryMillisecond(long seed) throws Exception {
    check(seed);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("moreSeeds")
  void soItIsOfMoreFleets(long seed) throws Exception {
    check(seed);
  }

  @Test
  void everyGroupingHasTheSameTotal() throws Exception {
    for (long seed = 1; seed <= 60; seed++) {
      List<Series> all = new RandomGpus(seed, END).series();
      Period period = new Period(100, END, END);
      for (String by : List.of("pod", "tenant", "gpu", "container,host", "rack", "gpu,mig")) {
        Report report =
            report(all, period, GroupKey.parse(List.of(by)), LOOKBACK, LongStream.empty());
        if (report.totals().isEmpty()) {
          continue;
        }
        Row total = report.totals().getFirst();
        assertThat(sum(report, Row.Figure.MEMORY_USED))
            .isEqualTo(Row.Figure.MEMORY_USED.of(total).orElse(0));
        for (Row.Figure hours : List.of(Row.Figure.HOURS_ALLOCATED, Row.Figure.HOURS_BUSY)) {
          assertThat(sum(report, hours)).isCloseTo(hours.of(total).orElse(0), within(1e-12));
        }
        assertThat(
                report.rows().stream()
                    .flatMap(row -> row.memory().stream())
                    .mapToDouble(memory -> memory.averageBytes() * memory.seconds())
                    .sum())
            .isCloseTo(
                total.memory().map(all2 -> all2.averageBytes() * all2.seconds()).orElse(0.0),
                within(1e-3));
      }
    }
  }

  private static double sum(Report report, Row.Figure figure) {
    return report.rows().stream().mapToDouble(row -> figure.of(row).orElse(0)).sum();
  }
}
