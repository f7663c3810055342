package io.fleetgauge.query.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.OptionalDouble;

/** A report in Prometheus's envelope. */
final class ReportJson {
  private ReportJson() {}

  static void write(Reply<Report> reply, OutputStream out) throws IOException {
    Json.write(
        out,
        Json.successful(
            (json, bytes) -> data(json, reply.value(), reply.completeness()),
            reply.warnings(),
            List.of()));
  }

  private static void data(JsonGenerator json, Report report, Completeness completeness)
      throws IOException {
    ReportQuery query = report.query();
    json.writeStartObject();
    time(json, "from", query.period().from());
    time(json, "to", query.period().to());
    time(json, "step_seconds", query.period().step());
    time(json, "lookback_seconds", query.lookback());
    json.writeArrayFieldStart("by");
    for (GroupKey key : query.by()) {
      json.writeString(key.name());
    }
    json.writeEndArray();
    completeness(json, completeness);
    rows(json, "rows", query, report.rows());
    rows(json, "totals", query, report.totals());
    json.writeEndObject();
  }

  private static void completeness(JsonGenerator json, Completeness of) throws IOException {
    json.writeObjectFieldStart("completeness");
    count(json, "hosts", of.expected());
    count(json, "answered", of.answered());
    json.writeArrayFieldStart("missing");
    for (String host : of.missing()) {
      json.writeString(host);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void count(JsonGenerator json, String name, int count) throws IOException {
    if (count == Completeness.UNKNOWN) {
      json.writeNullField(name);
    } else {
      json.writeNumberField(name, count);
    }
  }

  private static void time(JsonGenerator json, String name, long millis) throws IOException {
    json.writeFieldName(name);
    json.writeRawValue(Numbers.seconds(millis));
  }

  private static void rows(JsonGenerator json, String name, ReportQuery query, List<Row> rows)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Row row : rows) {
      json.writeStartObject();
      if (!row.group().isEmpty()) {
        json.writeObjectFieldStart("group");
        for (int i = 0; i < query.by().size(); i++) {
          json.writeStringField(query.by().get(i).name(), row.group().get(i));
        }
        json.writeEndObject();
      }
      time(json, "from", row.from());
      time(json, "to", row.to());
      for (Row.Figure figure : Row.Figure.values()) {
        OptionalDouble value = figure.of(row);
        json.writeFieldName(figure.field);
        json.writeRawValue(value.isPresent() ? Numbers.plain(value.getAsDouble()) : "null");
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
