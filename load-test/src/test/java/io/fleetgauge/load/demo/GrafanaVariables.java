package io.fleetgauge.load.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.demo.GrafanaDashboard.Variable;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of a dashboard's variables, asked for as Grafana's Prometheus data source does it, and
 * put into queries as it does it.
 */
final class GrafanaVariables {
  private static final Pattern USE =
      Pattern.compile("\\$\\{(\\w+)(?::\\w+)?}|\\$(\\w+)|\\[\\[(\\w+)(?::\\w+)?]]");
  private static final Pattern LABEL_VALUES =
      Pattern.compile("label_values\\((?:(.*),)?\\s*(\\w+)\\s*\\)", Pattern.DOTALL);
  private static final Pattern QUERY_RESULT =
      Pattern.compile("query_result\\((.*)\\)", Pattern.DOTALL);
  private static final String ALL = "$__all";

  private final QueryClient client;
  private final long start;
  private final long end;
  private final Map<String, String> values = new HashMap<>();

  /**
   * @param start of the dashboard's range, ms since the epoch
   * @param intervals the built-in variables
   */
  GrafanaVariables(QueryClient client, long start, long end, Map<String, String> intervals) {
    this.client = client;
    this.start = start;
    this.end = end;
    values.putAll(intervals);
  }

  /** Takes the next variable; its query may use those before it. */
  void take(Variable variable) throws IOException, InterruptedException {
    List<String> options = options(variable);
    boolean all = variable.includeAll() && (isAll(variable.saved()) || variable.saved().isEmpty());
    List<String> chosen;
    if (variable.type().equals("query") && all) {
      if (!variable.allValue().isEmpty()) {
        values.put(variable.name(), variable.allValue());
        return;
      }
      chosen = options;
    } else if (variable.type().equals("query")) {
      // A saved value that does not exist is replaced by the first that does.
      List<String> there = variable.saved().stream().filter(options::contains).toList();
      chosen = there.isEmpty() ? options.stream().limit(1).toList() : there;
    } else {
      chosen = variable.saved().isEmpty() ? List.of(variable.query()) : variable.saved();
    }
    values.put(variable.name(), format(variable, chosen));
  }

  private static boolean isAll(List<String> saved) {
    return saved.contains(ALL) || saved.contains("All");
  }

  private static String format(Variable variable, List<String> chosen) {
    if (!variable.multi() && !variable.includeAll()) {
      return chosen.isEmpty() ? "" : chosen.getFirst();
    }
    List<String> escaped =
        chosen.stream()
            .map(value -> value.replaceAll("[$^*{}\\[\\]'+?.()|]", "\\\\\\\\$0"))
            .toList();
    return escaped.size() == 1 ? escaped.getFirst() : "(" + String.join("|", escaped) + ")";
  }

  private List<String> options(Variable variable) throws IOException, InterruptedException {
    if (!variable.type().equals("query")) {
      return List.of();
    }
    String query = put(variable.query());
    Matcher labelValues = LABEL_VALUES.matcher(query);
    List<String> found = new ArrayList<>();
    if (labelValues.matches()) {
      String metric = labelValues.group(1) == null ? "" : labelValues.group(1).strip();
      String path =
          "/api/v1/label/"
              + labelValues.group(2)
              + "/values?start="
              + Numbers.seconds(start)
              + "&end="
              + Numbers.seconds(end)
              + (metric.isEmpty() ? "" : "&match[]=".replace("[]", "%5B%5D") + encode(metric));
      client.json(path).path("data").forEach(value -> found.add(value.asText()));
    } else {
      Matcher result = QUERY_RESULT.matcher(query);
      if (!result.matches()) {
        throw new IllegalArgumentException("a query that Grafana does not know: " + query);
      }
      String path =
          "/api/v1/query?time=" + Numbers.seconds(end) + "&query=" + encode(result.group(1));
      client.json(path).path("data").path("result").forEach(one -> found.add(text(one)));
    }
    return sorted(filtered(found, variable.regex()), variable.sort());
  }

  private static List<String> sorted(List<String> values, int sort) {
    Comparator<String> order =
        switch ((sort + 1) / 2) {
          case 1 -> Comparator.naturalOrder();
          case 2 -> Comparator.comparingDouble(GrafanaVariables::number);
          case 3, 4 -> String.CASE_INSENSITIVE_ORDER;
          default -> (a, b) -> 0;
        };
    return values.stream().sorted(sort > 0 && sort % 2 == 0 ? order.reversed() : order).toList();
  }

  private static double number(String text) {
    return text.matches("\\d+(\\.\\d+)?") ? Double.parseDouble(text) : -1;
  }

  /** A series with its value and time, as {@code query_result} lists it. */
  private static String text(JsonNode sample) {
    StringBuilder text = new StringBuilder(sample.path("metric").path("__name__").asText());
    text.append('{');
    sample
        .path("metric")
        .properties()
        .forEach(
            label -> {
              if (!label.getKey().equals("__name__")) {
                text.append(text.charAt(text.length() - 1) == '{' ? "" : ",");
                text.append(label.getKey()).append("=\"").append(label.getValue().asText());
                text.append('"');
              }
            });
    long millis = Math.round(sample.path("value").path(0).asDouble() * 1000);
    text.append("} ").append(sample.path("value").path(1).asText()).append(' ').append(millis);
    return text.toString();
  }

  private static List<String> filtered(List<String> found, String regex) {
    if (regex.isEmpty()) {
      return found;
    }
    String body =
        regex.startsWith("/") ? regex.substring(1, regex.lastIndexOf('/')) : "^" + regex + "$";
    Pattern pattern = Pattern.compile(body);
    Set<String> kept = new LinkedHashSet<>();
    for (String value : found) {
      Matcher matcher = pattern.matcher(value);
      String last = "";
      boolean matches = false;
      while (matcher.find()) {
        matches = true;
        if (body.contains("(?<value>")) {
          last = matcher.group("value") == null ? last : matcher.group("value");
        } else {
          last = matcher.groupCount() > 0 ? matcher.group(1) : value;
        }
        if (!body.contains("(?<value>")) {
          break;
        }
      }
      if (matches) {
        kept.add(last);
      }
    }
    return List.copyOf(kept);
  }

  /** A query with the values of its variables. */
  String put(String query) {
    return USE.matcher(query)
        .replaceAll(
            use -> {
              String name =
                  use.group(1) != null
                      ? use.group(1)
                      : use.group(2) != null ? use.group(2) : use.group(3);
              return Matcher.quoteReplacement(values.getOrDefault(name, use.group()));
            });
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
