package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.RACK_0;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.assertFails;
import static io.fleetgauge.query.answer.TestQuerier.await;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static io.fleetgauge.query.answer.TestQuerier.uncached;
import static io.fleetgauge.query.answer.TestQuerier.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How queries end: by themselves, by their time, by their callers, or before they begin. */
@ExtendWith(VertxExtension.class)
class RunningQueriesTest {
  private TestQuerier test;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx);
  }

  @Test
  void aQueryWhoseTimeIsOverFailsAndEndsItsReads() {
    test.shards.hold("parts");
    assertFails(
        test.begin(within(instant(ROOT, "sum(power)"), 500)),
        QueryFailure.Kind.TIMEOUT,
        "query timed out in expression evaluation after 500 ms");
    assertThat(test.shards.cancelled()).containsExactly("parts");
    Awaitility.await().until(() -> test.querier.running().all().isEmpty());
    assertThat(test.admission.running()).isZero();
  }

  @Test
  void theTimeOfAQueryWhoseAnswerIsKnownEndsTooWhileNobodySaysWhetherItIsStillValid()
      throws Exception {
    test.answer(instant(ROOT, "sum(power)"));
    test.shards.hold("changes");
    Future<?> answer = test.begin(within(instant(ROOT, "sum(power)"), 500));
    assertFails(answer, QueryFailure.Kind.TIMEOUT, "after 500 ms");
    test.shards.release();
    assertThat(test.querier.running().all()).isEmpty();
    assertThat(test.answer(instant(ROOT, "sum(power)")).value().result())
        .isEqualTo(test.expected(instant(ROOT, "sum(power)")).result());
  }

  @Test
  void aCallerThatLeavesEndsItsReadsAndGivesItsPlaceBack() {
    for (Ask<Evaluated> ask :
        List.of(instant(ROOT, "sum(power)"), uncached(instant(ROOT, "max(power)")))) {
      test.shards.hold("parts");
      Cancellation cancellation = new Cancellation();
      Future<?> answer = test.querier.answer(ask, Span.NONE, cancellation);
      cancellation.cancel();
      assertFails(answer, QueryFailure.Kind.CANCELED, "query was canceled");
      assertThat(test.querier.running().all()).isEmpty();
      assertThat(test.admission.running()).isZero();
    }
    assertThat(test.shards.cancelled()).containsExactly("parts", "parts");
  }

  @Test
  void aCallerWhoseConnectionClosesHasLeft() {
    test.shards.hold("parts");
    Promise<Void> closed = Promise.promise();
    Future<?> answer = test.querier.answer(instant(ROOT, "sum(power)"), "", closed.future());
    assertThat(answer.isComplete()).isFalse();
    closed.complete();
    assertFails(answer, QueryFailure.Kind.CANCELED, "query was canceled");
    assertThat(test.shards.cancelled()).containsExactly("parts");
  }

  @Test
  void oneOfTwoWaitingCallersLeavesWithoutTheOther() throws Exception {
    test.shards.hold("parts");
    Cancellation leaves = new Cancellation();
    Future<?> gone = test.querier.answer(instant(ROOT, "sum(power)"), Span.NONE, leaves);
    Future<Reply<Evaluated>> stays = test.begin(instant(ROOT, "sum(power)"));
    leaves.cancel();
    assertFails(gone, QueryFailure.Kind.CANCELED, "query was canceled");
    assertThat(test.shards.cancelled()).isEmpty();
    test.shards.release();
    assertThat(await(stays).value().result())
        .isEqualTo(test.expected(instant(ROOT, "sum(power)")).result());
  }

  @Test
  void callersWithDifferentTimeLimitsDoNotWaitForOneAnother() throws Exception {
    test.shards.hold("parts");
    Future<?> hasty = test.begin(within(instant(ROOT, "sum(power)"), 500));
    Future<?> patient = test.begin(instant(ROOT, "sum(power)"));
    assertThat(test.shards.waiting()).isEqualTo(2);
    assertFails(hasty, QueryFailure.Kind.TIMEOUT, "after 500 ms");
    test.shards.release();
    await(patient);
  }

  @Test
  void runningQueriesAreListedWithTheirStateAndCostAndCanBeCancelled() {
    test.shards.hold("parts");
    Future<?> answer = test.begin(instant(RACK_0, "sum(power)"));
    RunningQuery running = test.querier.running().all().getFirst();
    assertThat(running.tenant()).isEqualTo("a");
    assertThat(running.text()).isEqualTo("sum(power)");
    assertThat(running.state()).isEqualTo(RunningQuery.State.RUNNING);
    assertThat(running.cost().series()).isEqualTo(6);
    assertThat(test.querier.running().cancel(running.id() + 1)).isFalse();
    assertThat(test.querier.running().cancel(running.id())).isTrue();
    assertFails(answer, QueryFailure.Kind.CANCELED, "query was canceled");
  }

  @Test
  void aQueryIsPlannedThenWaitsThenRuns(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx, "query:\n  maxParallel: 1\n");
    test.shards.hold("extents");
    Future<?> first = test.begin(instant(ROOT, "sum(power)"));
    RunningQuery query = test.querier.running().all().getFirst();
    assertThat(query.state()).isEqualTo(RunningQuery.State.PLANNING);
    assertThat(query.cost()).isEqualTo(Cost.NONE);
    test.shards.release();
    await(first);
    test.shards.hold("parts");
    Future<?> second = test.begin(instant(ROOT, "max(power)"));
    Future<?> third = test.begin(instant(ROOT, "min(power)"));
    assertThat(test.querier.running().all())
        .extracting(RunningQuery::state)
        .containsExactly(RunningQuery.State.RUNNING, RunningQuery.State.WAITING);
    test.shards.release();
    await(second);
    await(third);
    assertThat(test.querier.running().all()).isEmpty();
  }

  @Test
  void anOverloadedQueryApiRejectsQueriesBeforeTheirCostIsFoundOut(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx, "query:\n  maxConcurrent: 1\n");
    test.shards.hold("parts");
    test.begin(instant(ROOT, "sum(power)"));
    assertFails(
        test.begin(instant(ROOT, "sum(load_total)")),
        QueryFailure.Kind.UNAVAILABLE,
        "the query of tenant root was rejected: 1 queries of all tenants are running or waiting,"
            + " and query.maxConcurrent is 1; try again later");
    assertThat(test.shards.count("extents")).isEqualTo(1);
    assertThat(test.admission.rejected()).isEqualTo(1);
  }

  @Test
  void aGatewayThatCannotBeReachedFailsTheQueryAndGivesThePlaceBack() {
    test.fleet.gateways().forEach(test.fleet::leave);
    assertFails(
        test.begin(range(ROOT, "power", START, START + STEP)),
        QueryFailure.Kind.UNAVAILABLE,
        "no gateway is in the cluster");
    assertThat(test.querier.running().all()).isEmpty();
    assertThat(test.admission.inFlight()).isZero();
  }
}
