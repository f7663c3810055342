package io.fleetgauge.query.rules.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Groups, rules and alerts as Prometheus writes them. */
final class RuleJson {
  /** Go's zero time. */
  private static final String NEVER = "0001-01-01T00:00:00Z";

  private static final RuleState UNKNOWN = RuleState.initial("");

  private RuleJson() {}

  /**
   * @param rules places of the rules that are written
   */
  static void group(
      JsonGenerator json,
      RuleGroup group,
      List<Integer> rules,
      Optional<GroupState> state,
      boolean excludesAlerts)
      throws IOException {
    List<RuleState> states = state.map(GroupState::rules).orElse(List.of());
    json.writeStartObject();
    json.writeStringField("name", group.id().name());
    json.writeStringField("file", group.id().file());
    json.writeArrayFieldStart("rules");
    for (int i : rules) {
      RuleState ruleState = states.isEmpty() ? UNKNOWN : states.get(i);
      json.writeStartObject();
      switch (group.rules().get(i)) {
        case Rule.Alerting alerting -> alerting(json, group, alerting, ruleState, excludesAlerts);
        case Rule.Recording recording -> recording(json, group, recording);
      }
      state(json, ruleState);
      json.writeStringField(
          "type", group.rules().get(i) instanceof Rule.Alerting ? "alerting" : "recording");
      json.writeEndObject();
    }
    json.writeEndArray();
    seconds(json, "interval", group.interval(), 3);
    json.writeNumberField("limit", group.limit().orElse(0));
    seconds(json, "evaluationTime", states.stream().mapToLong(RuleState::durationNanos).sum(), 9);
    json.writeStringField("lastEvaluation", time(state.map(GroupState::slot).orElse(0L)));
    json.writeEndObject();
  }

  private static void alerting(
      JsonGenerator json,
      RuleGroup group,
      Rule.Alerting rule,
      RuleState state,
      boolean excludesAlerts)
      throws IOException {
    List<AlertInstance> active = state.alerts().stream().filter(RuleJson::isActive).toList();
    json.writeStringField(
        "state",
        text(
            active.stream()
                .map(AlertInstance::state)
                .max(Enum::compareTo)
                .orElse(AlertInstance.State.INACTIVE)));
    json.writeStringField("name", rule.name());
    json.writeStringField("query", rule.expression().toString());
    seconds(json, "duration", rule.forMillis(), 3);
    seconds(json, "keepFiringFor", rule.keepFiringMillis(), 3);
    json.writeFieldName("labels");
    Json.texts(json, group.labels(rule));
    json.writeFieldName("annotations");
    Json.texts(json, rule.annotations());
    if (excludesAlerts) {
      json.writeNullField("alerts");
      return;
    }
    json.writeArrayFieldStart("alerts");
    for (AlertInstance alert : active) {
      alert(json, alert);
    }
    json.writeEndArray();
  }

  private static void recording(JsonGenerator json, RuleGroup group, Rule.Recording rule)
      throws IOException {
    json.writeStringField("name", rule.name());
    json.writeStringField("query", rule.expression().toString());
    Map<String, String> labels = group.labels(rule);
    if (!labels.isEmpty()) {
      json.writeFieldName("labels");
      Json.texts(json, labels);
    }
  }

  private static void state(JsonGenerator json, RuleState state) throws IOException {
    json.writeStringField("health", state.health().name().toLowerCase(Locale.ROOT));
    if (!state.lastError().isEmpty()) {
      json.writeStringField("lastError", state.lastError());
    }
    seconds(json, "evaluationTime", state.durationNanos(), 9);
    json.writeStringField("lastEvaluation", time(state.lastEvaluation()));
  }

  /** Returns true if an alert has not ended. */
  static boolean isActive(AlertInstance alert) {
    return alert.resolvedAt() == 0;
  }

  static void alert(JsonGenerator json, AlertInstance alert) throws IOException {
    json.writeStartObject();
    json.writeFieldName("labels");
    Json.labels(json, alert.labels());
    json.writeFieldName("annotations");
    Json.texts(json, alert.annotations());
    json.writeStringField("state", text(alert.state()));
    json.writeStringField("activeAt", time(alert.activeAt()));
    if (alert.keepFiringSince() != 0) {
      json.writeStringField("keepFiringSince", time(alert.keepFiringSince()));
    }
    json.writeStringField("value", exponential(alert.value()));
    json.writeEndObject();
  }

  private static String text(AlertInstance.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private static void seconds(JsonGenerator json, String field, long value, int decimals)
      throws IOException {
    BigDecimal seconds = BigDecimal.valueOf(value, decimals).stripTrailingZeros();
    json.writeFieldName(field);
    json.writeNumber(seconds.toPlainString());
  }

  private static String time(long millis) {
    if (millis == 0) {
      return NEVER;
    }
    Instant time = Instant.ofEpochMilli(millis);
    String text = DateTimeFormatter.ISO_INSTANT.format(time);
    // Go leaves out zeros at the end.
    return time.getNano() == 0 ? text : text.replaceFirst("0+Z$", "Z");
  }

  /** The shortest digits with an exponent, such as {@code 8.5e+01}. */
  static String exponential(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0e+00" : "0e+00";
    }
    BigDecimal exact = new BigDecimal(Numbers.plain(Math.abs(value))).stripTrailingZeros();
    String digits = exact.unscaledValue().toString();
    int exponent = digits.length() - 1 - exact.scale();
    return (value < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }
}
