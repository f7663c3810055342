package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Histogram.Buckets;
import io.fleetgauge.sample.Histogram.ResetHint;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the body of a remote write, version 1 or 2, after decompression: one pass, no object a
 * sample. Exemplars are passed over. Not for several threads.
 *
 * <p>In version 1 a label is two strings; in version 2 it is two numbers of strings. Either way the
 * labels of a series can be asked for one by one, and as key bytes: the same bytes mean the same
 * label set.
 *
 * @see <a href="https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/">Remote-Write 2.0</a>
 */
public final class RemoteWriteReader {
  /** Which message a body is. */
  public enum Version {
    V1,
    V2
  }

  /** Takes what is read. */
  public interface Sink {
    /**
     * A series begins; its labels can be asked of {@code reader} until the next one.
     *
     * @return whether its samples are wanted
     * @throws WireException if what it says of itself is broken
     */
    boolean series(RemoteWriteReader reader) throws WireException;

    void sample(long time, double value);

    void histogram(long time, Histogram histogram);

    /** Samples and histograms of a series that were not wanted. */
    void unwanted(int count);

    void exemplars(int count);

    /** What a message of version 1 says of a metric. */
    void metadata(String metric, MetricMetadata metadata);
  }

  /** Most labels of one series. */
  public static final int MAX_LABELS = 256;

  /** Longest name or value of a label, bytes. */
  public static final int MAX_LABEL_BYTES = 16_384;

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final byte[] bytes;
  private final int size;
  private final Version version;
  private final WireReader in;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();

  // Where names and values of the series' labels stand: name, its length, value, its length, ...
  private int[] labels = new int[4 * 16];
  private int labelCount;
  private int labelsFrom;
  private int labelsTo;
  private boolean together;
  private byte[] key = new byte[512];
  private int keySize;

  private int metadataFrom = -1;
  private int[] symbolAt = new int[0];
  private int symbolCount;

  /**
   * @param size how many of the bytes are the body
   */
  public RemoteWriteReader(Version version, byte[] bytes, int size) {
    this.version = version;
    this.bytes = bytes;
    this.size = size;
    this.in = new WireReader(bytes, 0, size);
  }

  // --- the series at hand ---

  public int labelCount() {
    return labelCount;
  }

  /**
   * A label's name.
   *
   * @throws CharacterCodingException if it is not UTF-8
   */
  public String name(int i) throws CharacterCodingException {
    return text(labels[4 * i], labels[4 * i + 1]);
  }

  /**
   * A label's value.
   *
   * @throws CharacterCodingException if it is not UTF-8
   */
  public String value(int i) throws CharacterCodingException {
    return text(labels[4 * i + 2], labels[4 * i + 3]);
  }

  private String text(int at, int length) throws CharacterCodingException {
    return utf8.decode(ByteBuffer.wrap(bytes, at, length)).toString();
  }

  /** A name or value that is to be shown, whatever its bytes are. */
  private String shown(int at, int length) {
    return new String(bytes, at, length, StandardCharsets.UTF_8);
  }

