package io.fleetgauge.promql.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BudgetTest {
  @Test
  void asManySamplesAsAllowedMayBeHeldAndNotOneMore() throws Exception {
    Budget budget = new Budget(10, StopCheck.NEVER);
    budget.hold(10);
    assertThatThrownBy(() -> budget.hold(1))
        .isInstanceOf(QueryFailure.class)
        .hasMessage(
            "query processing would load too many samples into memory in query execution; the limit"
                + " is 10")
        .satisfies(
            failure ->
                assertThat(((QueryFailure) failure).kind()).isEqualTo(QueryFailure.Kind.EXECUTION));
  }

  @Test
  void releasedSamplesMayBeHeldAgainAndThePeakIsKept() throws Exception {
    Budget budget = new Budget(10, StopCheck.NEVER);
    budget.hold(6);
    budget.release(6);
    budget.hold(9);
    budget.release(9);
    budget.hold(2);
    assertThat(budget.stats().peakSamples()).isEqualTo(9);
  }

  @Test
  void foundSamplesAreCountedWithoutBeingHeld() throws Exception {
    Budget budget = new Budget(10, StopCheck.NEVER);
    budget.lookedAt(1_000);
    budget.lookedAt(5);
    budget.hold(10);
    assertThat(budget.stats()).isEqualTo(new Answer.Stats(1_005, 10));
  }

  @Test
  void theStopCheckIsCalledAfterSomeWorkAndNotForEachSample() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Budget budget =
        new Budget(
            Long.MAX_VALUE,
            () -> {
              calls.incrementAndGet();
              return Optional.empty();
            });
    for (int i = 0; i < 1 << 20; i++) {
      budget.work(0);
    }
    assertThat(calls.get()).isEqualTo(16);
    for (int i = 0; i < 3; i++) {
      budget.work(1 << 16);
    }
    assertThat(calls.get()).isEqualTo(19);
  }

  @Test
  void aQueryThatHasToStopFailsWithTheReason() {
    QueryFailure reason = new QueryFailure(QueryFailure.Kind.CANCELED, "left");
    Budget budget = new Budget(Long.MAX_VALUE, () -> Optional.of(reason));
    assertThatThrownBy(budget::stopIfAsked).isSameAs(reason);
    assertThatThrownBy(() -> budget.work(1 << 20)).isSameAs(reason);
    assertThatThrownBy(() -> budget.hold(1 << 20)).isSameAs(reason);
  }
}
