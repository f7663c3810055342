package io.fleetgauge.query.faults.detect;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Thresholds of all detectors: {@code fault-thresholds.yaml}, and what a site writes in place of
 * some of it. Every entry has a reason and a source there. Immutable.
 */
public final class Thresholds {
  private static final String FILE = "fault-thresholds.yaml";
  private static final double MILLIS = 1_000;
  private static final Thresholds SHIPPED = shipped();

  private final Map<FaultKind, Map<String, JsonNode>> all;

  private Thresholds(Map<FaultKind, Map<String, JsonNode>> all) {
    this.all = all;
  }

  /** The thresholds of one kind. */
  public final class OfKind {
    private final FaultKind kind;
    private final Map<String, JsonNode> values;

    private OfKind(FaultKind kind, Map<String, JsonNode> values) {
      this.kind = kind;
      this.values = values;
    }

    boolean has(String key) {
      return values.containsKey(key);
    }

    public double number(String key) {
      return Double.parseDouble(get(key).asText()); // a fraction of YamlTree has its text only
    }

    /** A time, which files have in seconds, in ms. */
    public long millis(String key) {
      return Math.round(number(key) * MILLIS);
    }

    public Severity severity() {
      JsonNode severity = values.get("severity");
      return severity == null ? kind.severity() : Severity.find(severity.asText()).orElseThrow();
    }

    /** How long a sign is missing until the fault is over, ms. */
    public long quietMillis() {
      return millis("quiet");
    }

    private JsonNode get(String key) {
      JsonNode value = values.get(key);
      if (value == null) {
        throw new IllegalArgumentException(FILE + " has no " + kind.text() + "." + key);
      }
      return value;
    }
  }

  /** Those that are shipped. */
  public static Thresholds defaults() {
    return SHIPPED;
  }

  public OfKind of(FaultKind kind) {
    return new OfKind(kind, all.get(kind));
  }

  /**
   * Replaces thresholds by others.
   *
   * @param file its name, for messages
   * @param yaml kinds, each with some of the keys of the shipped file
   */
  public Thresholds with(String file, String yaml) throws InvalidThresholds {
    Map<FaultKind, Map<String, JsonNode>> merged = new EnumMap<>(FaultKind.class);
    all.forEach((kind, values) -> merged.put(kind, new HashMap<>(values)));
    for (Map.Entry<String, JsonNode> entry : document(file, yaml).properties()) {
      FaultKind kind =
          FaultKind.find(entry.getKey())
              .orElseThrow(
                  () ->
                      new InvalidThresholds(file + ": " + entry.getKey() + " is no kind of fault"));
      if (!entry.getValue().isObject()) {
        throw new InvalidThresholds(file + ": " + entry.getKey() + " has no keys");
      }
      for (Map.Entry<String, JsonNode> value : entry.getValue().properties()) {
        check(file + ": " + kind.text() + "." + value.getKey(), kind, value);
        merged.get(kind).put(value.getKey(), value.getValue());
      }
    }
    return new Thresholds(merged);
  }

  private void check(String where, FaultKind kind, Map.Entry<String, JsonNode> value)
      throws InvalidThresholds {
    JsonNode now = all.get(kind).get(value.getKey());
    JsonNode next = value.getValue();
    if (value.getKey().equals("severity")) {
      if (Severity.find(next.asText()).isEmpty()) {
        throw new InvalidThresholds(
            where + ": " + next.asText() + " is not allowed; allowed is info, warning or critical");
      }
    } else if (now == null) {
      throw new InvalidThresholds(
          where + " is unknown; known is " + new TreeMap<>(all.get(kind)).keySet());
    } else if (!next.isNumber() || !next.asText().matches("-?\\d*\\.?\\d+")) {
      throw new InvalidThresholds(where + ": " + next.asText() + " is no number");
    }
  }

  private static JsonNode document(String file, String yaml) throws InvalidThresholds {
    try {
      JsonNode root = YamlTree.read(yaml);
      if (!root.isObject() && !root.isMissingNode()) {
        throw new InvalidThresholds(file + ": kinds of faults with their thresholds are expected");
      }
      return root;
    } catch (BadYaml e) {
      throw new InvalidThresholds(file + ": " + e.getMessage());
    }
  }

  private static Thresholds shipped() {
    Map<FaultKind, Map<String, JsonNode>> all = new EnumMap<>(FaultKind.class);
    try (InputStream in = Thresholds.class.getResourceAsStream(FILE)) {
      JsonNode root = document(FILE, new String(in.readAllBytes(), StandardCharsets.UTF_8));
      for (FaultKind kind : FaultKind.values()) {
        Map<String, JsonNode> values = new HashMap<>();
        root.required(kind.text()).properties().forEach(e -> values.put(e.getKey(), e.getValue()));
        all.put(kind, values);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InvalidThresholds e) {
      throw new IllegalStateException(e);
    }
    return new Thresholds(all);
  }
}