  /** The labels as they came, for a message. */
  public String describe() {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < labelCount; i++) {
      text.append(i == 0 ? "" : ", ").append(shown(labels[4 * i], labels[4 * i + 1]));
      text.append("=\"").append(shown(labels[4 * i + 2], labels[4 * i + 3])).append('"');
    }
    return text.append('}').toString();
  }

  /** An array that holds the key bytes, from {@link #keyFrom} to {@link #keyTo}. */
  public byte[] keyBytes() {
    return together ? bytes : key;
  }

  public int keyFrom() {
    return together ? labelsFrom : 0;
  }

  public int keyTo() {
    return together ? labelsTo : keySize;
  }

  // --- reading ---

  /**
   * Reads the whole body.
   *
   * @throws WireException if it is not what its version says, or beyond a limit
   */
  public void read(Sink sink) throws WireException {
    int seriesField = version == Version.V1 ? 1 : 5;
    if (version == Version.V2) {
      readSymbols();
    }
    in.moveTo(0);
    while (in.position() < size) {
      long tag = in.uvar("a field");
      if (tag == (seriesField << 3 | BYTES)) {
        int length = in.uint(in.left(), "the length of a series");
        series(in.position(), in.position() + length, sink);
      } else if (version == Version.V1 && tag == (3 << 3 | BYTES)) {
        metadata(end(size, "metadata"), sink);
      } else {
        skip(tag, size);
      }
    }
  }

  private void metadata(int end, Sink sink) throws WireException {
    int type = 0;
    String metric = "";
    String help = "";
    String unit = "";
    while (in.position() < end) {
      long tag = in.uvar("a field of metadata");
      if (tag == (1 << 3 | VARINT)) {
        type = (int) in.uvar("a metric's type");
      } else if (tag == (2 << 3 | BYTES)) {
        metric = metadataText(end);
      } else if (tag == (4 << 3 | BYTES)) {
        help = metadataText(end);
      } else if (tag == (5 << 3 | BYTES)) {
        unit = metadataText(end);
      } else {
        skip(tag, end);
      }
    }
    require(in.position() == end, "metadata", end);
    sink.metadata(metric, new MetricMetadata(type(type), help, unit));
  }

  private String metadataText(int end) throws WireException {
    int to = end(end, "a text of metadata");
    String text = shown(in.position(), Math.min(to - in.position(), MAX_LABEL_BYTES));
    in.moveTo(to);
    return text;
  }

  private static String type(int number) {
    return switch (number) {
      case 1 -> "counter";
      case 2 -> "gauge";
      case 3 -> "histogram";
      case 4 -> "gaugehistogram";
      case 5 -> "summary";
      case 6 -> "info";
      case 7 -> "stateset";
      default -> "unknown";
    };
  }

  /** What a message of version 2 says of the metric of the series at hand; null when nothing. */
  public MetricMetadata seriesMetadata() throws WireException {
    if (version != Version.V2 || metadataFrom < 0) {
      return null;
    }
    int back = in.position();
    in.moveTo(metadataFrom);
    int type = 0;
    int help = 0;
    int unit = 0;
    int end = end(size, "metadata");
    while (in.position() < end) {
      long tag = in.uvar("a field of metadata");
      if (tag == (1 << 3 | VARINT)) {
        type = (int) in.uvar("a metric's type");
      } else if (tag == (3 << 3 | VARINT)) {
        help = symbol();
      } else if (tag == (4 << 3 | VARINT)) {
        unit = symbol();
      } else {
        skip(tag, end);
      }
    }
    in.moveTo(back);
    return new MetricMetadata(type(type), symbolText(help), symbolText(unit));
  }

  private String symbolText(int number) {
    return number >= symbolCount
        ? ""
        : shown(symbolAt[2 * number], Math.min(symbolAt[2 * number + 1], MAX_LABEL_BYTES));
  }

  private void readSymbols() throws WireException {
    while (in.position() < size) {
      long tag = in.uvar("a field");
      if (tag == (4 << 3 | BYTES)) {
        int length = in.uint(in.left(), "the length of a symbol");
        if (2 * symbolCount + 2 > symbolAt.length) {
          symbolAt = Arrays.copyOf(symbolAt, Math.max(128, 2 * symbolAt.length));
        }
        symbolAt[2 * symbolCount] = in.position();
        symbolAt[2 * symbolCount + 1] = length;
        symbolCount++;
        in.skip(length, "a symbol");
      } else {
        skip(tag, size);
      }
    }
  }

  private void series(int from, int to, Sink sink) throws WireException {
    labelCount = 0;
    together = version == Version.V1;
    labelsFrom = from;
    labelsTo = from;
    int samplesField = 2;
    int histogramsField = version == Version.V1 ? 4 : 3;
    int exemplarsField = version == Version.V1 ? 3 : 4;
    int samples = 0;
    int histograms = 0;
    int exemplars = 0;
    metadataFrom = -1;
    // Once for the labels, which may stand behind the samples, and once for the samples.
    while (in.position() < to) {
      int at = in.position();
      long tag = in.uvar("a field of a series");
      int field = (int) (tag >>> 3);
      if (field == 1 && (tag & 7) == BYTES) {
        together &= at == labelsTo;
        label(to);
        labelsTo = in.position();
      } else if (field == 1 && version == Version.V2 && (tag & 7) == VARINT) {
        throw new WireException("the label references at byte " + at + " are not packed");
      } else {
        samples += field == samplesField ? 1 : 0;
        histograms += field == histogramsField ? 1 : 0;
        exemplars += field == exemplarsField ? 1 : 0;
        if (field == 5 && (tag & 7) == BYTES) {
          metadataFrom = in.position();
        }
        skip(tag, to);
      }
    }
    require(in.position() == to, "a series", from);
    if (!together) {
      writeKey();
    }
    if (!sink.series(this)) {
      sink.unwanted(samples + histograms);
      return;
    }
    sink.exemplars(exemplars);
    if (samples + histograms > 0) {
      in.moveTo(together ? labelsTo : from);
      while (in.position() < to) {
        long tag = in.uvar("a field of a series");
        if (tag == (samplesField << 3 | BYTES)) {
          sample(end(to, "a sample"), sink);
        } else if (tag == (long) (histogramsField << 3 | BYTES)) {
          histogram(end(to, "a histogram"), sink);
        } else {
          skip(tag, to);
        }
      }
    }
  }

  /** Reads a length and says where what it measures ends. */
  private int end(int to, String what) throws WireException {
    int length = in.uint(in.left(), "the length of " + what);
    int end = in.position() + length;
    require(end <= to, what, in.position());
    return end;
  }

  private static void require(boolean fits, String what, int at) throws WireException {
    if (!fits) {
      throw new WireException(what + " at byte " + at + " does not end where it says");
    }
  }

  private void label(int seriesEnd) throws WireException {
    int end = end(seriesEnd, "a label");
    if (version == Version.V2) {
      while (in.position() < end) {
        int name = symbol();
        require(in.position() < end, "a list of label references", end);
        int value = symbol();
        add(
            symbolAt[2 * name],
            symbolAt[2 * name + 1],
            symbolAt[2 * value],
            symbolAt[2 * value + 1]);
      }
    } else {
      int nameAt = in.position();
      int nameLength = 0;
      int valueAt = in.position();
      int valueLength = 0;
      while (in.position() < end) {
        long tag = in.uvar("a field of a label");
        if (tag == (1 << 3 | BYTES) || tag == (2 << 3 | BYTES)) {
          int length = in.uint(in.left(), "the length of a label's text");
          if (tag == (1 << 3 | BYTES)) {
            nameAt = in.position();
            nameLength = length;
          } else {
            valueAt = in.position();
            valueLength = length;
          }
          in.skip(length, "a label's text");
        } else {
          skip(tag, end);
        }
      }
      add(nameAt, nameLength, valueAt, valueLength);
    }
    require(in.position() == end, "a label", end);
  }

  private int symbol() throws WireException {
    int at = in.position();
    long number = in.uvar("a label reference");
    if (number < 0 || number >= symbolCount) {
      throw new WireException(
          "the label reference "
              + Long.toUnsignedString(number)
              + " at byte "
              + at
              + " is outside the table of "
              + symbolCount
              + " symbols");
    }
    return (int) number;
  }

  private void add(int nameAt, int nameLength, int valueAt, int valueLength) throws WireException {
    if (labelCount == MAX_LABELS) {
      throw new WireException("a series has more than " + MAX_LABELS + " labels");
    }
    if (nameLength > MAX_LABEL_BYTES || valueLength > MAX_LABEL_BYTES) {
      throw new WireException(
          "a label's name or value has "
              + Math.max(nameLength, valueLength)
              + " bytes, allowed are "
              + MAX_LABEL_BYTES);
    }
    if (4 * labelCount == labels.length) {
      labels = Arrays.copyOf(labels, 2 * labels.length);
    }
    labels[4 * labelCount] = nameAt;
    labels[4 * labelCount + 1] = nameLength;
    labels[4 * labelCount + 2] = valueAt;
    labels[4 * labelCount + 3] = valueLength;
    labelCount++;
  }

  /**
   * Names and values behind their lengths, as four bytes that no label of version 1 begins with.
   */
  private void writeKey() {
    keySize = 0;
    for (int i = 0; i < 2 * labelCount; i++) {
      int at = labels[2 * i];
      int length = labels[2 * i + 1];
      if (key.length < keySize + 4 + length) {
        key = Arrays.copyOf(key, 2 * (keySize + 4 + length));
      }
      key[keySize++] = (byte) (0x80 | length >>> 12);
      key[keySize++] = (byte) (length >>> 6 & 63);
      key[keySize++] = (byte) (length & 63);
      System.arraycopy(bytes, at, key, keySize, length);
      keySize += length;
    }
  }

  private void sample(int end, Sink sink) throws WireException {
    double value = 0;
    long time = 0;
    while (in.position() < end) {
      long tag = in.uvar("a field of a sample");
      if (tag == (1 << 3 | FIXED64)) {
        value = in.f64("a sample's value");
      } else if (tag == (2 << 3 | VARINT)) {
        time = in.uvar("a sample's time");
      } else {
        skip(tag, end);
      }
    }
    require(in.position() == end, "a sample", end);
    sink.sample(time, value);
  }

  private void skip(long tag, int end) throws WireException {
    if (tag >>> 3 == 0 || tag >>> 3 > 0x1fffffff) {
      throw new WireException("no field begins before byte " + in.position());
    }
    switch ((int) tag & 7) {
      case VARINT -> in.uvar("a number");
      case FIXED64 -> in.skip(8, "a number");
      case BYTES -> in.skip(in.uint(in.left(), "a length"), "bytes");
      case FIXED32 -> in.skip(4, "a number");
      default ->
          throw new WireException(
              "a field of the unknown wire type " + (tag & 7) + " before byte " + in.position());
    }
    require(in.position() <= end, "a field", in.position());
  }

  // --- histograms ---

  /** Numbers of one histogram, as they come. */
  private static final class Parts {
    private long[] spans = new long[8];
    private int spanCount;
    private double[] counts = new double[8];
    private int count;
    private double before;

    void span(long offset, long length) {
      if (2 * spanCount + 2 > spans.length) {
        spans = Arrays.copyOf(spans, 2 * spans.length);
      }
      spans[2 * spanCount] = offset;
      spans[2 * spanCount + 1] = length;
      spanCount++;
    }

    void delta(long delta) {
      before += delta;
      count(before);
    }

    void count(double value) {
      if (count == counts.length) {
        counts = Arrays.copyOf(counts, 2 * count);
      }
      counts[count++] = value;
    }

    Buckets buckets() throws WireException {
      int[] indexes = new int[count];
      int next = 0;
      long index = 0;
      for (int i = 0; i < spanCount; i++) {
        index += spans[2 * i];
        for (long j = 0; j < spans[2 * i + 1]; j++) {
          if (next == count || index != (int) index) {
            throw new WireException("a histogram's spans need more buckets than it has");
          }
          indexes[next++] = (int) index++;
        }
      }
      if (next != count) {
        throw new WireException(
            "a histogram's spans have " + next + " buckets, its counts are " + count);
      }
      return new Buckets(indexes, Arrays.copyOf(counts, count));
    }
  }

  private void histogram(int end, Sink sink) throws WireException {
    long time = 0;
    int schema = 0;
    int hint = 0;
    double count = 0;
    double sum = 0;
    double zeroThreshold = 0;
    double zeroCount = 0;
    Parts positive = new Parts();
    Parts negative = new Parts();
    double[] bounds = new double[0];
    while (in.position() < end) {
      long tag = in.uvar("a field of a histogram");
      int kind = (int) tag & 7;
      switch ((int) (tag >>> 3)) {
        case 1 -> count = number(kind, tag, end, count);
        case 2 -> count = number(kind, tag, end, count);
        case 3 -> sum = number(kind, tag, end, sum);
        case 4 -> schema = kind == VARINT ? (int) in.svar("a schema") : skipped(tag, end, schema);
        case 5 -> zeroThreshold = number(kind, tag, end, zeroThreshold);
        case 6 -> zeroCount = number(kind, tag, end, zeroCount);
        case 7 -> zeroCount = number(kind, tag, end, zeroCount);
        case 8 -> span(kind, tag, end, negative);
        case 9 -> deltas(kind, tag, end, negative);
        case 10 -> counts(kind, tag, end, negative);
        case 11 -> span(kind, tag, end, positive);
        case 12 -> deltas(kind, tag, end, positive);
        case 13 -> counts(kind, tag, end, positive);
        case 14 -> hint = kind == VARINT ? (int) in.uvar("a hint") : skipped(tag, end, hint);
        case 15 -> {
          if (kind == VARINT) {
            time = in.uvar("a histogram's time");
          } else {
            skip(tag, end);
          }
        }
        case 16 -> {
          Parts values = new Parts();
          counts(kind, tag, end, values);
          int before = bounds.length;
          bounds = Arrays.copyOf(bounds, before + values.count);
          System.arraycopy(values.counts, 0, bounds, before, values.count);
        }
        default -> skip(tag, end);
      }
    }
    require(in.position() == end, "a histogram", end);
    if (hint < 0 || hint >= ResetHint.values().length) {
      throw new WireException("a histogram's hint is " + hint + ", allowed are 0 to 3");
    }
    try {
      sink.histogram(
          time,
          new Histogram(
              schema,
              ResetHint.values()[hint],
              count,
              sum,
              zeroThreshold,
              zeroCount,
              positive.buckets(),
              negative.buckets(),
              bounds));
    } catch (IllegalArgumentException e) {
      throw new WireException("a histogram is not one: " + e.getMessage());
    }
  }

  private int skipped(long tag, int end, int before) throws WireException {
    skip(tag, end);
    return before;
  }

  private double number(int kind, long tag, int end, double before) throws WireException {
    if (kind == FIXED64) {
      return in.f64("a number of a histogram");
    }
    if (kind == VARINT) {
      return in.uvar("a number of a histogram");
    }
    skip(tag, end);
    return before;
  }

  private void span(int kind, long tag, int end, Parts parts) throws WireException {
    if (kind != BYTES) {
      skip(tag, end);
      return;
    }
    int spanEnd = end(end, "a span");
    long offset = 0;
    long length = 0;
    while (in.position() < spanEnd) {
      long field = in.uvar("a field of a span");
      if (field == (1 << 3 | VARINT)) {
        offset = in.svar("a span's offset");
      } else if (field == (2 << 3 | VARINT)) {
        length = in.uvar("a span's length");
      } else {
        skip(field, spanEnd);
      }
    }
    require(in.position() == spanEnd, "a span", spanEnd);
    parts.span(offset, length);
  }

  private void deltas(int kind, long tag, int end, Parts parts) throws WireException {
    if (kind == VARINT) {
      parts.delta(in.svar("a bucket's difference"));
    } else if (kind == BYTES) {
      int listEnd = end(end, "a list of differences");
      while (in.position() < listEnd) {
        parts.delta(in.svar("a bucket's difference"));
      }
      require(in.position() == listEnd, "a list of differences", listEnd);
    } else {
      skip(tag, end);
    }
  }

  private void counts(int kind, long tag, int end, Parts parts) throws WireException {
    if (kind == FIXED64) {
      parts.count(in.f64("a bucket's count"));
    } else if (kind == BYTES) {
      int listEnd = end(end, "a list of numbers");
      while (in.position() < listEnd) {
        parts.count(in.f64("a number of a list"));
      }
      require(in.position() == listEnd, "a list of numbers", listEnd);
    } else {
      skip(tag, end);
    }
  }
}
