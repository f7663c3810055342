package io.fleetgauge.query.faults.tell;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;

/** Log records of OpenTelemetry: OTLP over HTTP, as protobuf's JSON has it. */
final class OtlpForm implements ReceiverForm {
  private static final int BATCH = 100;
  private static final String NANOS = "000000";

  @Override
  public int batch() {
    return BATCH;
  }

  @Override
  public byte[] item(Told told) {
    Episode episode = told.episode();
    return ReceiverForm.json(
        json -> {
          json.writeStartObject();
          json.writeObjectFieldStart("resource");
          json.writeArrayFieldStart("attributes");
          attribute(json, "service.name", "fleetgauge");
          attribute(json, "host.name", told.host());
          json.writeEndArray();
          json.writeEndObject();
          json.writeArrayFieldStart("scopeLogs");
          json.writeStartObject();
          json.writeObjectFieldStart("scope");
          json.writeStringField("name", "fleetgauge.faults");
          json.writeEndObject();
          json.writeArrayFieldStart("logRecords");
          record(json, told, title(told) + ": " + episode.text(), "fault");
          if (episode.isOpen()) {
            for (String line : told.lines()) {
              record(json, told, line, "kernel");
            }
          }
          json.writeEndArray();
          json.writeEndObject();
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static String title(Told told) {
    String title = told.episode().kind().title();
    return told.episode().isOpen() ? title : title + ", over";
  }

  private static void record(JsonGenerator json, Told told, String text, String source)
      throws IOException {
    Episode episode = told.episode();
    json.writeStartObject();
    json.writeStringField("timeUnixNano", told.time() + NANOS);
    json.writeStringField("observedTimeUnixNano", episode.lastSeen() + NANOS);
    Severity severity = episode.isOpen() ? episode.severity() : Severity.INFO;
    json.writeNumberField("severityNumber", number(severity));
    json.writeStringField("severityText", severity.text());
    json.writeObjectFieldStart("body");
    json.writeStringField("stringValue", text);
    json.writeEndObject();
    json.writeArrayFieldStart("attributes");
    attribute(json, "source", source);
    attribute(json, "fault.id", episode.id());
    attribute(json, "fault.kind", episode.kind().text());
    attribute(json, "fault.state", told.state().text());
    attribute(json, "fault.cause", episode.cause());
    attribute(json, "gpu.index", told.label("gpu"));
    attribute(json, "gpu.uuid", episode.subject().uuid());
    attribute(json, "job", told.job());
    attribute(json, "tenant", told.label("tenant"));
    json.writeEndArray();
    json.writeEndObject();
  }

  /** The number that OpenTelemetry gives a severity. */
  private static int number(Severity severity) {
    return switch (severity) {
      case INFO -> 9;
      case WARNING -> 13;
      case CRITICAL -> 17;
    };
  }

  private static void attribute(JsonGenerator json, String key, String value) throws IOException {
    if (!value.isEmpty()) {
      json.writeStartObject();
      json.writeStringField("key", key);
      json.writeObjectFieldStart("value");
      json.writeStringField("stringValue", value);
      json.writeEndObject();
      json.writeEndObject();
    }
  }

  @Override
  public String before() {
    return "{\"resourceLogs\":[";
  }

  @Override
  public String behind() {
    return "]}";
  }
}
