package io.fleetgauge.query.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.ReadBudget;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads responses of Prometheus's HTTP API. For one response. */
final class StoreJson {
  private static final JsonFactory JSON = new JsonFactory();

  private final ReadBudget budget;
  private final List<Series> series = new ArrayList<>();
  private final Set<Labels> labelsOfSeries = new HashSet<>();
  private final List<String> texts = new ArrayList<>();
  private final List<Labels> labelSets = new ArrayList<>();
  private final Map<String, MetricMetadata> metadata = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();
  private String resultType = "";
  private boolean isSuccess;
  private boolean hasHistograms;

  private StoreJson(ReadBudget budget) {
    this.budget = budget;
  }

  /** What {@code data} of a response may be. */
  enum Data {
    /** The result of a query. */
    RESULT,
    /** A list of texts. */
    TEXTS,
    /** A list of label sets. */
    LABEL_SETS,
    /** Metadata by metric. */
    METADATA
  }

  /**
   * Reads a response.
   *
   * @throws WireException if it is none, or more than is allowed
   */
  static StoreJson read(byte[] body, Data data, ReadBudget budget) throws WireException {
    StoreJson read = new StoreJson(budget);
    try (JsonParser in = JSON.createParser(body)) {
      read.response(in, data);
    } catch (IOException e) {
      throw new WireException("the response is no JSON: " + firstLine(e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw new WireException("a series has no proper labels: " + e.getMessage());
    }
    if (!read.isSuccess) {
      throw new WireException("the response is no success");
    }
    return read;
  }

  private static String firstLine(String text) {
    return text == null ? "" : text.lines().findFirst().orElse("");
  }

  /** The series of a result, in the order of the response. */
  List<Series> series() {
    return series;
  }

  List<String> texts() {
    return texts;
  }

  List<Labels> labelSets() {
    return labelSets;
  }

  Map<String, MetricMetadata> metadata() {
    return metadata;
  }

  /** The warnings and infos of the response. */
  List<String> warnings() {
    return warnings;
  }

  String resultType() {
    return resultType;
  }

  /** Returns true if a result has native histograms, of which this form has no exact samples. */
  boolean hasHistograms() {
    return hasHistograms;
  }

  private static void require(boolean fits, String what) throws WireException {
    if (!fits) {
      throw new WireException("the response has no proper " + what);
    }
  }

  private void response(JsonParser in, Data data) throws IOException, WireException {
    require(in.nextToken() == JsonToken.START_OBJECT, "object");
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String field = in.currentName();
      JsonToken value = in.nextToken();
      switch (field) {
        case "status" -> isSuccess = "success".equals(in.getText());
        case "warnings", "infos" -> warnings(in, value);
        case "data" -> {
          switch (data) {
            case RESULT -> result(in, value);
            case TEXTS -> texts(in, value);
            case LABEL_SETS -> labelSets(in, value);
            case METADATA -> metadata(in, value);
          }
        }
        default -> in.skipChildren();
      }
    }
  }

  private void warnings(JsonParser in, JsonToken value) throws IOException, WireException {
    if (value != JsonToken.START_ARRAY) {
      in.skipChildren();
      return;
    }
    while (in.nextToken() != JsonToken.END_ARRAY) {
      budget.text(in.getText());
      warnings.add(in.getText());
      in.skipChildren();
    }
  }

  private void texts(JsonParser in, JsonToken value) throws IOException, WireException {
    if (value == JsonToken.VALUE_NULL) {
      return;
    }
    require(value == JsonToken.START_ARRAY, "list");
    while (in.nextToken() != JsonToken.END_ARRAY) {
      require(in.currentToken() == JsonToken.VALUE_STRING, "list of texts");
      budget.text(in.getText());
      texts.add(in.getText());
    }
  }

  private void labelSets(JsonParser in, JsonToken value) throws IOException, WireException {
    if (value == JsonToken.VALUE_NULL) {
      return;
    }
    require(value == JsonToken.START_ARRAY, "list");
    while (in.nextToken() != JsonToken.END_ARRAY) {
      labelSets.add(labels(in));
    }
  }

  private Labels labels(JsonParser in) throws IOException, WireException {
    require(in.currentToken() == JsonToken.START_OBJECT, "label set");
    Map<String, String> all = new TreeMap<>();
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      require(in.nextToken() == JsonToken.VALUE_STRING, "label");
      all.put(name, in.getText());
    }
    Labels labels = Labels.of(all);
    budget.labels(labels);
    return labels;
  }

