package io.fleetgauge.gateway.stream;

import java.util.Locale;

/** Why a stream ended. */
enum End {
  /** It could not be opened. */
  NOT_OPENED,
  /** One of both ends closed the connection, or it broke. */
  CLOSED,
  /** The other end sent nothing for as long as a question may take. */
  SILENT,
  /** A message was not proven. */
  UNPROVEN,
  /** A message could not be understood. */
  MALFORMED;

  /** The value of the metric's label. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
