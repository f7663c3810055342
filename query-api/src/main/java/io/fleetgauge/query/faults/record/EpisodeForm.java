package io.fleetgauge.query.faults.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Episodes as JSON. */
public final class EpisodeForm {
  /** Longest JSON that is written, bytes. */
  static final int MAX_BYTES = RemoteWriteReader.MAX_LABEL_BYTES;

  private static final int MAX_TEXT = 1_000;
  private static final int MAX_WORD = 200;
  private static final ObjectMapper JSON = new ObjectMapper();

  private EpisodeForm() {}

  /** JSON that is short enough for a label: evidence is left out first, then suspects. */
  public static String write(Episode of) {
    ObjectNode all = tree(of);
    String text = all.toString();
    for (String list : List.of("evidence", "related", "suspects")) {
      ArrayNode items = (ArrayNode) all.get(list);
      while (bytes(text) > MAX_BYTES && !items.isEmpty()) {
        items.remove(items.size() - 1);
        text = all.toString();
      }
    }
    if (bytes(text) > MAX_BYTES) {
      // Labels of a place are of a site's choice, and may be as long as any label.
      ((ObjectNode) all.get("labels")).removeAll();
      text = all.toString();
    }
    return text;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static ObjectNode tree(Episode of) {
    Subject subject = of.subject();
    ObjectNode all =
        JSON.createObjectNode()
            .put("episode", of.id())
            .put("kind", of.kind().text())
            .put("severity", of.severity().text())
            .put("host", subject.host())
            .put("uuid", subject.uuid())
            .put("part", subject.part())
            .put("job", subject.job());
    ObjectNode labels = all.putObject("labels");
    for (int i = 0; i < subject.labels().size(); i++) {
      labels.put(subject.labels().name(i), subject.labels().value(i));
    }
    all.put("cause", shortened(of.cause(), MAX_WORD))
        .put("proven", of.proven())
        .put("since", of.since())
        .put("foundAt", of.foundAt())
        .put("lastSeen", of.lastSeen());
    of.over().ifPresent(time -> all.put("over", time));
    all.put("overReason", shortened(of.overReason(), MAX_WORD))
        .put("count", of.count())
        .put("text", shortened(of.text(), MAX_TEXT))
        .put("suspectedCause", shortened(of.suspectedCause(), MAX_WORD))
        .put("shadow", of.shadow());
    ArrayNode evidence = all.putArray("evidence");
    for (Evidence each : of.evidence()) {
      ObjectNode one = evidence.addObject().put("what", shortened(each.what(), MAX_WORD));
      putNumber(one, "before", each.before());
      putNumber(one, "now", each.now());
    }
    ArrayNode suspects = all.putArray("suspects");
    for (Suspect each : of.suspects()) {
      suspects
          .addObject()
          .put("host", each.host())
          .put("uuid", each.uuid())
          .put("rank", each.rank())
          .put("why", shortened(each.why(), MAX_WORD));
    }
    ArrayNode related = all.putArray("related");
    of.related().forEach(related::add);
    return all;
  }

  private static void putNumber(ObjectNode into, String name, double value) {
    if (Double.isFinite(value)) {
      into.put(name, value);
    }
  }

  private static String shortened(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end);
  }

  /** Reads what {@link #write} has written; empty for anything else, such as an unknown kind. */
  public static Optional<Episode> read(String json) {
    try {
      JsonNode all = JSON.readTree(json);
      Optional<FaultKind> kind = FaultKind.find(all.path("kind").asText());
      Optional<Severity> severity = Severity.find(all.path("severity").asText());
      if (kind.isEmpty() || severity.isEmpty() || !all.path("since").isNumber()) {
        return Optional.empty();
      }
      TreeMap<String, String> labels = new TreeMap<>();
      all.path("labels").properties().forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
      Subject subject =
          new Subject(
              all.path("host").asText(),
              all.path("uuid").asText(),
              all.path("part").asText(),
              all.path("job").asText(),
              Labels.of(labels));
      List<Evidence> evidence = new ArrayList<>();
      for (JsonNode each : all.path("evidence")) {
        evidence.add(
            new Evidence(
                each.path("what").asText(),
                each.path("before").asDouble(Double.NaN),
                each.path("now").asDouble(Double.NaN)));
      }
      List<Suspect> suspects = new ArrayList<>();
      for (JsonNode each : all.path("suspects")) {
        suspects.add(
            new Suspect(
                each.path("host").asText(),
                each.path("uuid").asText(),
                each.path("rank").asInt(-1),
                each.path("why").asText()));
      }
      List<String> related = new ArrayList<>();
      all.path("related").forEach(each -> related.add(each.asText()));
      return Optional.of(
          new Episode(
              all.path("episode").asText(),
              kind.get(),
              severity.get(),
              subject,
              all.path("cause").asText(),
              all.path("proven").asBoolean(),
              all.path("since").asLong(),
              all.path("foundAt").asLong(),
              all.path("lastSeen").asLong(),
              all.has("over") ? OptionalLong.of(all.path("over").asLong()) : OptionalLong.empty(),
              all.path("overReason").asText(),
              all.path("count").asInt(),
              all.path("text").asText(),
              evidence,
              suspects,
              all.path("suspectedCause").asText(),
              related,
              all.path("shadow").asBoolean()));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
