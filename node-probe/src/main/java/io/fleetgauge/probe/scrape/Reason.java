package io.fleetgauge.probe.scrape;

import java.util.Locale;

/** Why a scrape failed, or a sample was refused. */
enum Reason {
  /** No connection, or it broke. */
  CONNECTION,
  TIMEOUT,
  STATUS,
  CONTENT_TYPE,
  /** The bytes could not be unpacked. */
  ENCODING,
  BODY_LIMIT,
  SAMPLE_LIMIT,
  LABEL_LIMIT,
  /** The page is not of its format. */
  PAGE,
  /** A series is twice on a page, or has another value at a time that it had before. */
  DUPLICATE,
  OUT_OF_ORDER,
  /** A timestamp is too far from now. */
  OUT_OF_BOUNDS,
  /** Too many different timestamps are on a page. */
  TIMES_LIMIT;

  /** Tells whether it concerns one sample, and not the whole page. */
  boolean isOfSample() {
    return compareTo(DUPLICATE) >= 0;
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
