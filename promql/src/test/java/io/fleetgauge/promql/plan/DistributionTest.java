package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.RandomQueries;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever shards evaluate of a query, the answer is that of one place with all series. */
class DistributionTest {
  private static final List<String> DEFAULT = List.of("Hostname", "node", "instance");

  private static Query instant(String text) throws Exception {
    return new Query(text, Parser.parse(text), 150_000, 150_000, 0, Query.Settings.STOCK);
  }

  private static Query range(String text) throws Exception {
    return new Query(text, Parser.parse(text), 30_000, 170_000, 7_000, Query.Settings.STOCK);
  }

  /** Values to the last bit, labels, their order, annotations; of a failure its text. */
  static String shown(Answer answer) {
    StringBuilder out = new StringBuilder();
    switch (answer.result()) {
      case Answer.Scalar scalar -> out.append(bits(scalar.value()));
      case Answer.Text text -> out.append(text.value());
      case Answer.Vector vector ->
          vector
              .samples()
              .forEach(
                  one ->
                      out.append(one.labels()).append(' ').append(bits(one.value())).append('\n'));
      case Answer.Matrix matrix -> {
        for (Series series : matrix.series()) {
          out.append(series.labels());
          for (int i = 0; i < series.size(); i++) {
            out.append(' ').append(series.times()[i]).append('=').append(bits(series.values()[i]));
          }
          out.append('\n');
        }
      }
    }
    return out.append(answer.warnings()).append(answer.infos()).toString();
  }

  private static String bits(double value) {
    return value + "/" + Long.toHexString(Double.doubleToLongBits(value));
  }

  private static String whole(InMemoryShards shards, Query query) {
    try {
      return shown(Engine.run(query, shards.whole(), StopCheck.NEVER));
    } catch (QueryFailure e) {
      return e.kind() + e.getMessage();
    }
  }

  private static String distributed(InMemoryShards shards, Query query) throws Exception {
    try {
      return shown(shards.run(query, Planner.Mode.AUTO));
    } catch (QueryFailure e) {
      return e.kind() + e.getMessage();
    }
  }

  private static int compare(InMemoryShards shards, long seed, int count) throws Exception {
    RandomQueries queries = new RandomQueries(seed);
    int pushedDown = 0;
    for (int i = 0; i < count; i++) {
      String text = queries.next();
      for (Query query : List.of(instant(text), range(text))) {
        assertThat(distributed(shards, query))
            .as(
                "%s, number %d of seed %d: %s",
                query.isInstant() ? "instant" : "range", i, seed, text)
            .isEqualTo(whole(shards, query));
        pushedDown += shards.pushedDown() ? 1 : 0;
      }
    }
    return pushedDown;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void anyQueryOverAnyShardsEqualsTheQueryOverAllSeries(long seed) throws Exception {
    InMemoryShards shards = new RandomFleet(seed).shards(List.of(DEFAULT, DEFAULT, DEFAULT));
    assertThat(compare(shards, seed, 250)).as("queries that shards evaluated").isGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void anyQueryIsExactWithAnotherHostLabel(long seed) throws Exception {
    List<String> machine = List.of("machine");
    InMemoryShards shards = new RandomFleet(seed).shards(List.of(machine, machine));
    assertThat(compare(shards, seed, 250)).isGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22})
  void anyQueryIsExactWhenGatewaysHaveDifferentHostLabels(long seed) throws Exception {
    InMemoryShards shards =
        new RandomFleet(seed).shards(List.of(List.of("machine"), List.of("rack", "Hostname")));
    assertThat(compare(shards, seed, 200)).as("queries that shards evaluated").isZero();
  }

  private static Series one(String... labels) {
    return new Series(Labels.of(labels), new long[] {140_000}, new double[] {1});
  }

  /** Two hosts that differ in {@code label} only. */
  private static InMemoryShards two(String label) {
    return new InMemoryShards(
        List.of(
            new InMemoryShards.Shard(
                List.of(label),
                Set.of("a"),
                new InMemorySeries(List.of(one("__name__", "up", label, "a")))),
            new InMemoryShards.Shard(
                List.of(label),
                Set.of("b"),
                new InMemorySeries(List.of(one("__name__", "up", label, "b"))))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "label_replace(up, \"%s\", \"x\", \"\", \"\")",
        "label_join(up, \"%s\", \"\", \"job\")",
        "sum(label_replace(up, \"%s\", \"x\", \"\", \"\"))",
        "count(abs(label_join(up, \"%s\", \"\", \"job\")))",
      })
  void seriesOfTwoShardsThatBecomeEqualAreAnErrorWhateverTheHostLabel(String pattern)
      throws Exception {
    for (String label : List.of("Hostname", "node", "instance", "machine", "host")) {
      Query query = instant(pattern.formatted(label));
      InMemoryShards shards = two(label);
      assertThat(whole(shards, query)).contains(QueryFailure.SAME_LABEL_SET);
      assertThat(distributed(shards, query)).as(label).contains(QueryFailure.SAME_LABEL_SET);
    }
  }

  @Test
  void shardsWriteALabelThatIsNoHostLabel() throws Exception {
    InMemoryShards shards = two("machine");
    Query query = instant("label_replace(up, \"zone\", \"x\", \"\", \"\")");
    assertThat(distributed(shards, query)).isEqualTo(whole(shards, query)).contains("zone=\"x\"");
    assertThat(shards.pushedDown()).isTrue();
  }

  @Test
  void theMetricNameMayBeAHostLabel() throws Exception {
    InMemoryShards shards =
        new InMemoryShards(
            List.of(
                new InMemoryShards.Shard(
                    List.of("__name__"),
                    Set.of("a"),
                    new InMemorySeries(List.of(one("__name__", "a", "x", "1")))),
                new InMemoryShards.Shard(
                    List.of("__name__"),
                    Set.of("b"),
                    new InMemorySeries(List.of(one("__name__", "b", "x", "1"))))));
    for (String text : List.of("abs({x=\"1\"})", "-{x=\"1\"}", "{x=\"1\"} * 2", "sum({x=\"1\"})")) {
      Query query = instant(text);
      assertThat(distributed(shards, query)).as(text).isEqualTo(whole(shards, query));
    }
  }

  @Test
  void seriesWithoutHostnameAreMatchedInOnePlace() throws Exception {
    InMemoryShards shards = two("machine");
    for (String text : List.of("quantile by (Hostname) (0.5, up)", "up + on (Hostname) up")) {
      Query query = instant(text);
      assertThat(distributed(shards, query)).as(text).isEqualTo(whole(shards, query));
      assertThat(shards.pushedDown()).isFalse();
    }
  }
}
