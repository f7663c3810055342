package io.fleetgauge.query.faults.tell;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The form in which a receiver wants faults: a request has one or several items. */
interface ReceiverForm {
  /** Most items of a request. */
  int batch();

  /** One episode, in JSON. */
  byte[] item(Told told);

  /** The text before and behind the items of a request, which commas separate. */
  String before();

  String behind();

  /** The body of a request. */
  default byte[] body(List<byte[]> items) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1_024);
    bytes.writeBytes(before().getBytes(StandardCharsets.UTF_8));
    for (int i = 0; i < items.size(); i++) {
      if (i > 0) {
        bytes.write(',');
      }
      bytes.writeBytes(items.get(i));
    }
    bytes.writeBytes(behind().getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** Writes JSON. */
  @FunctionalInterface
  interface Writing {
    void to(JsonGenerator json) throws IOException;
  }

  /** The bytes of what is written. */
  static byte[] json(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1_024);
    try (JsonGenerator json = new JsonFactory().createGenerator(bytes, JsonEncoding.UTF8)) {
      writing.to(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a byte array has no input or output to fail
    }
    return bytes.toByteArray();
  }
}
