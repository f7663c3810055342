package io.fleetgauge.query.faults.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A job that runs, and what detectors think of it.
 *
 * @param labels of its owner
 * @param verdicts by kind of fault
 */
record JobRow(Labels labels, Map<String, Verdict> verdicts) {
  private static final Set<String> OF_VERDICT =
      Set.of(Labels.NAME, "Hostname", "kind", "verdict", "reason");

  /**
   * A verdict as it was stored.
   *
   * @param at its newest sample, ms since the epoch
   */
  private record Verdict(String state, String reason, long at) {}

  /**
   * The jobs that series tell, by name.
   *
   * @param series of {@code FaultSeries.VERDICT}
   */
  static List<JobRow> of(List<Series> series) {
    Map<Labels, JobRow> jobs = new HashMap<>();
    for (Series each : series) {
      int newest = each.size() - 1;
      if (newest < 0 || Staleness.isMarker(each.values()[newest])) {
        continue;
      }
      Labels labels = each.labels();
      Verdict verdict =
          new Verdict(labels.value("verdict"), labels.value("reason"), each.times()[newest]);
      jobs.computeIfAbsent(labels.without(OF_VERDICT), owner -> new JobRow(owner, new TreeMap<>()))
          .verdicts
          .merge(labels.value("kind"), verdict, (a, b) -> b.at > a.at ? b : a);
    }
    List<JobRow> all = new ArrayList<>(jobs.values());
    all.sort((a, b) -> a.labels.compareTo(b.labels));
    return all;
  }

  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("job", labels.value("job"));
    json.writeStringField("tenant", labels.value("tenant"));
    json.writeFieldName("labels");
    Json.labels(json, labels);
    json.writeArrayFieldStart("verdicts");
    for (Map.Entry<String, Verdict> each : verdicts.entrySet()) {
      json.writeStartObject();
      json.writeStringField("kind", each.getKey());
      json.writeStringField("verdict", each.getValue().state);
      json.writeStringField("reason", each.getValue().reason);
      json.writeStringField("at", Instant.ofEpochMilli(each.getValue().at).toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
