package io.fleetgauge.query.faults.tell;

import java.nio.charset.StandardCharsets;

/** One fault in each request: its state, and all that {@code /api/v1/faults} says of it. */
final class WebhookForm implements ReceiverForm {
  @Override
  public int batch() {
    return 1;
  }

  @Override
  public byte[] item(Told told) {
    return ReceiverForm.json(
        json -> {
          json.writeStartObject();
          json.writeNumberField("version", 1);
          json.writeStringField("state", told.state().text());
          json.writeFieldName("fault");
          json.writeRawValue(new String(told.json(), StandardCharsets.UTF_8));
          json.writeEndObject();
        });
  }

  @Override
  public String before() {
    return "";
  }

  @Override
  public String behind() {
    return "";
  }
}
