package io.fleetgauge.query.faults.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Xid;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes episodes. */
public final class FaultJson {
  private static final Set<String> OWN =
      Set.of(Labels.NAME, "episode", "kind", "severity", "details");

  private static final int BYTES = 4_096;

  private FaultJson() {}

  /** An episode as responses have it, for receivers. */
  public static byte[] bytes(StoredEpisode of, FaultContext context) {
    return Json.write(
            BYTES, (json, bytes) -> write(json, of, context, Set.copyOf(of.episode().related())))
        .getBytes();
  }

  /**
   * Writes an episode.
   *
   * @param visible identities of the episodes that the caller sees: others are not named
   */
  static void write(
      JsonGenerator json, StoredEpisode stored, FaultContext context, Set<String> visible)
      throws IOException {
    Episode of = stored.episode();
    Optional<Xid> xid = xid(of);
    json.writeStartObject();
    json.writeStringField("episode", of.id());
    json.writeStringField("kind", of.kind().text());
    json.writeStringField("title", of.kind().title());
    json.writeStringField("severity", of.severity().text());
    json.writeStringField("state", of.isOpen() ? "open" : "over");
    json.writeStringField("host", of.subject().host());
    json.writeStringField("gpu", stored.labels().value("gpu"));
    json.writeStringField("UUID", of.subject().uuid());
    json.writeStringField("part", of.subject().part());
    json.writeStringField(
        "job", of.subject().job().isEmpty() ? stored.labels().value("job") : of.subject().job());
    json.writeStringField("tenant", stored.labels().value("tenant"));
    json.writeStringField("contact", stored.labels().value("contact"));
    json.writeFieldName("labels");
    Json.labels(json, stored.labels().without(OWN));
    json.writeStringField("cause", of.cause());
    json.writeBooleanField("proven", of.proven());
    json.writeBooleanField("shadow", of.shadow());
    time(json, "since", of.since());
    time(json, "foundAt", of.foundAt());
    if (!of.isOpen()) {
      time(json, "lastSeen", of.lastSeen());
      time(json, "overAt", of.over().getAsLong());
      json.writeStringField("overReason", of.overReason());
    }
    json.writeNumberField("count", of.count());
    json.writeStringField("text", of.text());
    json.writeStringField("meaning", xid.map(Xid::meaning).orElse(of.kind().meaning()));
    json.writeStringField(
        "action", xid.map(code -> code.action().text()).orElse(of.kind().action()));
    json.writeStringField("suspectedCause", of.suspectedCause());
    evidence(json, of.evidence());
    suspects(json, of.suspects());
    json.writeArrayFieldStart("related");
    for (String each : of.related()) {
      if (visible.contains(each)) {
        json.writeString(each);
      }
    }
    json.writeEndArray();
    context(json, context, stored.home());
    json.writeEndObject();
  }

  private static Optional<Xid> xid(Episode of) {
    boolean isXid = of.kind() == FaultKind.XID || of.kind() == FaultKind.XID_APPLICATION;
    return isXid && of.cause().matches("\\d{1,5}")
        ? Optional.of(Xid.of(Integer.parseInt(of.cause())))
        : Optional.empty();
  }

  private static void time(JsonGenerator json, String name, long millis) throws IOException {
    json.writeStringField(name, Instant.ofEpochMilli(millis).toString());
  }

  private static void evidence(JsonGenerator json, List<Evidence> evidence) throws IOException {
    json.writeArrayFieldStart("evidence");
    for (Evidence each : evidence) {
      json.writeStartObject();
      json.writeStringField("what", each.what());
      number(json, "before", each.before());
      number(json, "now", each.now());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void number(JsonGenerator json, String name, double value) throws IOException {
    if (Double.isFinite(value)) {
      json.writeNumberField(name, value);
    } else {
      json.writeNullField(name);
    }
  }

  private static void suspects(JsonGenerator json, List<Suspect> suspects) throws IOException {
    json.writeArrayFieldStart("suspects");
    for (Suspect each : suspects) {
      json.writeStartObject();
      json.writeStringField("host", each.host());
      json.writeStringField("UUID", each.uuid());
      if (each.rank() >= 0) {
        json.writeNumberField("rank", each.rank());
      } else {
        json.writeNullField("rank");
      }
      json.writeStringField("why", each.why());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void context(JsonGenerator json, FaultContext context, String host)
      throws IOException {
    json.writeArrayFieldStart("kernelLines");
    for (FaultContext.Line each : context.lines()) {
      json.writeStartObject();
      time(json, "time", each.time());
      json.writeNumberField("count", each.count());
      json.writeStringField("kind", each.kind());
      json.writeStringField("line", each.text());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("windows");
    for (FaultContext.Window each : context.windows()) {
      json.writeStartObject();
      json.writeStringField("fault", each.fault());
      json.writeStringField("kind", each.kind());
      time(json, "time", each.time());
      json.writeStringField("query", query(host, each.fault()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** The series of a recording. */
  private static String query(String host, String fault) {
    return "{__name__=~\"(gpu|node)_recent_.+\",Hostname=\""
        + escaped(host)
        + "\",fault=\""
        + escaped(fault)
        + "\"}";
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