  private void metadata(JsonParser in, JsonToken value) throws IOException, WireException {
    require(value == JsonToken.START_OBJECT, "metadata");
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String metric = in.currentName();
      budget.text(metric);
      require(in.nextToken() == JsonToken.START_ARRAY, "metadata");
      while (in.nextToken() != JsonToken.END_ARRAY) {
        Map<String, String> fields = new TreeMap<>();
        require(in.currentToken() == JsonToken.START_OBJECT, "metadata");
        while (in.nextToken() == JsonToken.FIELD_NAME) {
          String field = in.currentName();
          in.nextToken();
          budget.text(in.getText());
          fields.put(field, in.getText());
          in.skipChildren();
        }
        metadata.putIfAbsent(
            metric,
            new MetricMetadata(
                fields.getOrDefault("type", "unknown"),
                fields.getOrDefault("help", ""),
                fields.getOrDefault("unit", "")));
      }
    }
  }

  // --- results of queries ---

  private void result(JsonParser in, JsonToken value) throws IOException, WireException {
    require(value == JsonToken.START_OBJECT, "data");
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String field = in.currentName();
      JsonToken inner = in.nextToken();
      if (field.equals("resultType")) {
        resultType = in.getText();
      } else if (field.equals("result") && inner == JsonToken.START_ARRAY) {
        while (in.nextToken() != JsonToken.END_ARRAY) {
          if (in.currentToken() == JsonToken.START_OBJECT) {
            oneSeries(in);
          } else {
            in.skipChildren(); // a scalar or a text, which nobody asks for
          }
        }
      } else {
        in.skipChildren();
      }
    }
  }

  private void oneSeries(JsonParser in) throws IOException, WireException {
    Labels labels = Labels.EMPTY;
    Points points = new Points();
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String field = in.currentName();
      JsonToken value = in.nextToken();
      switch (field) {
        case "metric" -> labels = labels(in);
        case "values" -> {
          require(value == JsonToken.START_ARRAY, "values");
          while (in.nextToken() != JsonToken.END_ARRAY) {
            point(in, points);
          }
        }
        case "value" -> point(in, points);
        case "histogram", "histograms" -> {
          hasHistograms = true;
          in.skipChildren();
        }
        default -> in.skipChildren();
      }
    }
    require(labelsOfSeries.add(labels), "series: two have the same labels");
    series.add(points.series(labels));
  }

  private void point(JsonParser in, Points into) throws IOException, WireException {
    require(in.currentToken() == JsonToken.START_ARRAY, "point");
    require(in.nextToken().isNumeric(), "time of a point");
    double seconds = in.getDoubleValue();
    require(in.nextToken() == JsonToken.VALUE_STRING, "value of a point");
    double value = number(in.getText());
    require(in.nextToken() == JsonToken.END_ARRAY, "end of a point");
    budget.sample();
    into.add(Math.round(seconds * 1_000), value);
  }

  private static double number(String text) throws WireException {
    try {
      return switch (text) {
        case "NaN" -> Double.NaN;
        case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
        case "-Inf" -> Double.NEGATIVE_INFINITY;
        default -> Double.parseDouble(text);
      };
    } catch (NumberFormatException e) {
      throw new WireException("the response has no proper number");
    }
  }

  /** The points of a series. */
  private static final class Points {
    private long[] times = new long[16];
    private double[] values = new double[16];
    private int size;

    void add(long time, double value) throws WireException {
      require(size == 0 || times[size - 1] < time, "order of points");
      if (size == times.length) {
        times = Arrays.copyOf(times, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
      }
      times[size] = time;
      values[size++] = value;
    }

    Series series(Labels labels) {
      return new Series(labels, Arrays.copyOf(times, size), Arrays.copyOf(values, size));
    }
  }
}
