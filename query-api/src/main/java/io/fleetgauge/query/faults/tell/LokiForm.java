package io.fleetgauge.query.faults.tell;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.faults.episode.Episode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Streams of Loki's push API: one of the fault, and one of the kernel's lines, with host, GPU and
 * job as labels.
 */
final class LokiForm implements ReceiverForm {
  private static final int BATCH = 100;
  private static final String NANOS = "000000";

  @Override
  public int batch() {
    return BATCH;
  }

  @Override
  public byte[] item(Told told) {
    byte[] both =
        ReceiverForm.json(
            json -> {
              json.writeStartArray();
              stream(json, told, "fault");
              line(json, told, new String(told.json(), StandardCharsets.UTF_8));
              end(json);
              if (!told.lines().isEmpty() && told.episode().isOpen()) {
                stream(json, told, "kernel");
                for (String each : told.lines()) {
                  line(json, told, each);
                }
                end(json);
              }
              json.writeEndArray();
            });
    // Without the brackets: commas separate the streams of a request.
    byte[] streams = new byte[both.length - 2];
    System.arraycopy(both, 1, streams, 0, streams.length);
    return streams;
  }

  private static void stream(JsonGenerator json, Told told, String source) throws IOException {
    Episode episode = told.episode();
    json.writeStartObject();
    json.writeObjectFieldStart("stream");
    json.writeStringField("service_name", "fleetgauge");
    json.writeStringField("source", source);
    json.writeStringField("kind", episode.kind().text());
    json.writeStringField("severity", episode.severity().text());
    label(json, "Hostname", told.host());
    label(json, "gpu", told.label("gpu"));
    label(json, "job", told.job());
    label(json, "tenant", told.label("tenant"));
    json.writeEndObject();
    json.writeArrayFieldStart("values");
  }

  private static void label(JsonGenerator json, String name, String value) throws IOException {
    if (!value.isEmpty()) {
      json.writeStringField(name, value);
    }
  }

  private static void line(JsonGenerator json, Told told, String text) throws IOException {
    json.writeStartArray();
    json.writeString(told.time() + NANOS);
    json.writeString(text);
    json.writeEndArray();
  }

  private static void end(JsonGenerator json) throws IOException {
    json.writeEndArray();
    json.writeEndObject();
  }

  @Override
  public String before() {
    return "{\"streams\":[";
  }

  @Override
  public String behind() {
    return "]}";
  }
}
