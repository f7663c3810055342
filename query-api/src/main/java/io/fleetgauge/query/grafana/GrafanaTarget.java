package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * A target of a panel.
 *
 * @param text PromQL; for events, which ones
 * @param refId names the target in the answer; may be empty
 */
record GrafanaTarget(Kind kind, String text, String refId) {
  /** What is wanted of a target. */
  enum Kind {
    SERIES,
    /** The newest sample of each series. */
    TABLE,
    EVENTS,
    /** Its text is empty, as that of a new panel. */
    NOTHING
  }

  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern DURATION = Pattern.compile("\\d{1,4}[smhd]");
  private static final String EVENTS = "events";

  /**
   * Reads a target: a query or the name of a metric, with a payload that says how to reduce it.
   *
   * @throws QueryFailure if the payload is wrong
   */
  static GrafanaTarget of(JsonNode target) throws QueryFailure {
    String text = target.path("target").asText("");
    String refId = target.path("refId").asText("");
    JsonNode payload = target.path("payload");
    boolean table =
        target.path("type").asText("").equals("table")
            || payload.path("format").asText("").equals("table");
    if (text.equals(EVENTS) || text.startsWith(EVENTS + " ")) {
      return new GrafanaTarget(Kind.EVENTS, text.substring(EVENTS.length()).strip(), refId);
    }
    String query = payload.isObject() && !payload.isEmpty() ? reduced(text, payload) : text;
    if (query.isBlank()) {
      return new GrafanaTarget(Kind.NOTHING, "", refId);
    }
    return new GrafanaTarget(table ? Kind.TABLE : Kind.SERIES, query, refId);
  }

  private static String reduced(String metric, JsonNode payload) throws QueryFailure {
    String filters = payload.path("filters").asText("").strip();
    String rate = chosen(payload, "rate");
    String operator = chosen(payload, "aggregate");
    if (!NAME.matcher(metric).matches()) {
      return metric; // PromQL already, not the name of a metric
    }
    String selector = metric + (filters.isEmpty() ? "" : "{" + filters + "}");
    try {
      Parser.parseSelector(selector);
    } catch (ParseException e) {
      throw GrafanaJson.bad("the filters " + filters + " cannot be parsed: " + e.getMessage());
    }
    if (!rate.isEmpty() && !DURATION.matcher(rate).matches()) {
      throw GrafanaJson.bad("rate is " + rate + "; set a duration such as 5m, or none");
    }
    String text = rate.isEmpty() ? selector : "rate(" + selector + "[" + rate + "])";
    if (operator.isEmpty()) {
      return text;
    }
    if (!List.of("avg", "sum", "min", "max", "count").contains(operator)) {
      throw GrafanaJson.bad("aggregate is " + operator + "; set avg, sum, min, max, count or none");
    }
    StringJoiner by = new StringJoiner(", ");
    JsonNode groups = payload.path("by");
    List<String> names = new ArrayList<>();
    if (groups.isArray()) {
      groups.forEach(
          group -> names.add(group.isObject() ? group.path("value").asText() : group.asText()));
    } else if (!groups.asText("").isEmpty()) {
      names.add(groups.asText());
    }
    for (String name : names) {
      if (!NAME.matcher(name).matches()) {
        throw GrafanaJson.bad("by has " + name + ", which is not the name of a label");
      }
      by.add(name);
    }
    return operator + (by.length() == 0 ? " " : " by (" + by + ") ") + "(" + text + ")";
  }

  /** An option of a payload; empty for none. */
  private static String chosen(JsonNode payload, String name) {
    String word =
        GrafanaJson.either(payload.path(name).path("value"), payload.path(name)).asText("");
    return word.equals("none") ? "" : word;
  }
}
