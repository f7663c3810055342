package io.fleetgauge.query.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.shards.Cancellation;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  void whoFindsNoPlaceWaitsInTurn() {
    Admission.Slot first = enter("a").result();
    enter("a");
    Future<Admission.Slot> third = enter("a");
    Future<Admission.Slot> fourth = enter("a");
    assertThat(third.isComplete()).isFalse();
    first.release();
    first.release(); // twice gives back once
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
    now.addAndGet(3_000 * MILLI); // nobody else asks any more
    mine.getFirst().release();
    assertThat(third.succeeded()).isTrue();
    assertThat(enter("a").succeeded()).isTrue();
  }

  @Test
  void whoeverGivesUpWaitingLeavesHisPlaceInTheQueue() {
    limits = Map.of("a", new TenantShare(1, 1, 1));
    enter("a");
    Cancellation gone = new Cancellation();
    Future<Admission.Slot> waiting = admission.enter("a", light(1), LATER, gone);
    gone.cancel();
    assertThat(waiting.cause()).hasMessage("query was canceled while it waited for a place");
    assertThat(admission.waiting()).isZero();
    assertThat(enter("a").failed()).isFalse();
  }

  @Test
  void aTenantOverItsTenantShareIsToldWhichAndBothFigures() {
    limits = Map.of("a", new TenantShare(1, 1, 1));
    admission = admission(10, 1);
    enter("a");
    enter("a");
    QueryFailure refusal = (QueryFailure) enter("a").cause();
    assertThat(refusal.kind().httpStatus).isEqualTo(429);
    assertThat(refusal)
        .hasMessage(
            "too many queries of tenant a: 1 are running and 1 are waiting; the limits are running"
                + " 1 and queued 1; try again later");
    assertThat(enter("b").succeeded()).isTrue();
    assertThat(admission.rejected()).isEqualTo(1);
  }

  @Test
  void overTheLimitOfAllTenantsNobodyWaits() {
    admission =
        new Admission(
            new Admission.Places(2, 1, 1),
            tenant -> new TenantShare(1, 10, 10),
            ClusterShare.WHOLE,
            now::get);
    Admission.Slot first = enter("a").result();
    enter("b");
    QueryFailure refusal = (QueryFailure) enter("c").cause();
    assertThat(refusal.kind().httpStatus).isEqualTo(503);
    assertThat(admission.full("c")).get().asString().isEqualTo(refusal.toString());
    assertThat(refusal)
        .hasMessage(
            "the query of tenant c was rejected: 2 queries of all tenants are running or waiting,"
                + " and query.maxConcurrent is 2; try again later");
    first.release();
    assertThat(admission.full("c")).isEmpty();
    assertThat(enter("c").isComplete()).isFalse();
  }

  @Test
  void tenantsThatWaitAreServedByTheirWeights() {
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
  void whoeverAsksForMuchDoesNotKeepOthersWaiting() {
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
  void whatCannotBeDoneInTimeIsRefusedAtOnce() {
    admission = admission(1, 1);
    for (int i = 0; i < 60; i++) {
      Admission.Slot slot = admission.enter("a", light(1_000), LATER, new Cancellation()).result();
      now.addAndGet(10 * MILLI);
      slot.release();
    }
    Future<Admission.Slot> late =
        admission.enter("a", light(1_000_000), now.get() + 500 * MILLI, new Cancellation());
    assertThat(late.cause())
        .hasMessage(
            "the query of tenant a cannot finish in time: with the queries that wait before it, it"
                + " takes about 10000 ms, and 500 ms are left; try again later, or ask for less");
    assertThat(((QueryFailure) late.cause()).kind().httpStatus).isEqualTo(503);
    assertThat(
            admission
                .enter("a", light(1_000), now.get() + 500 * MILLI, new Cancellation())
                .succeeded())
        .isTrue();
  }
}
