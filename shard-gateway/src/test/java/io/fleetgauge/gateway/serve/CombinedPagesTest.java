package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupFit;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.WriteOutcome;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CombinedPagesTest {
  private static final long STEP = 15_000;
  private static final long BEGIN = 1_700_000_000_000L / STEP * STEP;
  private static final List<String> HOSTS = List.of("n1", "n2", "n3", "n4", "n5");
  private static final List<String> QUERIES =
      List.of(
          "sum by (rack) (power)",
          "avg by (rack, tenant) (power)",
          "max by (tenant) (power)",
          "min (power)",
          "count by (rack) (power{tenant=\"a\"})",
          "sum without (Hostname, gpu, tenant) (power)",
          "sum by (tenant) (rate(energy[1m]))",
          "sum by (rack) (power offset 10m)");
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "power|energy"),
                  List.of("rack", "tenant", "Hostname"),
                  true,
                  List.of(60_000L))));

  private final Store store =
      new Store(
          Path.of("nowhere"),
          new StoreLimits(
              Duration.ofDays(7),
              1L << 40,
              Duration.ofHours(8),
              Duration.ofHours(4),
              StoreLimits.DEFAULT_FUTURE,
              1_000,
              1_000,
              1_000),
          Dimensions.DEFAULT,
          RULES);
  private final RollupRunner runner = new RollupRunner(store);

  private void append(String host, long time, SplittableRandom random) {
    Lane lane = store.lane(host);
    List<Lane.Handle> handles = new ArrayList<>();
    double[] values = new double[4];
    for (int gpu = 0; gpu < 2; gpu++) {
      for (String metric : List.of("power", "energy")) {
        handles.add(
            lane.handle(
                Labels.of(
                    Labels.NAME,
                    metric,
                    "Hostname",
                    host,
                    "rack",
                    "r" + HOSTS.indexOf(host) % 2,
                    "tenant",
                    gpu == 0 ? "a" : "b",
                    "gpu",
                    "" + gpu)));
        values[handles.size() - 1] =
            metric.equals("power")
                ? random.nextInt(700_000) / 1000.0
                : (time - BEGIN) / 10.0 + random.nextInt(10);
      }
    }
    lane.append(
        Lane.Source.SENDER,
        time,
        Long.MAX_VALUE,
        handles.toArray(Lane.Handle[]::new),
        values,
        null,
        new WriteOutcome());
  }

  private record Asked(Query query, Expr.Aggregate aggregate, Grid grid) {}

  private static Asked asked(String text, long start, long step, int steps) throws Exception {
    long end = start + (steps - 1) * step;
    Expr expr = Parser.parse(text, new ParseOptions(Set.of(), end - start, step));
    Query query = new Query(text, expr, start, end, step, Query.Settings.STOCK);
    return new Asked(query, (Expr.Aggregate) expr, new Grid(start, step, end));
  }

  private SeriesSource source(List<String> hosts) {
    return (selection, receiver) -> {
      try {
        for (var series :
            store.select(hosts, selection, Long.MAX_VALUE, host -> {}, StopCheck.NEVER)) {
          receiver.accept(series);
        }
      } catch (TooManySamples e) {
        throw new QueryFailure(QueryFailure.Kind.EXECUTION, e.getMessage());
      }
    };
  }

  private RollupRunner.Result kept(Asked asked) throws QueryFailure {
    RollupFit fit =
        RollupFit.of(asked.query, asked.aggregate, asked.grid, RULES).fit().orElseThrow();
    Function<List<String>, SeriesSource> sources = this::source;
    return runner
        .run(asked.query, fit, asked.grid, HOSTS, sources, StopCheck.NEVER, false)
        .orElseThrow();
  }

  /** Each group's steps as text: how many series, and the number, sums rounded to a double. */
  private static TreeMap<String, List<String>> cells(List<Partial> partials) {
    TreeMap<String, List<String>> cells = new TreeMap<>();
    for (Partial partial : partials) {
      List<String> row = new ArrayList<>();
      for (int i = 0; i < partial.count().length; i++) {
        double[][] numbers = partial.numbers();
        String number =
            switch (numbers.length) {
              case 3 -> "" + Sums.rounded(at(numbers[0], i), at(numbers[1], i), at(numbers[2], i));
              case 1 -> "" + numbers[0][i];
              default -> "";
            };
        row.add(partial.count()[i] + " " + (partial.count()[i] == 0 ? "" : number));
      }
      cells.put(partial.group().toString(), row);
    }
    return cells;
  }

  private static double at(double[] row, int i) {
    return row == null ? 0 : row[i];
  }

  private void assertIsFoldOfAllSamples(Asked asked) throws QueryFailure {
    List<Partial> samples =
        Engine.partials(asked.query, asked.aggregate, asked.grid, source(HOSTS), StopCheck.NEVER)
            .orElseThrow()
            .partials();
    assertThat(cells(kept(asked).part().partials()))
        .as(asked.query.text())
        .isEqualTo(cells(samples));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whateverComesInWhateverOrderAFoldIsThatOfAllSamples(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    long[] next = new long[HOSTS.size()];
    for (int host = 0; host < next.length; host++) {
      next[host] = BEGIN + host * 1_000L;
    }
    for (int round = 0; round < 300; round++) {
      int host = random.nextInt(HOSTS.size());
      switch (random.nextInt(6)) {
        case 0 -> {
          long late = BEGIN + random.nextLong(Math.max(1, next[host] - BEGIN));
          append(HOSTS.get(host), late, random);
        }
        case 1 -> next[host] += random.nextInt(40) * STEP; // it is silent for a while
        default -> {
          for (int i = 0; i < HOSTS.size(); i++) {
            int ticks = i == host ? 5 : 25;
            for (int tick = 0; tick < ticks; tick++) {
              append(HOSTS.get(i), next[i], random);
              next[i] += STEP;
            }
          }
        }
      }
      long newest = java.util.Arrays.stream(next).max().orElseThrow();
      long span = newest - BEGIN + 20 * STEP;
      long step = STEP * (random.nextBoolean() ? 1 : 4);
      long start = BEGIN + random.nextLong(span) / STEP * STEP;
      int steps = 1 + random.nextInt((int) Math.min(400, 1 + span / step));
      assertIsFoldOfAllSamples(
          asked(QUERIES.get(random.nextInt(QUERIES.size())), start, step, steps));
    }
  }

  @Test
  void whatIsAskedAgainIsTakenFromOnePageForAllHosts() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    long first = pagesBegin();
    for (String host : HOSTS) {
      for (int tick = -30; tick < 2 * CombinedPages.STEPS; tick++) {
        append(host, first + tick * STEP, random);
      }
    }
    int steps = 2 * CombinedPages.STEPS;
    Asked asked = asked("sum by (rack) (power)", first, STEP, steps);
    assertIsFoldOfAllSamples(asked);
    assertThat(kept(asked).cells()).isEqualTo(2L * steps); // two racks, whatever the hosts
    append("n3", first + 7 * STEP + 1, random);
    assertIsFoldOfAllSamples(asked);
    assertThat(kept(asked).cells()).isEqualTo(2L * steps);
  }

  @Test
  void aHostThatIsBehindIsTakenByItself() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    long first = pagesBegin();
    for (String host : HOSTS) {
      int ticks = host.equals("n2") ? CombinedPages.STEPS / 2 : CombinedPages.STEPS;
      for (int tick = -30; tick < ticks; tick++) {
        append(host, first + tick * STEP, random);
      }
    }
    Asked asked = asked("max (power)", first, STEP, CombinedPages.STEPS);
    assertIsFoldOfAllSamples(asked);
    // One group of the others', and the two of the one that is behind, one for each tenant.
    assertThat(kept(asked).cells()).isEqualTo(CombinedPages.STEPS + 2L * (CombinedPages.STEPS / 2));
  }

  private static long pagesBegin() {
    return (BEGIN / (CombinedPages.STEPS * STEP) + 1) * CombinedPages.STEPS * STEP;
  }
}
