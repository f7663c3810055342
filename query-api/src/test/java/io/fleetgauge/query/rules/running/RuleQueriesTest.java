package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.QueryFailure.Kind;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.QueryAnswer;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(VertxExtension.class)
class RuleQueriesTest {
  private static final long NOW = 1_700_000_000_000L;

  private final MemoryFleet fleet = new MemoryFleet();
  private Querier querier;

  @ParameterizedTest
  @EnumSource(names = {"TIMEOUT", "UNAVAILABLE", "LIMITED", "CANCELED"})
  void aFailureThatPassesIsAnErrorOfTheRuleOnlyWhenThereIsNoMoreTime(Kind kind) {
    QueryFailure failure = new QueryFailure(kind, "not now");

    assertThat(RuleQueries.told(failure, true)).isInstanceOf(RetryLater.class);
    assertThat(RuleQueries.told(failure, false)).isSameAs(failure);
  }

  @Test
  void aFailureThatIsTheQuerysOwnIsAnErrorOfTheRuleAtOnce() {
    QueryFailure failure = new QueryFailure(Kind.EXECUTION, "many-to-many");

    assertThat(RuleQueries.told(failure, true)).isSameAs(failure);
  }

  @Test
  void aDefectIsAnErrorOfTheRuleWhenThereIsNoMoreTime() {
    Throwable defect = new IndexOutOfBoundsException("3");

    assertThat(RuleQueries.told(defect, true)).isInstanceOf(RetryLater.class);
    assertThat(RuleQueries.told(defect, false))
        .isInstanceOfSatisfying(
            QueryFailure.class, told -> assertThat(told.kind()).isEqualTo(Kind.INTERNAL))
        .hasMessageContaining("IndexOutOfBoundsException: 3");
  }

  // --- answers ---

  private RuleQueries queries(long patience, boolean hasGateways, boolean isAlone) {
    return new RuleQueries(
        querier,
        new Caller("(rules)", List.of(), true, TenantLimits.DEFAULT),
        patience,
        300_000,
        60_000,
        () -> NOW,
        () -> hasGateways,
        () -> isAlone);
  }

  private static QueryAnswer ask(RuleQueries queries, String expression) throws Exception {
    try {
      return queries
          .instant(Parser.parse(expression), NOW)
          .toCompletableFuture()
          .get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    fleet
        .host("n1", "g1")
        .host("n2", "g1")
        .with(
            new Series(
                Labels.of("__name__", "t", "Hostname", "n1"), new long[] {NOW}, new double[] {7}),
            new Series(
                Labels.of("__name__", "u", "Hostname", "n1"), new long[] {NOW}, new double[] {8}));
    querier =
        new Querier(
            QueryConfig.read("test", ""),
            new MemoryShards(vertx, fleet).stores(),
            new Admission(
                new Admission.Places(20, 20, 4),
                tenant -> new TenantShare(1, 20, 200),
                ClusterShare.WHOLE,
                System::nanoTime),
            new Querier.Workers(
                vertx.createSharedWorkerExecutor("light", 2),
                vertx.createSharedWorkerExecutor("heavy", 1)),
            AliasTable.builtIn(),
            Tracer.OFF,
            () -> NOW);
  }

  @Test
  void aWholeAnswerLacksNoHost() throws Exception {
    QueryAnswer seen = ask(queries(NOW + 1, true, true), "t");
    assertThat(seen.missing()).isEmpty();
    assertThat(((Answer.Vector) seen.result()).samples())
        .extracting(Answer.Sample::value)
        .containsExactly(7.0);
  }

  @Test
  void whatIsMissingIsWaitedForUntilTheDeadlineAndThenNamed() throws Exception {
    fleet.damage("n2");
    assertThatThrownBy(() -> ask(queries(NOW + 1, true, false), "t"))
        .isInstanceOf(RetryLater.class)
        .hasMessage("hosts are missing: [n2]");
    QueryAnswer seen = ask(queries(NOW, true, false), "t");
    assertThat(seen.missing()).containsExactly("n2");
    assertThat(((Answer.Vector) seen.result()).samples()).hasSize(1);
  }

  @Test
  void withoutGatewaysNoEvaluationEnds() {
    fleet.damage("n2");
    assertThatThrownBy(() -> ask(queries(NOW, false, false), "t")).isInstanceOf(RetryLater.class);
  }

  @Test
  void aProcessThatSeesNeitherHostsNorOthersIsCutOff() throws Exception {
    fleet.damage("n2");
    assertThat(ask(queries(NOW, true, true), "t").missing()).containsExactly("n2");
    fleet.damage("n1");
    assertThat(ask(queries(NOW, true, false), "t").missing()).containsExactly("n1", "n2");
    assertThatThrownBy(() -> ask(queries(NOW, true, true), "t")).isInstanceOf(RetryLater.class);
  }

  @Test
  void aFailureOfAQueryIsToldAsWhatItIs() {
    assertThatThrownBy(
            () -> ask(queries(NOW + 1, true, false), "sum(t) + on() {__name__=~\"t|u\"}"))
        .isInstanceOf(QueryFailure.class);
    querier = null;
    assertThatThrownBy(() -> ask(queries(NOW + 1, true, false), "t"))
        .isInstanceOf(RetryLater.class);
    assertThatThrownBy(() -> ask(queries(NOW, true, false), "t"))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("NullPointerException");
  }
}
