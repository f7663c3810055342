package io.fleetgauge.query.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Cancellation;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final long LATER = Long.MAX_VALUE / 4;
  private static final long MILLI = 1_000_000;

  private static final Cost HEAVY = new Cost(1, 9_000_000, 9_000_000);

  private final AtomicLong now = new AtomicLong();
  private Map<String, TenantShare> limits = Map.of();
  private Admission admission = admission(2, 1);

  private Admission admission(int running, int heavy) {
    return new Admission(
        new Admission.Places(100, running, heavy),
        tenant -> limits.getOrDefault(tenant, new TenantShare(1, 10, 10)),
        ClusterShare.WHOLE,
        now::get);
  }

  private static Cost light(long work) {
    return new Cost(1, work, work);
  }

  private Future<Admission.Slot> enter(String tenant) {
    return admission.enter(tenant, light(1), LATER, new Cancellation());
  }

  @Test
  void aQueryThatFindsNoPlaceWaitsItsTurn() {
    Admission.Slot first = enter("a").result();
    enter("a");
    Future<Admission.Slot> third = enter("a");
    Future<Admission.Slot> fourth = enter("a");
    assertThat(third.isComplete()).isFalse();
    first.release();
    first.release(); // releasing twice gives one place back
    assertThat(third.succeeded()).isTrue();
    assertThat(fourth.isComplete()).isFalse();
    assertThat(admission.running()).isEqualTo(2);
    assertThat(admission.waiting()).isEqualTo(1);
  }

  @Test
  void whileOthersAskNoTenantHasMoreThanHalfOfThePlaces() {
    admission = admission(4, 1);
    enter("other").result().release();
    List<Admission.Slot> mine = List.of(enter("a").result(), enter("a").result());
    Future<Admission.Slot> third = enter("a");
    assertThat(third.isComplete()).isFalse();
    assertThat(enter("other").succeeded()).isTrue();
    now.addAndGet(3_000 * MILLI); // no other tenant has asked for 3 s
    mine.getFirst().release();
    assertThat(third.succeeded()).isTrue();
    assertThat(enter("a").succeeded()).isTrue();
  }

  @Test
  void whatWaitsBeginsAsSoonAsMoreOfTheClustersLimitMayBeUsedHere() {
    AtomicInteger share = new AtomicInteger(1);
    ClusterShare cluster =
        new ClusterShare() {
          @Override
          public int running(String tenant, int limit) {
            return Math.min(limit, share.get());
          }

          @Override
          public int inFlight(int limit) {
            return limit;
          }
        };
    admission =
        new Admission(
            new Admission.Places(100, 20, 1),
            tenant -> new TenantShare(1, 3, 10),
            cluster,
            now::get);
    now.addAndGet(3_000 * MILLI); // no other tenant has asked for 3 s
    List<Future<Admission.Slot>> all = List.of(enter("a"), enter("a"), enter("a"), enter("a"));
    admission.shareChanged();
    assertThat(admission.running()).isEqualTo(1);
    share.set(5);
    admission.shareChanged();
    assertThat(all.stream().filter(Future::succeeded)).as("those of its limit").hasSize(3);
    share.set(1);
    all.getFirst().result().release();
    assertThat(admission.running()).isEqualTo(2);
    assertThat(admission.waiting()).isEqualTo(1);
  }

  @Test
  void aQueryThatIsCancelledBeforeItEntersTakesThePlaceOfNone() {
    admission =
        new Admission(
            new Admission.Places(2, 1, 1),
            tenant -> new TenantShare(1, 10, 10),
            ClusterShare.WHOLE,
            now::get);
    enter("a");
    Future<Admission.Slot> waiting = enter("a");
    Cancellation gone = new Cancellation();
    gone.cancel();
    assertThat(admission.enter("b", light(1), LATER, gone).failed()).isTrue();
    assertThat(waiting.isComplete()).as("it is not dropped").isFalse();
    assertThat(enter("b").failed() || waiting.failed()).as("the queue is full").isTrue();
  }

  @Test
  void aCancelledQueryLeavesTheQueue() {
    limits = Map.of("a", new TenantShare(1, 1, 1));
    enter("a");
    Cancellation gone = new Cancellation();
    Future<Admission.Slot> waiting = admission.enter("a", light(1), LATER, gone);
    gone.cancel();
    assertThat(waiting.cause()).hasMessage("query was canceled while it waited in the queue");
    assertThat(admission.waiting()).isZero();
    assertThat(enter("a").failed()).isFalse();
  }

  @Test
  void aRejectionNamesTheLimitAndTheFigures() {
    limits = Map.of("a", new TenantShare(1, 1, 1));
    admission = admission(10, 1);
    enter("a");
    enter("a");
    QueryFailure rejection = (QueryFailure) enter("a").cause();
    assertThat(rejection.kind().httpStatus).isEqualTo(429);
    assertThat(rejection)
        .hasMessage(
            "too many queries of tenant a: 1 are running and 1 are waiting; the limits are running"
                + " 1 and queued 1; try again later");
    assertThat(enter("b").succeeded()).isTrue();
    assertThat(admission.rejected()).isEqualTo(1);
  }

  private Admission small(int inFlight) {
    return new Admission(
        new Admission.Places(inFlight, 1, 1),
        tenant -> limits.getOrDefault(tenant, new TenantShare(1, 10, 200)),
        ClusterShare.WHOLE,
        now::get);
  }

  @Test
  void overTheLimitOfAllTenantsQueriesAreRejected() {
    admission = small(2);
    Admission.Slot first = enter("a").result();
    enter("b");
    QueryFailure rejection = (QueryFailure) enter("c").cause();
    assertThat(rejection.kind().httpStatus).isEqualTo(503);
    assertThat(admission.full("c")).get().asString().isEqualTo(rejection.toString());
    assertThat(rejection)
        .hasMessage(
            "the query of tenant c was rejected: 2 queries of all tenants are running or waiting,"
                + " and query.maxConcurrent is 2; try again later");
    first.release();
    assertThat(admission.full("c")).isEmpty();
    assertThat(enter("c").isComplete()).isFalse();
  }

  @Test
  void tenantsWithManyWaitingQueriesGiveUpTheLastOfThemForOneWithFew() {
    admission = small(12);
    List<Future<Admission.Slot>> theirs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      theirs.add(admission.enter("a", HEAVY, LATER, new Cancellation()));
      theirs.add(admission.enter("b", HEAVY, LATER, new Cancellation()));
    }
    assertThat(admission.full("a")).as("a has no less than b").isPresent();
    assertThat(admission.full("c")).isEmpty();
    List<Future<Admission.Slot>> mine = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      mine.add(enter("c"));
      assertThat(admission.inFlight()).isEqualTo(12);
    }
    assertThat(mine).noneMatch(Future::failed);
    assertThat(theirs.stream().filter(Future::failed)).hasSize(3);
    assertThat(theirs.getFirst().succeeded()).as("what runs goes on").isTrue();
    assertThat(theirs.getLast().cause())
        .hasMessageContaining("the query of tenant b was rejected: ")
        .isInstanceOfSatisfying(
            QueryFailure.class, failure -> assertThat(failure.kind().httpStatus).isEqualTo(503));
    assertThat(enter("c").failed()).as("c has its third of the 12").isFalse();
    assertThat(enter("c").failed()).isTrue();
  }

  @Test
  void aTenantOfTwiceTheWeightGivesUpPlacesWhenItHasTwiceAsMany() {
    limits = Map.of("a", new TenantShare(2, 10, 200));
    admission = small(9);
    List<Future<Admission.Slot>> theirs = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      theirs.add(enter("a"));
    }
    for (int i = 0; i < 3; i++) {
      assertThat(enter("b").failed()).isFalse();
    }
    assertThat(enter("b").failed()).as("a has 6 and b has 3").isTrue();
    assertThat(theirs.stream().filter(Future::failed)).hasSize(3);
  }

  @Test
  void waitingTenantsAreServedByTheirWeights() {
    limits = Map.of("a", new TenantShare(3, 100, 100), "b", new TenantShare(1, 100, 100));
    admission = admission(1, 1);
    Admission.Slot running = enter("x").result();
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      for (String tenant : List.of("b", "a")) {
        enter(tenant)
            .onSuccess(
                slot -> {
                  served.add(tenant);
                  now.addAndGet(MILLI);
                  slot.release();
                });
      }
    }
    running.release();
    assertThat(served).hasSize(80);
    assertThat(served.subList(0, 40).stream().filter("a"::equals).count()).isBetween(29L, 31L);
  }

  @Test
  void aTenantWithCostlyQueriesDoesNotKeepOthersWaiting() {
    admission = admission(1, 1);
    Admission.Slot running = enter("x").result();
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      admission
          .enter("greedy", light(1_000), LATER, new Cancellation())
          .onSuccess(
              slot -> {
                served.add("greedy");
                slot.release();
              });
    }
    enter("modest")
        .onSuccess(
            slot -> {
              served.add("modest");
              slot.release();
            });
    running.release();
    assertThat(served.indexOf("modest")).isLessThanOrEqualTo(1);
  }

  @Test
  void heavyQueriesLeavePlacesToLightOnes() {
    admission = admission(3, 1);
    assertThat(admission.enter("a", HEAVY, LATER, new Cancellation()).succeeded()).isTrue();
    Future<Admission.Slot> second = admission.enter("a", HEAVY, LATER, new Cancellation());
    assertThat(second.isComplete()).isFalse();
    assertThat(enter("a").succeeded()).isTrue();
    assertThat(enter("b").succeeded()).isTrue();
  }

  @Test
  void aQueryThatCannotFinishInTimeIsRejectedAtOnce() {
    admission = admission(1, 1);
    for (int i = 0; i < 60; i++) {
      Admission.Slot slot = admission.enter("a", light(1_000), LATER, new Cancellation()).result();
      now.addAndGet(10 * MILLI);
      slot.release();
    }
    Future<Admission.Slot> late =
        admission.enter("a", light(1_000), now.get() + 4 * MILLI, new Cancellation());
    assertThat(late.cause())
        .hasMessage(
            "the query of tenant a cannot finish in time: with the queries that wait before it, it"
                + " takes about 10 ms, and 4 ms are left; try again later, or reduce the query");
    assertThat(((QueryFailure) late.cause()).kind().httpStatus).isEqualTo(503);
    assertThat(
            admission
                .enter("a", light(2_000_000), now.get() + 20 * MILLI, new Cancellation())
                .succeeded())
        .as("a light query of much cost takes hardly longer than one of little")
        .isTrue();
  }

  @Test
  void aHeavyQueryThatCannotFinishInTimeByItsCostIsRejectedAtOnce() {
    admission = admission(1, 1);
    for (int i = 0; i < 60; i++) {
      Admission.Slot slot = admission.enter("a", HEAVY, LATER, new Cancellation()).result();
      now.addAndGet(1_000 * MILLI);
      slot.release();
    }
    Cost more = new Cost(1, 90_000_000, 90_000_000);
    assertThat(admission.enter("a", more, now.get() + 4_000 * MILLI, new Cancellation()).cause())
        .hasMessageContaining("takes about 10000 ms, and 4000 ms are left");
    assertThat(
            admission.enter("a", HEAVY, now.get() + 4_000 * MILLI, new Cancellation()).succeeded())
        .isTrue();
  }

  /** Notes in which order tenants get their places, and gives each back at once. */
  private void serve(String tenant, Cost cost, List<String> served) {
    admission
        .enter(tenant, cost, LATER, new Cancellation())
        .onSuccess(
            slot -> {
              served.add(tenant);
              slot.release();
            });
  }

  @Test
  void aTenantThatWasAwayHasNotSavedUpTurns() {
    limits = Map.of("a", new TenantShare(1, 10, 100), "b", new TenantShare(1, 10, 100));
    admission = admission(1, 1);
    for (int i = 0; i < 100; i++) {
      enter("a").result().release();
    }
    Admission.Slot running = enter("a").result();
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      serve("a", light(1), served);
    }
    for (int i = 0; i < 20; i++) {
      serve("b", light(1), served);
    }
    running.release();
    assertThat(served.subList(0, 20).stream().filter("b"::equals).count()).isBetween(9L, 12L);
  }

  @Test
  void aTenantThatWasServedMoreWaitsForTheOthersEvenAfterAPause() {
    limits = Map.of("a", new TenantShare(1, 10, 100), "b", new TenantShare(1, 10, 100));
    admission = admission(1, 1);
    Admission.Slot first = enter("b").result();
    List<String> served = new ArrayList<>();
    serve("a", light(10), served);
    first.release();
    first = enter("b").result();
    serve("a", light(1), served);
    for (int i = 0; i < 5; i++) {
      serve("b", light(1), served);
    }
    first.release();
    assertThat(served.getFirst()).isEqualTo("a");
    assertThat(served.indexOf("b")).isEqualTo(1);
    assertThat(served.lastIndexOf("a")).isGreaterThan(3);
  }

  @Test
  void lightQueriesGoBeforeHeavyOnes() {
    admission = admission(1, 1);
    Admission.Slot running = enter("x").result();
    List<String> served = new ArrayList<>();
    serve("heavy", HEAVY, served);
    serve("light", light(5), served);
    running.release();
    assertThat(served).containsExactly("light", "heavy");
  }

  @Test
  void theNextHeavyQueryRunsWhenOneHasEnded() {
    admission = admission(4, 1);
    Admission.Slot heavy = admission.enter("a", HEAVY, LATER, new Cancellation()).result();
    Future<Admission.Slot> next = admission.enter("b", HEAVY, LATER, new Cancellation());
    assertThat(next.isComplete()).isFalse();
    heavy.release();
    assertThat(next.succeeded()).isTrue();
    assertThat(admission.enter("b", HEAVY, LATER, new Cancellation()).isComplete()).isFalse();
  }

  @Test
  void aQueryIsHeavyAboveThreeMillionSamplesOfWork() {
    assertThat(new Cost(1, 3_000_000, 3_000_000).isHeavy()).isFalse();
    assertThat(new Cost(1, 0, 3_000_001).isHeavy()).isTrue();
    assertThat(new Cost(1, 2, 3)).hasToString("1 series, 2 samples, work 3");
  }

  @Test
  void aQueryThatWaitsCountsAsInFlightUntilItLeaves() {
    admission = admission(1, 1);
    Admission.Slot running = enter("a").result();
    Cancellation gone = new Cancellation();
    admission.enter("a", HEAVY, LATER, gone);
    assertThat(admission.inFlight()).isEqualTo(2);
    gone.cancel();
    assertThat(admission.inFlight()).isEqualTo(1);
    assertThat(admission.uses()).containsExactly(Map.entry("a", new Admission.Use(1, 0)));
    running.release();
    assertThat(admission.inFlight()).isZero();
    assertThat(admission.running()).isZero();
    assertThat(admission.uses()).isEmpty();
  }

  @Test
  void aQueryThatIsCancelledAlreadyTakesNoPlace() {
    admission = admission(1, 1);
    Admission.Slot running = enter("a").result();
    Cancellation gone = new Cancellation();
    gone.cancel();
    assertThat(admission.enter("a", light(1), LATER, gone).failed()).isTrue();
    assertThat(admission.waiting()).isZero();
    running.release();
    assertThat(enter("a").succeeded()).isTrue();
  }

  @Test
  void whatWaitsBeforeAQueryCountsWhetherItFinishesInTime() {
    admission = admission(2, 1);
    for (int i = 0; i < 60; i++) {
      Admission.Slot slot = admission.enter("a", light(100), LATER, new Cancellation()).result();
      now.addAndGet(10 * MILLI);
      slot.release();
    }
    enter("a");
    enter("a");
    long deadline = now.get() + 10 * MILLI;
    // One takes 10 ms; those that wait before it share two places.
    admission.enter("a", light(1_000), LATER, new Cancellation());
    admission.enter("a", light(1_000), LATER, new Cancellation());
    Future<Admission.Slot> inTime = admission.enter("a", light(100), deadline, new Cancellation());
    assertThat(inTime.failed()).as("10 + 20 / 2 ms are within twice 10 ms").isFalse();
    assertThat(admission.enter("a", light(100), deadline, new Cancellation()).cause())
        .hasMessageContaining("takes about 25 ms, and 10 ms are left");
  }

  @Test
  void theSpeedOfLightQueriesSaysNothingAboutHeavyOnes() {
    admission = admission(2, 1);
    for (int i = 0; i < 60; i++) {
      Admission.Slot slot = admission.enter("a", light(1), LATER, new Cancellation()).result();
      now.addAndGet(10 * MILLI);
      slot.release();
    }
    // At the pace of the light ones it would take a day.
    assertThat(
            admission.enter("a", HEAVY, now.get() + 1_000 * MILLI, new Cancellation()).succeeded())
        .isTrue();
  }

  @Test
  void aQuerySpeedIsReliedOnAfterFiftyQueries() {
    admission = admission(1, 1);
    for (int i = 0; i < 49; i++) {
      Admission.Slot slot = admission.enter("a", light(1), LATER, new Cancellation()).result();
      now.addAndGet(10 * MILLI);
      slot.release();
    }
    long deadline = now.get() + MILLI;
    Future<Admission.Slot> early = admission.enter("a", light(1_000), deadline, new Cancellation());
    assertThat(early.succeeded()).isTrue();
    early.result().release();
    assertThat(admission.enter("a", light(1_000), deadline, new Cancellation()).failed()).isTrue();
  }

  @Test
  void aTenantOfHighWeightIsServedByIt() {
    limits = Map.of("a", new TenantShare(4, 100, 100), "b", new TenantShare(1, 100, 100));
    admission = admission(1, 1);
    Admission.Slot running = enter("x").result();
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      serve("a", light(100), served);
      serve("b", light(100), served);
    }
    running.release();
    assertThat(served.subList(0, 10).stream().filter("a"::equals).count()).isBetween(7L, 9L);
  }
}
