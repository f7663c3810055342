package io.fleetgauge.query.prices;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import java.math.BigDecimal;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Reads {@code report.carbon}, as CSV or YAML; docs/report.md describes both. */
final class CarbonReader {
  private static final String DEFAULT = "default";
  private static final int MOST_ENTRIES = 1_000_000;

  private final NavigableMap<Long, BigDecimal> byTime = new TreeMap<>();
  private final Problems problems = new Problems();
  private Optional<BigDecimal> otherwise = Optional.empty();

  private CarbonReader() {}

  /** Lines such as {@code 2026-11-01T00:00:00Z,312}, and {@code default,380}. */
  static RateFile.Content<Carbon> readCsv(String csv) {
    CarbonReader reader = new CarbonReader();
    int number = 0;
    boolean isFirst = true;
    for (String line : csv.split("\r\n|\n|\r", -1)) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] fields = line.split(",", -1);
      String key = unquoted(fields[0]);
      boolean isHead = isFirst && !key.equals(DEFAULT) && key.matches("[^\\d\uFFFD].*");
      isFirst = false;
      if (!isHead) {
        reader.add("line " + number, key, fields.length == 2 ? unquoted(fields[1]) : line);
      }
    }
    return reader.content();
  }

  private static String unquoted(String field) {
    String text = field.strip();
    return text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")
        ? text.substring(1, text.length() - 1).strip()
        : text;
  }

  /** {@code default} and {@code hours}, a map of times. */
  static RateFile.Content<Carbon> readYaml(String yaml, Carbon before) {
    JsonNode root;
    try {
      root = YamlTree.read(yaml);
    } catch (BadYaml e) {
      return RateFile.Content.none(before, e.getMessage());
    }
    if (!root.isMissingNode() && !root.has(DEFAULT) && !root.path("hours").isObject()) {
      return RateFile.Content.none(before, "there is neither default nor hours");
    }
    CarbonReader reader = new CarbonReader();
    for (Map.Entry<String, JsonNode> each : root.properties()) {
      switch (each.getKey()) {
        case DEFAULT -> reader.add(DEFAULT, DEFAULT, text(each.getValue()));
        case "hours" ->
            each.getValue()
                .properties()
                .forEach(
                    hour ->
                        reader.add(
                            "the entry " + RateForm.shown(hour.getKey()),
                            hour.getKey(),
                            text(hour.getValue())));
        default -> reader.problems.add(RateForm.shown(each.getKey()) + " is unknown");
      }
    }
    return reader.content();
  }

  private static String text(JsonNode value) {
    return value.isValueNode() ? value.asText() : "";
  }

  private void add(String where, String key, String value) {
    Optional<BigDecimal> grams = RateForm.number(value);
    OptionalLong time =
        key.equals(DEFAULT) ? OptionalLong.of(0) : RateForm.time(key, ZoneOffset.UTC);
    if (grams.isEmpty() || time.isEmpty()) {
      problems.add(
          where
              + " is left out: "
              + RateForm.shown(time.isEmpty() ? key : value)
              + (time.isEmpty() ? " is no RFC 3339 time" : " is no number of g of CO2 a kWh"));
    } else if (key.equals(DEFAULT)) {
      otherwise = grams;
    } else if (byTime.size() >= MOST_ENTRIES) {
      problems.add(where + " is left out: there are more than " + MOST_ENTRIES);
    } else if (byTime.putIfAbsent(time.getAsLong(), grams.get()) != null) {
      problems.add(where + " is left out: an entry before has the same time");
    }
  }

  private RateFile.Content<Carbon> content() {
    return problems.content(new Carbon(byTime, otherwise));
  }
}
