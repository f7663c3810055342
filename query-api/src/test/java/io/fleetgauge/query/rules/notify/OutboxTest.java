package io.fleetgauge.query.rules.notify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private final Outbox outbox = new Outbox();

  private static Notice notice(String alert, long startsAt) {
    return new Notice(
        Labels.of("alertname", alert), new TreeMap<>(), startsAt, startsAt + 10, "http://here");
  }

  @Test
  void ofEachAlertTheNewestStateIsTold() {
    outbox.add(0, 10, List.of(notice("A", 1), notice("B", 1)));
    outbox.add(10, 20, List.of(notice("A", 2)));

    assertThat(outbox.take()).containsExactlyInAnyOrder(notice("A", 2), notice("B", 1));
    assertThat(outbox.take()).isEmpty();
  }

  @Test
  void whatWaitsIsForgottenWhenSomebodyElseHasEvaluatedASlotSince() {
    outbox.add(0, 10, List.of(notice("A", 1)));

    outbox.add(20, 30, List.of(notice("B", 2)));

    assertThat(outbox.take()).containsExactly(notice("B", 2));
  }

  @Test
  void whatWasTakenIsNotToldAfterSomebodyElseHasEvaluatedASlot() {
    outbox.add(0, 10, List.of(notice("A", 1)));
    outbox.take();
    long tenure = outbox.tenure();
    assertThat(outbox.isCurrent(tenure)).isTrue();

    outbox.add(10, 20, List.of());
    assertThat(outbox.isCurrent(tenure)).as("while the slots follow each other").isTrue();
    outbox.add(30, 40, List.of());
    outbox.take();

    assertThat(outbox.isCurrent(tenure)).isFalse();
    assertThat(outbox.isCurrent(outbox.tenure())).isTrue();
  }

  @Test
  void nothingIsToldOfAGroupThatAnotherOneOwnsUntilItsNextSlotHere() {
    outbox.add(0, 10, List.of(notice("A", 1)));
    outbox.take();
    long tenure = outbox.tenure();

    outbox.disown();
    assertThat(outbox.isCurrent(tenure)).isFalse();
    outbox.add(10, 20, List.of());
    outbox.take();
    assertThat(outbox.isCurrent(tenure)).as("nobody evaluated a slot between").isTrue();
  }

  @Test
  void nothingOfBeforeIsToldAfterAPause() {
    outbox.add(0, 10, List.of(notice("A", 1)));
    outbox.take();
    long tenure = outbox.tenure();
    outbox.add(10, 20, List.of(notice("B", 2)));

    outbox.abandon();

    assertThat(outbox.take()).isEmpty();
    assertThat(outbox.isCurrent(tenure)).isFalse();
  }
}
