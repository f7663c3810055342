package io.fleetgauge.query.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class CostEstimatesTest {
  private static final Load LOAD = new Load("t", 1, 1);

  private CostEstimates estimates;

  @BeforeEach
  void start(Vertx vertx) {
    MemoryFleet fleet = new MemoryFleet().host("n1", "g1");
    MemoryShards shards = new MemoryShards(vertx, fleet);
    estimates = new CostEstimates(shards, shards::hostCount);
  }

  private static List<Matcher> selector(Matcher.Kind kind, String value) {
    return List.of(Matcher.equal("__name__", "power"), Matcher.of(kind, "rack", value));
  }

  private void ask(List<Matcher> selector) {
    assertThat(estimates.ofSamples(List.of(new Selection(selector, 0, 1_000)), LOAD).succeeded())
        .isTrue();
  }

  @Test
  void whatALookupFoundIsTheCostOfAnEqualOne() {
    List<List<Matcher>> asked = List.of(selector(Matcher.Kind.REGEX, "r[0-9]+"));
    assertThat(estimates.ofIndex(asked).known()).isFalse();
    estimates.found(asked, 5_000);
    assertThat(estimates.ofIndex(List.of(selector(Matcher.Kind.REGEX, "r[0-9]+"))).known())
        .isTrue();
    assertThat(estimates.ofIndex(List.of(selector(Matcher.Kind.EQUAL, "r[0-9]+"))).known())
        .isFalse();
  }

  @Test
  void manyLongSelectorsTakeNoMoreMemoryThanFewShortOnes() {
    for (int i = 0; i < 400; i++) {
      List<Matcher> selector = selector(Matcher.Kind.EQUAL, "r".repeat(100_000) + i);
      ask(selector);
      estimates.found(List.of(selector), 1);
    }
    // Three caches of 8 MiB, which remove the oldest entries in the background.
    Awaitility.await().until(() -> estimates.bytes() <= 3 * 8 << 20);
    assertThat(estimates.bytes()).isGreaterThan(3 * 7 << 20);
  }
}
