package io.fleetgauge.query.grafana;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
  /** Kinds of answers to a target. */
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
  static GrafanaTarget of(JsonObject target) throws QueryFailure {
    String text = GrafanaJson.text(target, "target");
    String refId = GrafanaJson.text(target, "refId");
    JsonObject payload = GrafanaJson.object(target, "payload");
    boolean table =
        GrafanaJson.text(target, "type").equals("table")
            || GrafanaJson.text(payload, "format").equals("table");
    if (text.equals(EVENTS) || text.startsWith(EVENTS + " ")) {
      return new GrafanaTarget(Kind.EVENTS, text.substring(EVENTS.length()).strip(), refId);
    }
    String query = payload.isEmpty() ? text : reduced(text, payload);
    if (query.isBlank()) {
      return new GrafanaTarget(Kind.NOTHING, "", refId);
    }
    return new GrafanaTarget(table ? Kind.TABLE : Kind.SERIES, query, refId);
  }

  private static String reduced(String metric, JsonObject payload) throws QueryFailure {
    String filters = GrafanaJson.text(payload, "filters").strip();
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
    List<String> names = new ArrayList<>();
    if (payload.getValue("by") instanceof JsonArray groups) {
      groups.forEach(group -> names.add(choice(group)));
    } else if (!GrafanaJson.text(payload, "by").isEmpty()) {
      names.add(GrafanaJson.text(payload, "by"));
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
  private static String chosen(JsonObject payload, String name) {
    String word = choice(payload.getValue(name));
    return word.equals("none") ? "" : word;
  }

  /** A choice is its value, or an object that has it. */
  private static String choice(Object value) {
    return value instanceof JsonObject object
        ? GrafanaJson.text(object, "value")
        : GrafanaJson.text(value);
  }
}
