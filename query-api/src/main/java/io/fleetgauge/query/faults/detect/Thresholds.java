package io.fleetgauge.query.faults.detect;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

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

    /** Selectors of labels. */
    List<List<Matcher>> selectors(String key) {
      return Thresholds.selectors(get(key)).orElseThrow();
    }

    /**
     * A record with the thresholds that its components name: a time, which is a {@code long}, is in
     * ms.
     */
    <R extends Record> R as(Class<R> type) {
      RecordComponent[] components = type.getRecordComponents();
      Class<?>[] types = new Class<?>[components.length];
      Object[] read = new Object[components.length];
      for (int i = 0; i < components.length; i++) {
        String key = components[i].getName();
        types[i] = components[i].getType();
        read[i] = value(types[i], key);
      }
      try {
        return type.getDeclaredConstructor(types).newInstance(read);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    private Object value(Class<?> type, String key) {
      if (type == long.class) {
        return millis(key);
      }
      return type == int.class ? (Object) (int) number(key) : (Object) number(key);
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
   * Replaces thresholds by others. An entry that cannot be used is left out, so that a file may be
   * for a newer version too.
   *
   * @param file its name, for messages
   * @param yaml kinds, each with some of the keys of the shipped file
   * @param leftOut takes a message for each entry that is left out: which and why
   * @throws InvalidThresholds if it has no entries at all, and is not empty
   */
  public Thresholds with(String file, String yaml, Consumer<String> leftOut)
      throws InvalidThresholds {
    Map<FaultKind, Map<String, JsonNode>> merged = new EnumMap<>(FaultKind.class);
    all.forEach((kind, values) -> merged.put(kind, new HashMap<>(values)));
    for (Map.Entry<String, JsonNode> entry : document(file, yaml).properties()) {
      Optional<FaultKind> kind = FaultKind.find(entry.getKey());
      if (kind.isEmpty() || !entry.getValue().isObject()) {
        leftOut.accept(
            file
                + ": "
                + entry.getKey()
                + (kind.isEmpty()
                    ? " is no kind of fault; docs/faults.md has them"
                    : " has no keys"));
        continue;
      }
      for (Map.Entry<String, JsonNode> value : entry.getValue().properties()) {
        Optional<String> problem = problem(kind.get(), value.getKey(), value.getValue());
        if (problem.isPresent()) {
          leftOut.accept(file + ": " + entry.getKey() + "." + value.getKey() + problem.get());
        } else {
          merged.get(kind.get()).put(value.getKey(), value.getValue());
        }
      }
    }
    return new Thresholds(merged);
  }

  private Optional<String> problem(FaultKind kind, String key, JsonNode next) {
    String text = next.isValueNode() ? next.asText() : next.toString();
    if (key.equals("severity")) {
      return Severity.find(text).isPresent()
          ? Optional.empty()
          : Optional.of(": " + text + " is not allowed; allowed is info, warning or critical");
    }
    if (!all.get(kind).containsKey(key)) {
      Set<String> known = new TreeSet<>(all.get(kind).keySet());
      known.add("severity");
      return Optional.of(" is unknown; known is " + known);
    }
    if (all.get(kind).get(key).isArray()) {
      return selectors(next).isPresent()
          ? Optional.empty()
          : Optional.of(": " + text + " is no list of selectors such as '{partition=\"debug\"}'");
    }
    return next.isNumber() && text.matches("-?\\d*\\.?\\d+")
        ? Optional.empty()
        : Optional.of(": " + text + " is no number; times are in seconds, without a unit");
  }

  /** Empty if it is no list of selectors. */
  private static Optional<List<List<Matcher>>> selectors(JsonNode list) {
    List<List<Matcher>> all = new ArrayList<>();
    try {
      for (JsonNode each : list) {
        all.add(List.copyOf(Parser.parseSelector(each.asText())));
      }
    } catch (ParseException e) {
      return Optional.empty();
    }
    return list.isArray() ? Optional.of(List.copyOf(all)) : Optional.empty();
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
