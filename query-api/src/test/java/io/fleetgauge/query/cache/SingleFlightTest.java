package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Cancellation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SingleFlightTest {
  private final SingleFlight<String, String> flights = new SingleFlight<>();
  private final List<Promise<String>> begun = new ArrayList<>();
  private final List<Cancellation> cancellations = new ArrayList<>();

  private long stamp = 1;

  private Future<String> join(String key, Cancellation mine) {
    return flights.join(
        key,
        stamp,
        mine,
        cancellation -> {
          Promise<String> work = Promise.promise();
          begun.add(work);
          cancellations.add(cancellation);
          return work.future();
        });
  }

  private Future<String> join(String key) {
    return join(key, new Cancellation());
  }

  @Test
  void callersOfOneKeyGetOneAnswer() {
    Future<String> first = join("a");
    Future<String> second = join("a");
    Future<String> other = join("b");
    assertThat(begun).hasSize(2);
    begun.getFirst().complete("answer");
    assertThat(first.result()).isEqualTo("answer");
    assertThat(second.result()).isEqualTo("answer");
    assertThat(other.isComplete()).isFalse();
    assertThat(flights.joined()).isEqualTo(1);
  }

  @Test
  void aCallerThatHasLeftBeginsNothing() {
    Cancellation left = new Cancellation();
    left.cancel();
    assertThat(join("a", left).cause()).isInstanceOf(QueryFailure.class);
    assertThat(begun).isEmpty();
    assertThat(flights.isUnderWay("a")).isFalse();
  }

  @Test
  void workThatBeganBeforeAChangeIsNotJoinedAfterIt() {
    Future<String> first = join("a");
    stamp++;
    Future<String> second = join("a");
    Future<String> third = join("a");
    assertThat(begun).hasSize(2);
    begun.getFirst().complete("old");
    assertThat(first.result()).isEqualTo("old");
    assertThat(second.isComplete()).isFalse();
    assertThat(flights.isUnderWay("a")).isTrue();
    begun.getLast().complete("new");
    assertThat(second.result()).isEqualTo("new");
    assertThat(third.result()).isEqualTo("new");
    assertThat(flights.isUnderWay("a")).isFalse();
    assertThat(flights.joined()).isEqualTo(1);
  }

  @Test
  void twoExecutionsOfAKeyAreUnderWayAtMost() {
    Future<String> first = join("a");
    stamp++;
    Future<String> second = join("a");
    stamp++;
    Future<String> third = join("a");
    stamp++;
    Future<String> fourth = join("a");
    assertThat(begun).hasSize(2);
    begun.getFirst().complete("old");
    assertThat(first.result()).isEqualTo("old");
    assertThat(begun).as("one ended, so the next begins").hasSize(3);
    begun.get(1).complete("newer");
    assertThat(second.result()).isEqualTo("newer");
    assertThat(third.isComplete()).isFalse();
    begun.get(2).complete("newest");
    assertThat(third.result()).isEqualTo("newest");
    assertThat(fourth.result()).isEqualTo("newest");
    assertThat(flights.isUnderWay("a")).isFalse();
  }

  @Test
  void whatNobodyWaitsForAnyMoreDoesNotBegin() {
    join("a");
    stamp++;
    join("a");
    stamp++;
    Cancellation leaves = new Cancellation();
    Future<String> gone = join("a", leaves);
    leaves.cancel();
    assertThat(gone.failed()).isTrue();
    begun.getFirst().complete("old");
    begun.get(1).complete("new");
    assertThat(begun).hasSize(2);
    assertThat(flights.isUnderWay("a")).isFalse();
  }

  @Test
  void whatWaitsBeginsWhenAnExecutionIsLeftByAll() {
    Cancellation leaves = new Cancellation();
    join("a", leaves);
    stamp++;
    join("a");
    stamp++;
    Future<String> third = join("a");
    leaves.cancel();
    assertThat(begun).hasSize(3);
    begun.get(2).complete("newest");
    assertThat(third.result()).isEqualTo("newest");
  }

  @Test
  void callersOfOneKeyGetOneFailure() {
    Future<String> first = join("a");
    Future<String> second = join("a");
    begun.getFirst().fail("broken");
    assertThat(first.cause()).hasMessage("broken");
    assertThat(second.cause()).hasMessage("broken");
  }

  @Test
  void aCallerAfterTheEndBeginsAnew() {
    join("a");
    begun.getFirst().complete("old");
    Future<String> second = join("a");
    assertThat(begun).hasSize(2);
    assertThat(second.isComplete()).isFalse();
    begun.getLast().complete("new");
    assertThat(second.result()).isEqualTo("new");
    assertThat(flights.joined()).isZero();
  }

  @Test
  void oneCallerLeavesAndTheOthersGoOnWaiting() {
    Cancellation leaves = new Cancellation();
    Future<String> gone = join("a", leaves);
    Future<String> stays = join("a");
    leaves.cancel();
    assertThat(gone.cause())
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED))
        .hasMessage("query was canceled in expression evaluation");
    assertThat(cancellations.getFirst().isCancelled()).isFalse();
    begun.getFirst().complete("answer");
    assertThat(stays.result()).isEqualTo("answer");
  }

  @Test
  void workIsJoinedAsLongAsAnybodyWaitsForIt() {
    Cancellation one = new Cancellation();
    Cancellation other = new Cancellation();
    join("a", one);
    join("a", other);
    one.cancel();
    Cancellation third = new Cancellation();
    join("a", third);
    assertThat(begun).as("the second caller still waits").hasSize(1);
    other.cancel();
    assertThat(cancellations.getFirst().isCancelled()).isFalse();
    third.cancel();
    assertThat(cancellations.getFirst().isCancelled()).isTrue();
  }

  @Test
  void workThatItsOnlyCallerLeftIsNotJoined() {
    Cancellation only = new Cancellation();
    join("a", only);
    only.cancel();
    Future<String> next = join("a");
    assertThat(begun).hasSize(2);
    begun.getLast().complete("new");
    assertThat(next.result()).isEqualTo("new");
  }

  @Test
  void theLastCallerThatLeavesCancelsTheWork() {
    Cancellation one = new Cancellation();
    Cancellation other = new Cancellation();
    join("a", one);
    join("a", other);
    one.cancel();
    other.cancel();
    assertThat(cancellations.getFirst().isCancelled()).isTrue();
    join("a");
    assertThat(begun).as("what is cancelled is not joined").hasSize(2);
    begun.getFirst().fail("canceled");
    join("a");
    assertThat(begun).as("its end takes nothing away from the new one").hasSize(2);
  }

  @Test
  void aCallerThatLeavesAfterItsAnswerChangesNothing() {
    Cancellation late = new Cancellation();
    join("a", late);
    begun.getFirst().complete("answer");
    join("a");
    late.cancel();
    assertThat(cancellations).noneMatch(Cancellation::isCancelled);
  }
}
