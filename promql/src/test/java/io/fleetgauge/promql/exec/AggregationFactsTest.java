package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link Aggregation} declares of each operator is what the evaluator does. */
class AggregationFactsTest {
  private static final int STEPS = 5;

  private static List<Series> series(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Series> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      long[] times = new long[STEPS];
      double[] values = new double[STEPS];
      for (int j = 0; j < STEPS; j++) {
        times[j] = j * 10_000L;
        values[j] =
            switch (random.nextInt(12)) {
              case 0 -> Double.NaN;
              case 1 -> -0.0;
              case 2 -> 0.0;
              case 3 -> random.nextBoolean() ? 1e300 : -1e300;
              default -> random.nextDouble() * Math.pow(10, random.nextInt(-12, 12));
            };
      }
      all.add(
          new Series(
              Labels.of("__name__", "x", "rack", "r" + i % 3, "gpu", "" + i), times, values));
    }
    return all;
  }

  private static SeriesSource source(List<Series> series) {
    return (selection, receiver) -> {
      for (Series one : series) {
        receiver.accept(one);
      }
    };
  }

  private static Query query(Aggregation op) throws Exception {
    String parameter =
        op.parameter().map(type -> type == ValueType.STRING ? "\"v\", " : "0.5, ").orElse("");
    if (op == Aggregation.TOPK || op == Aggregation.BOTTOMK || op == Aggregation.LIMITK) {
      parameter = "2, ";
    }
    String text = op.text() + " by (rack) (" + parameter + "x)";
    Expr expr = Parser.parse(text, new ParseOptions(Feature.ALL, 0, 0));
    Query.Settings settings = Query.Settings.STOCK.withLookback(1_000);
    return new Query(text, expr, 0, (STEPS - 1) * 10_000, 10_000, settings);
  }

  /** Each group's values to the last bit, whatever their order. */
  private static TreeMap<Labels, String> bits(List<Column> columns) {
    TreeMap<Labels, String> bits = new TreeMap<>();
    for (Column column : columns) {
      bits.put(column.labels(), Arrays.toString(column.values()) + hash(column.values()));
    }
    return bits;
  }

  private static long hash(double[] values) {
    long hash = 0;
    for (double value : values) {
      hash = 31 * hash + Double.doubleToRawLongBits(value);
    }
    return hash;
  }

  private static TreeMap<Labels, String> whole(Aggregation op, List<Series> series)
      throws Exception {
    Query query = query(op);
    return bits(
        Engine.columns(query, query.expr(), query.grid(), source(series), StopCheck.NEVER)
            .columns());
  }

  @ParameterizedTest
  @EnumSource(Aggregation.class)
  void whereTheOrderOfSeriesIsIgnoredAnyOrderGivesTheSameBits(Aggregation op) throws Exception {
    boolean ignored =
        switch (op.order()) {
          case IGNORED -> true;
          case READ, SET -> false;
        };
    for (long seed = 1; ignored && seed <= 20; seed++) {
      List<Series> series = series(seed);
      TreeMap<Labels, String> inOrder = whole(op, series);
      Collections.shuffle(series, new Random(seed));
      assertThat(whole(op, series)).as("seed %d", seed).isEqualTo(inOrder);
    }
  }

  @ParameterizedTest
  @EnumSource(Aggregation.class)
  void partialsOfAnySplitMergeToTheBitsOfTheWhole(Aggregation op) throws Exception {
    Query query = query(op);
    Expr.Aggregate aggregate = (Expr.Aggregate) query.expr();
    switch (op.partials()) {
      case NONE ->
          assertThatThrownBy(
                  () ->
                      Engine.partials(
                          query, aggregate, query.grid(), source(series(1)), StopCheck.NEVER))
              .isInstanceOf(IllegalStateException.class);
      case EXACT -> {
        for (long seed = 1; seed <= 20; seed++) {
          List<Series> series = series(seed);
          SplittableRandom random = new SplittableRandom(seed);
          List<List<Series>> shards =
              List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
          series.forEach(one -> shards.get(random.nextInt(3)).add(one));
          List<Partial> partials = new ArrayList<>();
          boolean exact = true;
          for (List<Series> shard : shards) {
            var part =
                Engine.partials(query, aggregate, query.grid(), source(shard), StopCheck.NEVER);
            exact &= part.isPresent();
            partials.addAll(part.map(PartResult::partials).orElse(List.of()));
          }
          Collections.shuffle(partials, new Random(seed));
          if (exact) {
            assertThat(bits(Engine.merged(query, aggregate, query.grid(), partials)))
                .as("seed %d", seed)
                .isEqualTo(whole(op, series));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Aggregation.class)
  void anAggregationTakesThePromisedParameter(Aggregation op) throws Exception {
    Expr.Aggregate aggregate = (Expr.Aggregate) query(op).expr();
    assertThat(aggregate.parameter().map(Expr::type)).isEqualTo(op.parameter());
    String without = op.text() + "(x)";
    if (op.parameter().isPresent()) {
      assertThatThrownBy(() -> Parser.parse(without, new ParseOptions(Feature.ALL, 0, 0)))
          .hasMessageContaining("wrong number of arguments for aggregate expression");
    }
    if (op.isExperimental()) {
      assertThatThrownBy(() -> Parser.parse(op.text() + "(1, x)"))
          .hasMessageContaining("is experimental and must be enabled");
    }
  }
}
