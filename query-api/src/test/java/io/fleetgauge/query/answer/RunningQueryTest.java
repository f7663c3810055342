package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A request's time, its cancellation and its place. */
class RunningQueryTest {
  private final Cancellation cancellation = new Cancellation();
  private final Admission admission =
      new Admission(
          new Admission.Places(10, 1, 1),
          tenant -> new TenantShare(1, 10, 10),
          ClusterShare.WHOLE,
          System::nanoTime);

  private RunningQuery query(long millis) {
    return new RunningQuery(1, within(instant(ROOT, "up"), millis), Span.NONE, cancellation);
  }

  @Test
  void itHasToEndWhenItsTimeIsOver() {
    long before = System.nanoTime();
    RunningQuery query = query(30_000);
    assertThat(query.begun()).isBetween(before, System.nanoTime());
    assertThat(query.deadline()).isEqualTo(query.begun() + TimeUnit.SECONDS.toNanos(30));
    assertThat(query.stop().reason()).isEmpty();
    QueryFailure over = query(0).stop().reason().orElseThrow();
    assertThat(over.kind()).isEqualTo(QueryFailure.Kind.TIMEOUT);
    assertThat(over).hasMessage("query timed out in expression evaluation after 0 ms");
  }

  @Test
  void itHasToEndWhenItIsCancelled() {
    RunningQuery query = query(30_000);
    query.cancel();
    QueryFailure over = query.stop().reason().orElseThrow();
    assertThat(over.kind()).isEqualTo(QueryFailure.Kind.CANCELED);
    assertThat(over).hasMessage("query was canceled in expression evaluation");
  }

  @Test
  void shardsAreReadInTheTimeThatIsLeft() {
    ReadOptions options = query(30_000).readOptions();
    assertThat(options.timeoutMillis()).isBetween(1L, 30_000L);
    assertThat(options.timeoutMillis()).isGreaterThan(15_000);
    assertThat(options.load().isHeavy()).isFalse();
    assertThat(options.cancellation()).isSameAs(cancellation);
    assertThat(query(0).readOptions().timeoutMillis()).as("above 0").isEqualTo(1);
  }

  @Test
  void aQueryOfHighCostIsReadAsAHeavyOne() {
    RunningQuery query = query(30_000);
    query.costs(new Cost(1, 1, 1L << 40));
    assertThat(query.readOptions().load().isHeavy()).isTrue();
  }

  private <T> Future<T> during(RunningQuery query, Supplier<Future<T>> work) {
    return query
        .place(admission, () -> Future.succeededFuture(query.cost()))
        .compose(slot -> slot.during(work));
  }

  @Test
  void itGivesItsPlaceBackHoweverItsWorkEnds() {
    RunningQuery query = query(30_000);
    assertThat(during(query, () -> Future.succeededFuture("done")).result()).isEqualTo("done");
    assertThat(admission.running()).isZero();
    assertThat(during(query, () -> Future.failedFuture("broken")).cause()).hasMessage("broken");
    assertThat(admission.running()).isZero();
    Future<?> thrown =
        during(
            query,
            () -> {
              throw new IllegalStateException("a defect");
            });
    assertThat(thrown.cause()).hasMessage("a defect");
    assertThat(admission.running()).isZero();
  }

  @Test
  void idsOfTwoProcessesDoNotMeet() {
    RunningQueries here = new RunningQueries();
    RunningQueries there = new RunningQueries();
    RunningQuery first = here.begin(instant(ROOT, "up"), Span.NONE, cancellation);
    RunningQuery second = here.begin(instant(ROOT, "up"), Span.NONE, cancellation);
    RunningQuery elsewhere = there.begin(instant(ROOT, "up"), Span.NONE, cancellation);
    assertThat(second.id()).isEqualTo(first.id() + 1);
    // Each process has 2^32 ids of its own.
    assertThat(elsewhere.id() >> 32).isNotEqualTo(first.id() >> 32);
  }
}
