package io.fleetgauge.query.rules.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.definition.RuleGroup;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotsTest {
  /** As Prometheus 3.5.3 evaluated three groups of one file. */
  @ParameterizedTest
  @CsvSource({"alpha, 3000, 1398", "beta, 7000, 5271", "a longer name of a group, 5000, 4640"})
  void groupsAreEvaluatedWhenPrometheusEvaluatesThem(String name, long interval, long offset) {
    RuleGroup.Id id = new RuleGroup.Id("", "/tmp/slots.yml", name);

    assertThat(Slots.offset(id, interval)).isEqualTo(offset);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "59999", "60000", "1700000000123", "-5"})
  void theNewestSlotIsNotAfterNowAndLessThanAnIntervalBefore(long now) {
    RuleGroup group = Fleet.group("groups: [{name: g, rules: [{record: r, expr: t}]}]");

    long slot = Slots.at(group, now);

    assertThat(slot).isLessThanOrEqualTo(now).isGreaterThan(now - group.interval());
    assertThat(Slots.at(group, slot)).isEqualTo(slot);
    assertThat(Slots.at(group, slot - 1)).isEqualTo(slot - group.interval());
    assertThat(Slots.from(group, slot)).isEqualTo(slot);
    assertThat(Slots.from(group, slot + 1)).isEqualTo(slot + group.interval());
  }
}
