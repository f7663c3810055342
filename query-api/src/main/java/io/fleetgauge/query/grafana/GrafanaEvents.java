package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.GpuEvent;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Derives events of GPUs and hosts from their series. */
final class GrafanaEvents {
  private GrafanaEvents() {}

  /** Kinds of events. */
  enum Kind {
    /** A fault of a host, a GPU or a job, while it is open. */
    FAULT("fault", "gpu_fault_active%s"),
    /** A GPU reports another XID than before. */
    XID("XID error", GpuEvent.XID.metric() + "%s"),
    /** A GPU is throttled, for a reason other than idling or a setting. */
    THROTTLE("GPU throttled", GpuEvent.THROTTLE.metric() + "%s"),
    /** A host that sent before has stopped sending. */
    HOST(
        "host silent",
        "count by (Hostname, rack) ({__name__=~\"up|node_load1|DCGM_FI_DEV_GPU_TEMP\"%s})");

    private final String title;
    private final String query;

    Kind(String title, String query) {
      this.title = title;
      this.query = query;
    }
  }

  /**
   * An event.
   *
   * @param end ms; equal to the start for a momentary event
   */
  record Event(Kind kind, long start, long end, Labels labels, double value)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(start, other.start);
      return byTime != 0 ? byTime : labels.compareTo(other.labels);
    }

    String where() {
      String host = labels.value("Hostname");
      String gpu = labels.value("gpu");
      return host + (gpu.isEmpty() ? "" : ", GPU " + gpu);
    }

    String text() {
      return switch (kind) {
        case FAULT ->
            FaultKind.find(labels.value("kind")).map(FaultKind::title).orElse("fault")
                + (labels.value("cause").isEmpty() ? "" : " (" + labels.value("cause") + ")")
                + " on "
                + where();
        case XID -> "XID " + (long) value + " on " + where();
        case THROTTLE -> "throttle reasons 0x" + Long.toHexString((long) value) + " on " + where();
        case HOST -> "no data from " + where();
      };
    }
  }

  /**
   * The queries that find events.
   *
   * @param wanted names of kinds, each optionally with matchers, such as {@code xid{rack="r0"},
   *     host}; empty for all kinds
   */
  static Map<Kind, String> queries(String wanted) throws QueryFailure {
    Map<Kind, String> queries = new EnumMap<>(Kind.class);
    if (wanted.isBlank()) {
      for (Kind kind : Kind.values()) {
        queries.put(kind, kind.query.formatted(""));
      }
      return queries;
    }
    for (String part : parts(wanted)) {
      // SimpleJson's annotations begin with #.
      String word = part.startsWith("#") ? part.substring(1) : part;
      int brace = word.indexOf('{');
      String name = (brace < 0 ? word : word.substring(0, brace)).toUpperCase(Locale.ROOT);
      boolean closed = brace >= 0 && word.endsWith("}");
      String inside = closed ? word.substring(brace + 1, word.length() - 1).strip() : "";
      Kind kind;
      try {
        kind = Kind.valueOf(name);
        if (brace >= 0) {
          Parser.parseSelector("x" + word.substring(brace));
        }
      } catch (IllegalArgumentException | ParseException e) {
        throw GrafanaJson.bad(
            "the event "
                + word
                + " is unknown; use fault, xid, throttle or host, each optionally with matchers"
                + " such as xid{rack=\"r0\"}");
      }
      String matchers =
          inside.isEmpty() ? "" : kind == Kind.HOST ? "," + inside : "{" + inside + "}";
      queries.put(kind, kind.query.formatted(matchers));
    }
    return queries;
  }

  /** The texts between the commas that stand outside of braces, without spaces around them. */
  private static List<String> parts(String wanted) {
    List<String> parts = new ArrayList<>();
    boolean inBraces = false;
    char quote = 0;
    int begin = 0;
    for (int at = 0; at < wanted.length(); at++) {
      char each = wanted.charAt(at);
      if (quote != 0) {
        if (each == '\\' && quote != '`') {
          at++;
        } else if (each == quote) {
          quote = 0;
        }
      } else if (each == '{' || each == '}') {
        inBraces = each == '{';
      } else if (inBraces && (each == '"' || each == '\'' || each == '`')) {
        quote = each;
      } else if (each == ',' && !inBraces) {
        parts.add(wanted.substring(begin, at).strip());
        begin = at + 1;
      }
    }
    String last = wanted.substring(begin).strip();
    if (!last.isEmpty()) {
      parts.add(last);
    }
    return parts;
  }

  /**
   * The events that an answer shows.
   *
   * @param end the last step, ms
   */
  static List<Event> of(Kind kind, Answer.Result result, long end, long step) {
    List<Event> events = new ArrayList<>();
    if (result instanceof Answer.Matrix matrix) {
      for (Series series : matrix.series()) {
        switch (kind) {
          case FAULT -> faults(series, step, events);
          case XID -> xids(series, events);
          case THROTTLE -> throttles(series, step, events);
          case HOST -> silences(series, end, step, events);
        }
      }
    }
    return events;
  }

  /** One event for each time without a gap. */
  private static void faults(Series series, long step, List<Event> events) {
    int from = 0;
    for (int i = 1; i <= series.size(); i++) {
      boolean isLast = i == series.size() || series.times()[i] - series.times()[i - 1] > step;
      if (isLast) {
        long[] times = series.times();
        events.add(new Event(Kind.FAULT, times[from], times[i - 1], series.labels(), 1));
        from = i;
      }
    }
  }

  private static void xids(Series series, List<Event> events) {
    double before = series.size() == 0 ? 0 : series.values()[0];
    for (int i = 1; i < series.size(); i++) {
      double now = series.values()[i];
      if (GpuEvent.XID.isShown(before, now)) {
        events.add(new Event(Kind.XID, series.times()[i], series.times()[i], series.labels(), now));
      }
      before = now;
    }
  }

  private static void throttles(Series series, long step, List<Event> events) {
    int from = -1;
    for (int i = 0; i <= series.size(); i++) {
      double before = i == 0 ? 0 : series.values()[i - 1];
      boolean throttled =
          i < series.size() && GpuEvent.THROTTLE.isShown(before, series.values()[i]);
      boolean gap = i > 0 && i < series.size() && series.times()[i] - series.times()[i - 1] > step;
      if (from >= 0 && (!throttled || gap)) {
        events.add(
            new Event(
                Kind.THROTTLE,
                series.times()[from],
                series.times()[i - 1],
                series.labels(),
                series.values()[from]));
        from = -1;
      }
      if (throttled && from < 0) {
        from = i;
      }
    }
  }

  private static void silences(Series series, long end, long step, List<Event> events) {
    for (int i = 0; i < series.size(); i++) {
      long last = series.times()[i];
      long next = i + 1 < series.size() ? series.times()[i + 1] : end + (last < end ? step : 0);
      if (next - last > step || i + 1 == series.size() && last < end) {
        events.add(new Event(Kind.HOST, last, Math.min(next, end), series.labels(), 0));
      }
    }
  }

  /** Writes events in the form of SimpleJson. */
  static void annotations(JsonGenerator json, List<Event> events, Object annotation)
      throws IOException {
    json.writeStartArray();
    for (Event event : events) {
      json.writeStartObject();
      if (annotation instanceof JsonObject asked) {
        json.writeFieldName("annotation");
        json.writeRawValue(asked.encode());
      }
      json.writeNumberField("time", event.start);
      if (event.end > event.start) {
        json.writeNumberField("timeEnd", event.end);
        json.writeBooleanField("isRegion", true);
      }
      json.writeStringField("title", event.kind.title);
      json.writeStringField("text", event.text());
      json.writeArrayFieldStart("tags");
      for (String tag : tags(event)) {
        json.writeString(tag);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static List<String> tags(Event event) {
    List<String> tags = new ArrayList<>();
    tags.add(event.kind.name().toLowerCase(Locale.ROOT));
    for (String name : List.of("Hostname", "rack", "tenant", "job")) {
      if (!event.labels.value(name).isEmpty()) {
        tags.add(event.labels.value(name));
      }
    }
    return tags;
  }

  /** Writes events as a table whose columns simPod's plugin reads as annotations. */
  static void table(JsonGenerator json, List<Event> events, String refId) throws IOException {
    GrafanaJson.beginTable(json, refId);
    GrafanaJson.writeColumn(json, "time", "time");
    GrafanaJson.writeColumn(json, "timeEnd", "time");
    for (String name : List.of("title", "text", "tags")) {
      GrafanaJson.writeColumn(json, name, "string");
    }
    json.writeEndArray();
    json.writeArrayFieldStart("rows");
    for (Event event : events) {
      json.writeStartArray();
      json.writeNumber(event.start);
      json.writeNumber(event.end);
      json.writeString(event.kind.title);
      json.writeString(event.text());
      json.writeString(String.join(",", tags(event)));
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
