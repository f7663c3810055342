package io.fleetgauge.sample.prometheus;

import static io.fleetgauge.sample.wire.ProtobufFields.BYTES;
import static io.fleetgauge.sample.wire.ProtobufFields.FIXED64;
import static io.fleetgauge.sample.wire.ProtobufFields.VARINT;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the body of a remote write, version 1 or 2, before compression: no object a sample, and in
 * version 1 none a series. A sender watches {@link #size} and {@link #samples}, and makes the next
 * body with the same writer, which keeps its buffers. Not for several threads.
 *
 * <p>A series is followed by its samples. Receivers want the samples of a series in the order of
 * their times, and the labels sorted by name.
 *
 * @see RemoteWriteReader
 */
public final class RemoteWriteWriter {
  private static final int SYMBOL = 4 << 3 | BYTES;

  private final Version version;
  private final WireWriter done = new WireWriter(4_096);
  private final WireWriter series = new WireWriter(512);
  private final WireWriter part = new WireWriter(256);
  private final WireWriter span = new WireWriter(32);
  private final WireWriter symbols = new WireWriter(256);
  private final Map<String, Integer> symbolNumbers = new HashMap<>();
  private int samples;

  public RemoteWriteWriter(Version version) {
    this.version = version;
    clear();
  }

  /** Removes the content and keeps the buffers. */
  public RemoteWriteWriter clear() {
    done.clear();
    series.clear();
    samples = 0;
    if (version == Version.V2) {
      symbols.clear().uvar(SYMBOL).uvar(0); // the first symbol is empty
      symbolNumbers.clear();
      symbolNumbers.put("", 0);
    }
    return this;
  }

  /** Begins a series. */
  public RemoteWriteWriter series(Labels labels) {
    endSeries();
    for (int i = 0; i < labels.size(); i++) {
      label(labels.name(i), labels.value(i));
    }
    return endLabels();
  }

  /** Begins a series whose labels, names and values in turn, need not be a label set. */
  public RemoteWriteWriter series(String... labels) {
    endSeries();
    for (int i = 0; i < labels.length; i += 2) {
      label(labels[i], labels[i + 1]);
    }
    return endLabels();
  }

  /** Writes a series with its samples. */
  public RemoteWriteWriter series(Series all) {
    series(all.labels());
    for (int i = 0; i < all.size(); i++) {
      if (all.histograms() == null || all.histograms()[i] == null) {
        sample(all.times()[i], all.values()[i]);
      }
    }
    for (int i = 0; i < all.size(); i++) {
      if (all.histograms() != null && all.histograms()[i] != null) {
        histogram(all.times()[i], all.histograms()[i]);
      }
    }
    return this;
  }

  /**
   * Writes a series with its samples and metadata, in a message of version 2.
   *
   * @param metadata null if there is none
   */
  public RemoteWriteWriter series(Series all, MetricMetadata metadata) {
    series(all);
    if (metadata != null) {
      if (version != Version.V2) {
        throw new IllegalStateException("metadata of version 1 belongs to no series");
      }
      part.clear();
      part.uvar(1 << 3 | VARINT).uvar(type(metadata));
      part.uvar(3 << 3 | VARINT).uvar(symbol(metadata.help()));
      part.uvar(4 << 3 | VARINT).uvar(symbol(metadata.unit()));
      message(series, 5, part);
      part.clear();
    }
    return this;
  }

  private static int type(MetricMetadata of) {
    return Math.max(0, RemoteWriteReader.TYPES.indexOf(of.type()));
  }

  /** A sample of the current series; its value's bits are kept. */
  public RemoteWriteWriter sample(long time, double value) {
    series.uvar(2 << 3 | BYTES).uvar(10 + WireWriter.uvarLength(time));
    series.uvar(1 << 3 | FIXED64).f64(value);
    series.uvar(2 << 3 | VARINT).uvar(time);
    samples++;
    return this;
  }

  /** A histogram as a sample of the current series. */
  public RemoteWriteWriter histogram(long time, Histogram of) {
    part.clear();
    part.uvar(2 << 3 | FIXED64).f64(of.count());
    part.uvar(3 << 3 | FIXED64).f64(of.sum());
    part.uvar(4 << 3 | VARINT).svar(of.schema());
    part.uvar(5 << 3 | FIXED64).f64(of.zeroThreshold());
    part.uvar(7 << 3 | FIXED64).f64(of.zeroCount());
    buckets(of.negative(), 8, 10);
    buckets(of.positive(), 11, 13);
    int hint =
        switch (of.hint()) {
          case UNKNOWN -> 0;
          case RESET -> 1;
          case NOT_RESET -> 2;
          case GAUGE -> 3;
        };
    part.uvar(14 << 3 | VARINT).uvar(hint);
    part.uvar(15 << 3 | VARINT).uvar(time);
    doubles(16, of.customBounds());
    message(series, version == Version.V1 ? 4 : 3, part);
    samples++;
    return this;
  }

  /** Metadata of a metric, in a message of version 1. */
  public RemoteWriteWriter metadata(String metric, MetricMetadata of) {
    if (version != Version.V1) {
      throw new IllegalStateException("metadata of version 2 belongs to a series");
    }
    endSeries();
    part.uvar(1 << 3 | VARINT).uvar(type(of));
    part.uvar(2 << 3 | BYTES).string(metric);
    part.uvar(4 << 3 | BYTES).string(of.help());
    part.uvar(5 << 3 | BYTES).string(of.unit());
    message(done, 3, part);
    part.clear();
    return this;
  }

  /** Samples and histograms so far. */
  public int samples() {
    return samples;
  }

  /** Bytes so far, some bytes less than the body will have. */
  public int size() {
    return done.size() + series.size() + (version == Version.V2 ? symbols.size() : 0);
  }

  /** The body. */
  public byte[] toBytes() {
    endSeries();
    return version == Version.V2 ? symbols.toBytes(done) : done.toBytes();
  }

  private void label(String name, String value) {
    if (version == Version.V1) {
      label(series, name, value);
    } else {
      part.uvar(symbol(name)).uvar(symbol(value));
    }
  }

  /** A label as a message of remote write 1 and of remote read. */
  static void label(WireWriter out, String name, String value) {
    int nameLength = WireWriter.utf8Length(name);
    int valueLength = WireWriter.utf8Length(value);
    int length = 2 + WireWriter.uvarLength(nameLength) + nameLength;
    length += WireWriter.uvarLength(valueLength) + valueLength;
    out.uvar(1 << 3 | BYTES).uvar(length);
    out.uvar(1 << 3 | BYTES).string(name);
    out.uvar(2 << 3 | BYTES).string(value);
  }

  private int symbol(String text) {
    Integer known = symbolNumbers.get(text);
    if (known != null) {
      return known;
    }
    symbols.uvar(SYMBOL).string(text);
    symbolNumbers.put(text, symbolNumbers.size());
    return symbolNumbers.size() - 1;
  }

  private RemoteWriteWriter endLabels() {
    if (version == Version.V2) {
      message(series, 1, part);
    }
    return this;
  }

  private void endSeries() {
    if (series.size() > 0) {
      message(done, version == Version.V1 ? 1 : 5, series);
      series.clear();
    }
    part.clear();
  }

  /** A message within another. */
  static void message(WireWriter out, int field, WireWriter content) {
    out.uvar(field << 3 | BYTES).uvar(content.size()).raw(content.array(), 0, content.size());
  }

  private void buckets(Histogram.Buckets buckets, int spansField, int countsField) {
    int[] indexes = buckets.indexes();
    int next = 0;
    int from = 0;
    while (from < indexes.length) {
      int to = from + 1;
      while (to < indexes.length && indexes[to] == indexes[to - 1] + 1) {
        to++;
      }
      span.clear();
      span.uvar(1 << 3 | VARINT).svar(indexes[from] - next);
      span.uvar(2 << 3 | VARINT).uvar(to - from);
      message(part, spansField, span);
      next = indexes[to - 1] + 1;
      from = to;
    }
    doubles(countsField, buckets.counts());
  }

  private void doubles(int field, double[] numbers) {
    if (numbers.length > 0) {
      part.uvar(field << 3 | BYTES).uvar(8L * numbers.length).f64s(numbers, numbers.length);
    }
  }
}
