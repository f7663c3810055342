package io.fleetgauge.query.rules.evaluation;

import static io.fleetgauge.query.rules.evaluation.Fleet.group;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What follows from the definition of a group alone. */
class DefinitionTest {
  private static final String GROUP =
      """
      groups:
      - name: g
        interval: 1m
        query_offset: 3s
        limit: 5
        partial: keep
        labels: {team: a}
        rules:
        - {record: r, expr: t, labels: {kind: x}}
        - {alert: Hot, expr: t > 80, for: 2m, keep_firing_for: 4m, labels: {severity: page}, annotations: {at: rack}}
      """;

  @Test
  void everyPartOfADefinitionTellsItFromAnother() {
    List<String> changed =
        List.of(
            "name: g -> name: h",
            "interval: 1m -> interval: 2m",
            "query_offset: 3s -> query_offset: 4s",
            "limit: 5 -> limit: 6",
            "partial: keep -> partial: evaluate",
            "team: a -> team: b",
            "team: a -> tier: a",
            "record: r -> record: s",
            "expr: t, -> expr: u,",
            "kind: x -> kind: y",
            "alert: Hot -> alert: Warm",
            "t > 80 -> t > 81",
            "for: 2m -> for: 3m",
            "keep_firing_for: 4m -> keep_firing_for: 5m",
            "severity: page -> severity: mail",
            "at: rack -> at: room",
            "at: rack -> on: rack");
    List<RuleGroup> groups = new ArrayList<>(List.of(group(GROUP)));
    for (String each : changed) {
      String[] texts = each.split(" -> ");
      assertThat(GROUP).contains(texts[0]);
      groups.add(group(GROUP.replace(texts[0], texts[1])));
    }
    RuleGroup one = groups.getFirst();
    for (RuleGroup.Id id :
        List.of(new RuleGroup.Id("t", "rules.yaml", "g"), new RuleGroup.Id("", "f", "g"))) {
      groups.add(
          new RuleGroup(
              id,
              one.interval(),
              one.queryOffset(),
              one.limit(),
              one.labels(),
              one.partial(),
              one.rules()));
    }
    assertThat(groups).extracting(GroupState::definitionOf).doesNotHaveDuplicates();
    assertThat(GroupState.definitionOf(group(GROUP))).isEqualTo(GroupState.definitionOf(one));
  }

  @Test
  void textsThatRunIntoEachOtherAreToldApart() {
    String rules =
        "groups: [{name: g, rules: [{alert: A, expr: t, labels: {%s}, annotations: {%s}}]}]";
    assertThat(
            List.of(
                group(rules.formatted("a: bc", "")),
                group(rules.formatted("ab: c", "")),
                group(rules.formatted("", "a: bc")),
                group(rules.formatted("a: b, c: d", "")),
                group(rules.formatted("a: b", "c: d"))))
        .extracting(GroupState::definitionOf)
        .doesNotHaveDuplicates();
  }

  /** As {@code 0,1 | 2}: rules of a round, by place; {@code +} where later rounds read them. */
  private static String order(String... rules) {
    RuleGroup group = group("groups: [{name: g, rules: [" + String.join(", ", rules) + "]}]");
    return String.join(
        " | ",
        RuleOrder.of(group.rules()).stream()
            .map(
                round ->
                    String.join(",", round.rules().stream().map(String::valueOf).toList())
                        + (round.seen() ? "+" : ""))
            .toList());
  }

  @Test
  void aRuleIsAskedAfterThoseBeforeItThatItReadsAndNotAfterThoseThatReadIt() {
    assertThat(order("{record: a, expr: t}", "{record: b, expr: t}")).isEqualTo("0,1");
    assertThat(order("{record: a, expr: t}", "{record: b, expr: sum(a)}")).isEqualTo("0+ | 1");
    assertThat(order("{record: a, expr: b}", "{record: b, expr: t}")).isEqualTo("0,1");
    assertThat(order("{record: a, expr: t}", "{record: b, expr: '{x=\"y\"}'}"))
        .as("any metric")
        .isEqualTo("0+ | 1");
    assertThat(order("{record: a, expr: t}", "{record: b, expr: '{__name__=~\"a|c\"}'}"))
        .isEqualTo("0+ | 1");
  }

  @Test
  void aRuleThatIsReadWithoutBeingWrittenAgainWaitsForItsReader() {
    // The second one reads b as it was before; the third writes it.
    assertThat(order("{record: a, expr: t}", "{record: c, expr: a + b}", "{record: b, expr: t}"))
        .isEqualTo("0+ | 1,2");
    assertThat(order("{record: a, expr: t}", "{record: b, expr: a}", "{record: b, expr: t * 2}"))
        .as("of one name, in their order")
        .isEqualTo("0+ | 1,2");
    assertThat(
            order(
                "{record: a, expr: t}",
                "{record: b, expr: a}",
                "{record: c, expr: b}",
                "{record: d, expr: a}"))
        .isEqualTo("0+ | 1,3+ | 2");
  }

  @Test
  void alertsAreReadByTheirSeriesAndByTemplatesThatAsk() {
    String hot = "{alert: Hot, expr: t}";
    assertThat(order(hot, "{record: n, expr: count(ALERTS)}")).isEqualTo("0+ | 1");
    assertThat(order(hot, "{record: n, expr: count(ALERTS_FOR_STATE)}")).isEqualTo("0+ | 1");
    assertThat(
            order(
                "{record: a, expr: t}",
                "{alert: A, expr: t, annotations: {x: '{{ query \"a\" | len }}'}}"))
        .isEqualTo("0+ | 1");
    assertThat(
            order(
                "{record: a, expr: t}",
                "{alert: A, expr: t, labels: {x: '{{ query \"a\" | len }}'}}"))
        .isEqualTo("0+ | 1");
    assertThat(
            order("{record: a, expr: t}", "{alert: A, expr: t, annotations: {x: '{{ $value }}'}}"))
        .isEqualTo("0,1");
  }
}
