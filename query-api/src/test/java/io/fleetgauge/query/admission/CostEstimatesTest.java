package io.fleetgauge.query.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class CostEstimatesTest {
  private static final Load LOAD = new Load("t", 1, 1);

  private MemoryShards shards;
  private CostEstimates estimates;

  @BeforeEach
  void start(Vertx vertx) {
    MemoryFleet fleet = new MemoryFleet().host("n1", "g1").host("n2", "g2");
    shards = new MemoryShards(vertx, fleet);
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

  private static CostEstimates.Part part(boolean rollups, long from, long to) {
    Selection selection = new Selection(selector(Matcher.Kind.EQUAL, "r1"), from, to);
    return new CostEstimates.Part(List.of(new SamplesRead(selection, 1, 0)), rollups);
  }

  private Cost cost(CostEstimates.Part... parts) throws Exception {
    return estimates.of(List.of(parts), LOAD).await(10, TimeUnit.MINUTES);
  }

  @Test
  void aCostIsWhatTheShardsIndexesSay() throws Exception {
    shards.pretend(new Extent(10, 8_000));
    Cost cost = cost(part(false, 0, 4_000));
    assertThat(cost.known()).isTrue();
    assertThat(cost.series()).isEqualTo(10);
    assertThat(cost.samples()).isEqualTo(8_000);
    assertThat(cost.work()).isGreaterThanOrEqualTo(8_000);
  }

  @Test
  void partsOfAQueryReadTheSameSeriesAtDifferentTimes() throws Exception {
    shards.pretend(new Extent(10, 8_000));
    Cost both = cost(part(false, 0, 4_000), part(false, 8_000, 12_000));
    assertThat(both.series()).isEqualTo(10);
    assertThat(both.samples()).isEqualTo(16_000);
    assertThat(both.work())
        .isBetween(
            2 * cost(part(false, 0, 4_000)).work() - 1, 2 * cost(part(false, 0, 4_000)).work());
  }

  @Test
  void samplesThatUsageIsCountedFromAreATenthOfThoseThatAreEvaluated() throws Exception {
    shards.pretend(new Extent(1_000, 800_000));
    Selection selection = new Selection(selector(Matcher.Kind.EQUAL, "r1"), 0, 4_000);
    Cost usage = cost(new CostEstimates.Part(List.of(SamplesRead.ofUsage(selection)), false));
    assertThat(usage.series()).isEqualTo(1_000);
    assertThat(usage.samples()).isEqualTo(80_000);
    assertThat(usage.work()).isEqualTo(1 + 80_100);
  }

  @Test
  void whatRollupsMayServeIsLessWorkOfAsManySamples() throws Exception {
    shards.pretend(new Extent(1_000, 800_000));
    Cost samples = cost(part(false, 0, 4_000));
    Cost rollups = cost(part(true, 0, 4_000));
    assertThat(rollups.samples()).isEqualTo(samples.samples());
    assertThat(rollups.work()).isEqualTo(1 + (samples.work() - 1) / Load.ROLLUP_GAIN);
  }

  @Test
  void shardsAreAskedAgainOnlyForAnotherLengthOfTimeOrAnotherTime() throws Exception {
    cost(part(false, 0, 4_096));
    cost(part(true, 1_000, 5_096));
    assertThat(shards.count("extents")).as("about the same time").isEqualTo(1);
    cost(part(false, 0, 16_384));
    assertThat(shards.count("extents")).as("four times the length").isEqualTo(2);
    cost(part(false, 40_960, 45_056));
    assertThat(shards.count("extents")).as("later").isEqualTo(3);
    cost(part(false, 0, 4_096), part(false, 0, 16_384), part(false, 40_960, 45_056));
    assertThat(shards.count("extents")).as("all are known").isEqualTo(3);
  }

  @Test
  void whenNobodyAnswersTheCostIsABoundByTheNumberOfHosts() throws Exception {
    shards.hold("extents");
    Cost bound = cost(part(false, 0, 60_000));
    assertThat(bound.known()).isFalse();
    assertThat(bound.series()).as("for which no query is refused").isZero();
    assertThat(bound.samples()).isZero();
    // Two hosts with 50 series each, and a sample every 15 s.
    assertThat(bound.work()).isBetween(400L + 100, 400L + 100 + 1);
    shards.release();
    assertThat(cost(part(false, 0, 60_000)).known()).as("a bound is not kept").isTrue();
  }

  @Test
  void aLookupThatWasNeverMadeCostsWhatTheNumberOfHostsSuggests() {
    List<List<Matcher>> asked = List.of(selector(Matcher.Kind.EQUAL, "r1"));
    assertThat(estimates.ofIndex(asked)).isEqualTo(Cost.bound(1 + 2 * 500 / 50));
    assertThat(estimates.ofLines(asked)).isEqualTo(Cost.bound(1 + 2 * 500 * 8));
    assertThat(estimates.ofHosts()).isEqualTo(Cost.bound(1 + 2));
    estimates.found(asked, 300);
    assertThat(estimates.ofIndex(asked)).isEqualTo(new Cost(300, 0, 1 + 300 / 50));
    assertThat(estimates.ofLines(asked)).isEqualTo(new Cost(300, 300, 1 + 300 * 8));
  }
}
