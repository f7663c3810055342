package io.fleetgauge.query.rules.evaluation;

import static io.fleetgauge.query.rules.evaluation.Fleet.MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RestorationTest {
  private static final RuleGroup GROUP =
      Fleet.group(
          """
          groups:
          - name: g
            interval: 1m
            rules:
            - alert: Hot
              expr: t > 80
              for: 3m
              labels: {severity: '{{ if gt $value 95.0 }}critical{{ else }}{{ $labels.kind }}{{ end }}'}
              annotations: {now: '{{ $value }}'}
            - {record: r, expr: t}
          """);

  /** The time of the slot of a minute. */
  private static long slot(long minute) {
    return Slots.from(GROUP, Fleet.minute(minute));
  }

  private static GroupEvaluation.Outcome evaluate(Fleet fleet, long minute) {
    fleet.series.showUntil(slot(minute));
    GroupState before = fleet.state == null ? GroupState.initial(GROUP) : fleet.state;
    GroupEvaluation.Outcome outcome =
        GroupEvaluation.evaluate(
                GROUP, before, slot(minute), fleet::answer, fleet::write, fleet.settings)
            .toCompletableFuture()
            .join();
    fleet.write(outcome.samples());
    fleet.state = outcome.after();
    return outcome;
  }

  private static Optional<GroupState> restored(Fleet fleet, long now) {
    fleet.series.showUntil(now);
    return Restoration.restored(GROUP, now, fleet::answer, fleet.settings)
        .toCompletableFuture()
        .join();
  }

  private static Fleet fleet() {
    return new Fleet()
        .load("t{node=\"a\", kind=\"warning\"} 70 90x30")
        .load("t{node=\"b\"} 70x4 99x30")
        .load("t{node=\"c\"} 90 90 90 90 90 10x30");
  }

  @Test
  void aLostStateIsFoundAgainWithWhatFiresAndSinceWhen() {
    Fleet fleet = fleet();
    for (int minute = 0; minute <= 7; minute++) {
      evaluate(fleet, minute);
    }
    List<AlertInstance> lost =
        fleet.state.rules().getFirst().alerts().stream()
            .filter(alert -> alert.state() != AlertInstance.State.INACTIVE)
            .toList();
    assertThat(lost)
        .extracting(AlertInstance::state)
        .contains(AlertInstance.State.PENDING, AlertInstance.State.FIRING);

    GroupState found = restored(fleet, slot(7) + 3 * MINUTE).orElseThrow();

    assertThat(found.slot()).isEqualTo(slot(7));
    assertThat(found.rules().getFirst().alerts())
        .usingRecursiveComparison()
        .ignoringFields("lastSentAt")
        .isEqualTo(lost);
    assertThat(found.rules().get(1).series()).isEqualTo(fleet.state.rules().get(1).series());
  }

  @Test
  void theNextSlotOfAFoundStateWritesWhatThatOfTheLostOneWrites() {
    Fleet fleet = fleet();
    for (int minute = 0; minute <= 6; minute++) {
      evaluate(fleet, minute);
    }
    GroupState found = restored(fleet, slot(6) + MINUTE / 2).orElseThrow();
    GroupState lost = fleet.state;
    List<DerivedSample> expected = evaluate(fleet, 7).samples();

    fleet.state = found;
    assertThat(lost.slot()).isEqualTo(found.slot());
    assertThat(evaluate(fleet, 7).samples()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void anAlertThatGoesOnFiringWithoutItsSeriesIsFoundAgain() {
    RuleGroup keeping =
        Fleet.group(
            """
            groups:
            - name: g
              interval: 1m
              rules:
              - {alert: Hot, expr: t > 80, keep_firing_for: 5m, labels: {l: '{{ $labels.kind }}'}}
            """);
    Fleet fleet = new Fleet().load("t{node=\"a\"} 90 90 10x30");
    for (int minute = 0; minute <= 3; minute++) {
      fleet.series.showUntil(slot(minute));
      GroupState before = fleet.state == null ? GroupState.initial(keeping) : fleet.state;
      GroupEvaluation.Outcome outcome =
          GroupEvaluation.evaluate(
                  keeping, before, slot(minute), fleet::answer, fleet::write, fleet.settings)
              .toCompletableFuture()
              .join();
      fleet.write(outcome.samples());
      fleet.state = outcome.after();
    }

    GroupState found =
        Restoration.restored(keeping, slot(4), fleet::answer, fleet.settings)
            .toCompletableFuture()
            .join()
            .orElseThrow();

    AlertInstance alert = found.rules().getFirst().alerts().getFirst();
    assertThat(alert.state()).isEqualTo(AlertInstance.State.FIRING);
    assertThat(alert.labels())
        .isEqualTo(io.fleetgauge.sample.Labels.of("alertname", "Hot", "node", "a"));
    assertThat(alert.firedAt()).isEqualTo(slot(0));
    assertThat(found.rules().getFirst().series())
        .isEqualTo(fleet.state.rules().getFirst().series());
  }

  @Test
  void whereNoAlertWasActiveNothingIsFound() {
    Fleet fleet = new Fleet().load("t 10x9");
    evaluate(fleet, 0);
    evaluate(fleet, 1);

    assertThat(restored(fleet, slot(2))).isEmpty();
  }

  @Test
  void alertsOfAnotherGroupAreNotTaken() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.load("ALERTS_FOR_STATE{alertname=\"Hot\"} 1700000000x9");

    assertThat(restored(fleet, slot(2))).isEmpty();
  }
}
