package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What a target of a panel means.
 *
 * @param text PromQL; of events, which ones
 * @param table whether a table of the newest values is wanted rather than series
 * @param events whether it is about events
 */
record GrafanaTarget(String text, String refId, boolean table, boolean events) {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern DURATION = Pattern.compile("\\d{1,4}[smhd]");
  private static final Pattern LABEL_VALUES =
      Pattern.compile("\\s*label_values\\(\\s*(?:(.+)\\s*,\\s*)?([^,]+?)\\s*\\)\\s*");
  private static final Pattern METRICS = Pattern.compile("\\s*metrics\\((.*)\\)\\s*");
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
      return new GrafanaTarget(text.substring(EVENTS.length()).strip(), refId, true, true);
    }
    if (!payload.isObject() || payload.isEmpty()) {
      return new GrafanaTarget(text, refId, table, false);
    }
    return new GrafanaTarget(reduced(text, payload), refId, table, false);
  }

  private static String reduced(String metric, JsonNode payload) throws QueryFailure {
    String filters = payload.path("filters").asText("").strip();
    String rate = chosen(payload, "rate");
    String operator = chosen(payload, "aggregate");
    if (!NAME.matcher(metric).matches()) {
      return metric; // a query that is reduced as it says itself
    }
    String selector = metric + (filters.isEmpty() ? "" : "{" + filters + "}");
    try {
      Parser.parseSelector(selector);
    } catch (ParseException e) {
      throw GrafanaApi.bad("the filters " + filters + " are wrong: " + e.getMessage());
    }
    if (!rate.isEmpty() && !DURATION.matcher(rate).matches()) {
      throw GrafanaApi.bad("rate is " + rate + "; it is a duration such as 5m, or none");
    }
    String text = rate.isEmpty() ? selector : "rate(" + selector + "[" + rate + "])";
    if (operator.isEmpty()) {
      return text;
    }
    if (!List.of("avg", "sum", "min", "max", "count").contains(operator)) {
      throw GrafanaApi.bad(
          "aggregate is " + operator + "; it is avg, sum, min, max, count or none");
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
        throw GrafanaApi.bad("by names " + name + ", which is no label");
      }
      by.add(name);
    }
    return operator + (by.length() == 0 ? " " : " by (" + by + ") ") + "(" + text + ")";
  }

  /** A word of a payload; empty for none. */
  private static String chosen(JsonNode payload, String name) {
    String word =
        GrafanaApi.either(payload.path(name).path("value"), payload.path(name)).asText("");
    return word.equals("none") ? "" : word;
  }

  /**
   * What a variable's query asks for: values of a label.
   *
   * @param matchers what its series have to match
   * @param names matches the values that are wanted; null for all
   */
  record Variable(String label, List<Matcher> matchers, Matcher names) {
    boolean takes(String value) {
      return names == null || names.matches(value);
    }
  }

  /**
   * Reads {@code label_values(LABEL)}, {@code label_values(SELECTOR, LABEL)}, {@code
   * metrics(REGEX)}, the name of a label, or nothing, which means all metrics.
   */
  static Variable variable(String target) throws QueryFailure {
    if (target.isBlank()) {
      return new Variable(Labels.NAME, List.of(), null);
    }
    try {
      var metrics = METRICS.matcher(target);
      if (metrics.matches()) {
        Matcher names =
            Matcher.of(Matcher.Kind.REGEX, Labels.NAME, ".*(?:" + metrics.group(1) + ").*");
        return new Variable(Labels.NAME, List.of(), names);
      }
      var values = LABEL_VALUES.matcher(target);
      if (values.matches()) {
        List<Matcher> matchers =
            values.group(1) == null ? List.of() : Parser.parseSelector(values.group(1));
        return new Variable(values.group(2), matchers, null);
      }
    } catch (ParseException | IllegalArgumentException e) {
      throw GrafanaApi.bad("the variable " + target + " cannot be read: " + e.getMessage());
    }
    return new Variable(target.strip(), List.of(), null);
  }

  /** Filters of a dashboard as matchers. */
  static List<Matcher> filters(JsonNode filters) throws QueryFailure {
    List<Matcher> matchers = new ArrayList<>();
    for (JsonNode filter : filters) {
      String operator = filter.path("operator").asText("=");
      Matcher.Kind kind =
          switch (operator) {
            case "=" -> Matcher.Kind.EQUAL;
            case "!=" -> Matcher.Kind.NOT_EQUAL;
            case "=~" -> Matcher.Kind.REGEX;
            case "!~" -> Matcher.Kind.NOT_REGEX;
            default ->
                throw GrafanaApi.bad(
                    "a filter has the operator " + operator + "; =, !=, =~ and !~ are known");
          };
      String key = filter.path("key").asText("");
      if (key.isEmpty()) {
        throw GrafanaApi.bad("a filter has no key");
      }
      try {
        matchers.add(Matcher.of(kind, key, filter.path("value").asText("")));
      } catch (IllegalArgumentException e) {
        throw GrafanaApi.bad("the filter of " + key + " is wrong: " + e.getMessage());
      }
    }
    return matchers;
  }

  // --- answers ---

  private static String legend(Labels labels) {
    StringJoiner pairs = new StringJoiner(", ", "{", "}");
    for (int i = 0; i < labels.size(); i++) {
      if (!labels.name(i).equals(Labels.NAME)) {
        pairs.add(labels.name(i) + "=\"" + labels.value(i) + "\"");
      }
    }
    String inBraces = pairs.toString();
    return labels.metric().isEmpty()
        ? inBraces
        : inBraces.equals("{}") ? labels.metric() : labels.metric() + inBraces;
  }

  private static ObjectNode serie(ArrayNode all, Labels labels, String refId) {
    ObjectNode serie = all.addObject().put("target", legend(labels));
    if (!refId.isEmpty()) {
      serie.put("refId", refId);
    }
    return serie;
  }

  private static void point(ArrayNode points, double value, long time) {
    ArrayNode point = points.addArray();
    // JSON has no other numbers.
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      point.addNull();
    } else {
      point.add(value);
    }
    point.add(time);
  }

  /** One entry for each series; histograms are left out. */
  static ArrayNode series(Answered answered, String refId) {
    ArrayNode all = GrafanaApi.JSON.createArrayNode();
    switch (answered.result()) {
      case Answer.Matrix matrix -> {
        for (Series series : matrix.series()) {
          ArrayNode points = serie(all, series.labels(), refId).putArray("datapoints");
          for (int i = 0; i < series.size(); i++) {
            if (series.histograms() == null || series.histograms()[i] == null) {
              point(points, series.values()[i], series.times()[i]);
            }
          }
        }
      }
      case Answer.Vector vector -> {
        for (Answer.Sample sample : vector.samples()) {
          point(
              serie(all, sample.labels(), refId).putArray("datapoints"),
              sample.value(),
              vector.time());
        }
      }
      case Answer.Scalar scalar ->
          point(
              serie(all, Labels.EMPTY, refId).putArray("datapoints"),
              scalar.value(),
              scalar.time());
      case Answer.Text text -> {}
    }
    return all;
  }

  /** A row for each series, with a column for each label. */
  static ObjectNode table(Answered answered, String refId) {
    ObjectNode table = GrafanaApi.JSON.createObjectNode().put("type", "table");
    if (!refId.isEmpty()) {
      table.put("refId", refId);
    }
    List<Answer.Sample> samples = List.of();
    long time = 0;
    if (answered.result() instanceof Answer.Vector vector) {
      samples = vector.samples();
      time = vector.time();
    } else if (answered.result() instanceof Answer.Scalar scalar) {
      samples = List.of(new Answer.Sample(Labels.EMPTY, scalar.value(), null));
      time = scalar.time();
    }
    TreeSet<String> names = new TreeSet<>();
    for (Answer.Sample sample : samples) {
      for (int i = 0; i < sample.labels().size(); i++) {
        names.add(sample.labels().name(i));
      }
    }
    ArrayNode columns = table.putArray("columns");
    columns.addObject().put("text", "Time").put("type", "time");
    names.forEach(name -> columns.addObject().put("text", name).put("type", "string"));
    columns.addObject().put("text", "Value").put("type", "number");
    ArrayNode rows = table.putArray("rows");
    for (Answer.Sample sample : samples) {
      ArrayNode row = rows.addArray().add(time);
      names.forEach(name -> row.add(sample.labels().value(name)));
      if (Double.isNaN(sample.value()) || Double.isInfinite(sample.value())) {
        row.addNull();
      } else {
        row.add(sample.value());
      }
    }
    return table;
  }
}
