package io.fleetgauge.load.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Queries of a dashboard file of Grafana. */
record GrafanaDashboard(String name, List<Panel> panels, List<Variable> variables) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A panel with queries.
   *
   * @param place among the panels with queries, from 1; ids are not unique in every file
   */
  record Panel(int place, String title, List<Target> targets) {}

  /** A query of a panel. */
  record Target(String text, boolean instant) {}

  /**
   * A variable.
   *
   * @param sort 1 by text, 3 by number, 5 and 7 by text without case; one more to turn it round
   * @param saved its value in the file
   */
  record Variable(
      String name,
      String type,
      String query,
      String regex,
      boolean multi,
      boolean includeAll,
      String allValue,
      int sort,
      List<String> saved) {}

  static GrafanaDashboard read(Path file) throws IOException {
    JsonNode root = JSON.readTree(file.toFile());
    List<Panel> panels = new ArrayList<>();
    panels(root, panels);
    List<Variable> variables = new ArrayList<>();
    root.path("templating").path("list").forEach(node -> variables.add(variable(node)));
    String name = file.getFileName().toString().replace(".json", "");
    return new GrafanaDashboard(name, panels, variables);
  }

  private static void panels(JsonNode of, List<Panel> out) {
    for (JsonNode panel : of.path("panels")) {
      List<Target> targets = new ArrayList<>();
      for (JsonNode target : panel.path("targets")) {
        String text = target.path("expr").asText("");
        if (!text.isEmpty()) {
          targets.add(new Target(text, target.path("instant").asBoolean(false)));
        }
      }
      if (!targets.isEmpty()) {
        out.add(new Panel(out.size() + 1, panel.path("title").asText("").strip(), targets));
      }
      panels(panel, out);
    }
    of.path("rows").forEach(row -> panels(row, out));
  }

  private static Variable variable(JsonNode node) {
    JsonNode query = node.path("query");
    List<String> saved = new ArrayList<>();
    JsonNode value = node.path("current").path("value");
    if (value.isArray()) {
      value.forEach(each -> saved.add(each.asText()));
    } else if (!value.isMissingNode()) {
      saved.add(value.asText());
    }
    return new Variable(
        node.path("name").asText(),
        node.path("type").asText(),
        query.isObject() ? query.path("query").asText() : query.asText(""),
        node.path("regex").asText(""),
        node.path("multi").asBoolean(false),
        node.path("includeAll").asBoolean(false),
        node.path("allValue").asText(""),
        node.path("sort").asInt(0),
        saved);
  }
}
