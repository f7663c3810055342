package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.exec.QueryFailure;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private final Admission admission = new Admission(2, 2);

  @Test
  void whoWaitsIsServedInTurnAndWhoFindsNoPlaceIsToldTheLimits() {
    List<Future<Admission.Slot>> places = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      places.add(admission.enter());
    }
    assertThat(places.get(0).succeeded()).isTrue();
    assertThat(places.get(1).succeeded()).isTrue();
    assertThat(places.get(2).isComplete()).isFalse();
    assertThat(places.get(4).cause())
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.UNAVAILABLE))
        .hasMessageContaining("2 are running and 2 are waiting");
    assertThat(admission.refused()).isEqualTo(1);
    places.get(1).result().release();
    assertThat(places.get(2).succeeded()).isTrue();
    assertThat(places.get(3).isComplete()).isFalse();
    assertThat(admission.running()).isEqualTo(2);
    places.get(0).result().release();
    assertThat(places.get(3).succeeded()).isTrue();
    assertThat(admission.waiting()).isZero();
  }

  @Test
  void aPlaceIsGivenBackOnce() {
    Admission.Slot slot = admission.enter().result();
    slot.release();
    slot.release();
    assertThat(admission.running()).isZero();
    admission.enter();
    admission.enter();
    assertThat(admission.enter().isComplete()).isFalse();
  }
}
