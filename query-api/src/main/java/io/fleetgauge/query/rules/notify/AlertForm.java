package io.fleetgauge.query.rules.notify;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.sample.Labels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Writes alerts as Alertmanager's API v2 reads them. */
final class AlertForm {
  /** Part of the path of a request. */
  static final String PATH = "/api/v2/alerts";

  private static final JsonFactory FACTORY = new JsonFactory();
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private AlertForm() {}

  /**
   * One alert.
   *
   * @param labels all that it has
   */
  static byte[] alert(Notice notice, Labels labels) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator json = FACTORY.createGenerator(bytes, JsonEncoding.UTF8)) {
      json.writeStartObject();
      json.writeObjectFieldStart("annotations");
      for (var annotation : notice.annotations().entrySet()) {
        json.writeStringField(annotation.getKey(), annotation.getValue());
      }
      json.writeEndObject();
      json.writeStringField("startsAt", time(notice.startsAt()));
      json.writeStringField("endsAt", time(notice.endsAt()));
      json.writeStringField("generatorURL", notice.generatorUrl());
      json.writeObjectFieldStart("labels");
      for (int i = 0; i < labels.size(); i++) {
        json.writeStringField(labels.name(i), labels.value(i));
      }
      json.writeEndObject();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a byte array has no input or output to fail
    }
    return bytes.toByteArray();
  }

  private static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis));
  }

  /** The body of a request. */
  static byte[] list(List<byte[]> alerts) {
    ByteArrayOutputStream bytes =
        new ByteArrayOutputStream(2 + alerts.stream().mapToInt(each -> each.length + 1).sum());
    bytes.write('[');
    for (int i = 0; i < alerts.size(); i++) {
      if (i > 0) {
        bytes.write(',');
      }
      bytes.writeBytes(alerts.get(i));
    }
    bytes.write(']');
    return bytes.toByteArray();
  }
}
