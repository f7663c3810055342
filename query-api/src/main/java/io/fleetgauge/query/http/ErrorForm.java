package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.buffer.Buffer;

/** The form in which a route reports failures. */
enum ErrorForm {
  /** Prometheus's envelope. */
  ENVELOPE("application/json"),
  /** Prometheus's envelope with the text under {@code message} too, which Grafana shows. */
  ENVELOPE_WITH_MESSAGE("application/json"),
  /** The text and a line break. */
  TEXT("text/plain; charset=utf-8");

  final String contentType;

  ErrorForm(String contentType) {
    this.contentType = contentType;
  }

  Buffer body(QueryFailure failure) {
    return switch (this) {
      case ENVELOPE -> Json.error(failure, false);
      case ENVELOPE_WITH_MESSAGE -> Json.error(failure, true);
      case TEXT -> Buffer.buffer(failure.getMessage() + "\n");
    };
  }
}
