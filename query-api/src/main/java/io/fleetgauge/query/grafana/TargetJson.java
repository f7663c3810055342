package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
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

  private static ObjectNode entry(ArrayNode all, Labels labels, String refId) {
    ObjectNode entry = all.addObject().put("target", legend(labels));
    if (!refId.isEmpty()) {
      entry.put("refId", refId);
    }
    return entry;
  }

  private static void point(ArrayNode points, double value, long time) {
    ArrayNode point = points.addArray();
    GrafanaJson.addNumber(point, value);
    point.add(time);
  }

  /** One entry for each series; histograms are left out. */
  static ArrayNode series(Answer.Result result, String refId) {
    ArrayNode all = GrafanaJson.array();
    switch (result) {
      case Answer.Matrix matrix -> {
        for (Series series : matrix.series()) {
          ArrayNode points = entry(all, series.labels(), refId).putArray("datapoints");
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
              entry(all, sample.labels(), refId).putArray("datapoints"),
              sample.value(),
              vector.time());
        }
      }
      case Answer.Scalar scalar ->
          point(
              entry(all, Labels.EMPTY, refId).putArray("datapoints"),
              scalar.value(),
              scalar.time());
      case Answer.Text text -> {}
    }
    return all;
  }

  /** A row for each series, with a column for each label. */
  static ObjectNode table(Answer.Result result, String refId) {
    ObjectNode table = GrafanaJson.object().put("type", "table");
    if (!refId.isEmpty()) {
      table.put("refId", refId);
    }
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
    ArrayNode columns = table.putArray("columns");
    columns.addObject().put("text", "Time").put("type", "time");
    names.forEach(name -> columns.addObject().put("text", name).put("type", "string"));
    columns.addObject().put("text", "Value").put("type", "number");
    ArrayNode rows = table.putArray("rows");
    for (Answer.Sample sample : samples) {
      ArrayNode row = rows.addArray().add(time);
      names.forEach(name -> row.add(sample.labels().value(name)));
      GrafanaJson.addNumber(row, sample.value());
    }
    return table;
  }
}
