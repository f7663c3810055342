package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.sample.wire.WireWriter;

/**
 * Builds messages of remote write 1 and 2 for tests, field by field as Prometheus's proto files.
 */
final class WriteRequest {
  private static final int BYTES = 2;
  private static final int FIXED64 = 1;

  private final WireWriter message = new WireWriter();

  private static void tag(WireWriter out, int field, int type) {
    out.uvar(field << 3 | type);
  }

  private static void message(WireWriter out, int field, WireWriter inner) {
    tag(out, field, BYTES);
    out.uvar(inner.size()).raw(inner.array(), 0, inner.size());
  }

  private static void text(WireWriter out, int field, String text) {
    tag(out, field, BYTES);
    out.string(text);
  }

  /** A series of version 1 with one sample. */
  WriteRequest series(long time, double value, String... namesAndValues) {
    WireWriter series = new WireWriter();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      WireWriter label = new WireWriter();
      text(label, 1, namesAndValues[i]);
      text(label, 2, namesAndValues[i + 1]);
      message(series, 1, label);
    }
    WireWriter sample = new WireWriter();
    tag(sample, 1, FIXED64);
    sample.f64(value);
    tag(sample, 2, 0);
    sample.uvar(time);
    message(series, 2, sample);
    message(message, 1, series);
    return this;
  }

  /** A series of version 1 with one native histogram, of so many observations of zero. */
  WriteRequest histogram(long time, int count, String... namesAndValues) {
    WireWriter series = new WireWriter();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      WireWriter label = new WireWriter();
      text(label, 1, namesAndValues[i]);
      text(label, 2, namesAndValues[i + 1]);
      message(series, 1, label);
    }
    WireWriter histogram = new WireWriter();
    tag(histogram, 1, 0);
    histogram.uvar(count);
    tag(histogram, 5, FIXED64);
    histogram.f64(0.001);
    tag(histogram, 6, 0);
    histogram.uvar(count);
    tag(histogram, 15, 0);
    histogram.uvar(time);
    message(series, 4, histogram);
    message(message, 1, series);
    return this;
  }

  /** A series of version 1 with one label of any bytes. */
  WriteRequest seriesOfBytes(long time, double value, byte[] name, byte[] labelValue) {
    WireWriter label = new WireWriter();
    tag(label, 1, BYTES);
    label.uvar(name.length).raw(name, 0, name.length);
    tag(label, 2, BYTES);
    label.uvar(labelValue.length).raw(labelValue, 0, labelValue.length);
    WireWriter series = new WireWriter();
    message(series, 1, label);
    WireWriter sample = new WireWriter();
    tag(sample, 1, FIXED64);
    sample.f64(value);
    tag(sample, 2, 0);
    sample.uvar(time);
    message(series, 2, sample);
    message(message, 1, series);
    return this;
  }

  /** Metadata of version 1: type 2 is a gauge. */
  WriteRequest gauge(String metric, String help) {
    WireWriter metadata = new WireWriter();
    tag(metadata, 1, 0);
    metadata.uvar(2);
    text(metadata, 2, metric);
    text(metadata, 4, help);
    message(message, 3, metadata);
    return this;
  }

  byte[] bytes() {
    return message.toBytes();
  }

  int size() {
    return message.size();
  }

  /** A message of version 2 with one series of one sample. */
  static byte[] version2(long time, double value, String... namesAndValues) {
    WireWriter out = new WireWriter();
    text(out, 4, ""); // the first symbol is always empty
    for (String symbol : namesAndValues) {
      text(out, 4, symbol);
    }
    WireWriter refs = new WireWriter();
    for (int i = 0; i < namesAndValues.length; i++) {
      refs.uvar(i + 1);
    }
    WireWriter series = new WireWriter();
    message(series, 1, refs);
    WireWriter sample = new WireWriter();
    tag(sample, 1, FIXED64);
    sample.f64(value);
    tag(sample, 2, 0);
    sample.uvar(time);
    message(series, 2, sample);
    message(out, 5, series);
    return out.toBytes();
  }
}
