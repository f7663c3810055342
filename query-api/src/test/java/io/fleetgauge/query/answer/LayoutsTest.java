package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Push-down, merge and evaluation against one evaluation over all series: for queries and layouts
 * of hosts over gateways that are drawn from a seed.
 */
@ExtendWith(VertxExtension.class)
class LayoutsTest {
  private static final List<String> VECTORS =
      List.of(
          "power",
          "load_total",
          "power{rack=\"r0\"}",
          "rate(load_total[2m])",
          "max_over_time(power[3m])",
          "power * 2",
          "power + on (Hostname, gpu) load_total",
          "power > bool 120");
  private static final List<String> AGGREGATIONS =
      List.of(
          "%s",
          "sum(%s)",
          "sum by (rack) (%s)",
          "avg by (Hostname) (%s)",
          "min without (gpu) (%s)",
          "max by (job, rack) (%s)",
          "count(%s)",
          "group by (rack) (%s)",
          "topk(3, %s)",
          "bottomk by (rack) (1, %s)",
          "quantile(0.9, %s)",
          "stddev by (rack) (%s)",
          "sort_desc(%s)",
          "count_values(\"v\", %s)",
          "absent(%s)",
          "sum(sum by (Hostname) (%s))");

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 20_261_123})
  void everyQueryOnEveryLayoutHasTheAnswerOfOneEvaluation(long seed, Vertx vertx) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    TestQuerier test = new TestQuerier(vertx);
    int gateways = 1 + random.nextInt(6);
    for (int host = 0; host < 6; host++) {
      test.fleet.host("n" + host, "g" + random.nextInt(gateways));
    }
    for (int i = 0; i < 60; i++) {
      String vector = VECTORS.get(random.nextInt(VECTORS.size()));
      String text = AGGREGATIONS.get(random.nextInt(AGGREGATIONS.size())).formatted(vector);
      long from = TestQuerier.START + random.nextInt(150) * STEP;
      Ask<Evaluated> ask =
          random.nextBoolean()
              ? TestQuerier.instant(ROOT, text)
              : range(ROOT, text, from, from + random.nextInt(40) * STEP);
      Planner.Mode mode = random.nextInt(4) == 0 ? Planner.Mode.RAW : Planner.Mode.AUTO;
      Reply<Evaluated> reply = test.answer(TestQuerier.with(ask, mode, false, false));
      Answer expected = test.expected(ask);
      assertThat(reply.value().result())
          .as("%s on %s gateways, %s", text, gateways, mode)
          .isEqualTo(expected.result());
      assertThat(reply.value().infos()).isEqualTo(expected.infos());
    }
  }
}
