package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.io.IOException;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeSet;

/** Answers of targets in the form of Grafana's JSON data sources. */
final class TargetJson {
  private TargetJson() {}

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

  private static void begin(JsonGenerator json, Labels labels, String refId) throws IOException {
    json.writeStartObject();
    json.writeStringField("target", legend(labels));
    if (!refId.isEmpty()) {
      json.writeStringField("refId", refId);
    }
    json.writeArrayFieldStart("datapoints");
  }

  private static void end(JsonGenerator json) throws IOException {
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void point(JsonGenerator json, double value, long time) throws IOException {
    json.writeStartArray();
    GrafanaJson.writeNumber(json, value);
    json.writeNumber(time);
    json.writeEndArray();
  }

  /** Writes an entry for each series; histograms are left out. */
  static void series(JsonGenerator json, Answer.Result result, String refId) throws IOException {
    switch (result) {
      case Answer.Matrix matrix -> {
        for (Series series : matrix.series()) {
          begin(json, series.labels(), refId);
          for (int i = 0; i < series.size(); i++) {
            if (series.histograms() == null || series.histograms()[i] == null) {
              point(json, series.values()[i], series.times()[i]);
            }
          }
          end(json);
        }
      }
      case Answer.Vector vector -> {
        for (Answer.Sample sample : vector.samples()) {
          begin(json, sample.labels(), refId);
          point(json, sample.value(), vector.time());
          end(json);
        }
      }
      case Answer.Scalar scalar -> {
        begin(json, Labels.EMPTY, refId);
        point(json, scalar.value(), scalar.time());
        end(json);
      }
      case Answer.Text text -> {}
    }
  }

  /** Writes a row for each series, with a column for each label. */
  static void table(JsonGenerator json, Answer.Result result, String refId) throws IOException {
    long time =
        switch (result) {
          case Answer.Vector vector -> vector.time();
          case Answer.Scalar scalar -> scalar.time();
          case Answer.Matrix matrix -> 0;
          case Answer.Text text -> 0;
        };
    List<Answer.Sample> samples =
        switch (result) {
          case Answer.Vector vector -> vector.samples();
          case Answer.Scalar scalar ->
              List.of(new Answer.Sample(Labels.EMPTY, scalar.value(), null));
          case Answer.Matrix matrix -> List.of();
          case Answer.Text text -> List.of();
        };
    TreeSet<String> names = new TreeSet<>();
    for (Answer.Sample sample : samples) {
      for (int i = 0; i < sample.labels().size(); i++) {
        names.add(sample.labels().name(i));
      }
    }
    GrafanaJson.beginTable(json, refId);
    GrafanaJson.writeColumn(json, "Time", "time");
    for (String name : names) {
      GrafanaJson.writeColumn(json, name, "string");
    }
    GrafanaJson.writeColumn(json, "Value", "number");
    json.writeEndArray();
    json.writeArrayFieldStart("rows");
    for (Answer.Sample sample : samples) {
      json.writeStartArray();
      json.writeNumber(time);
      for (String name : names) {
        json.writeString(sample.labels().value(name));
      }
      GrafanaJson.writeNumber(json, sample.value());
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
