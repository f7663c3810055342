package io.fleetgauge.sample.prometheus;

import static io.fleetgauge.sample.wire.ProtobufFields.BYTES;
import static io.fleetgauge.sample.wire.ProtobufFields.FIXED64;
import static io.fleetgauge.sample.wire.ProtobufFields.VARINT;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the body of a remote write, version 1 or 2, after decompression: one pass, no object a
 * sample. Exemplars are skipped. Not for several threads.
 *
 * <p>In version 1 a label is two strings; in version 2 it is two numbers of strings. Either way the
 * labels of a series can be asked for one by one, and as key bytes: the same bytes mean the same
 * label set.
 *
 * @see <a href="https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/">Remote-Write 2.0</a>
 */
public final class RemoteWriteReader {
  /** Version of the message. */
  public enum Version {
    V1("application/x-protobuf"),
    V2("application/x-protobuf;proto=io.prometheus.write.v2.Request");

    private final String contentType;

    Version(String contentType) {
      this.contentType = contentType;
    }

    /** The value of the header {@code Content-Type} of a body. */
    public String contentType() {
      return contentType;
    }
  }

  /** Receives what is read. */
  public interface Sink {
    /**
     * A series begins; its labels can be asked of {@code reader} until the next one, unless it has
     * a {@link #problem}.
     *
     * @return whether to read its samples
     * @throws WireException if its metadata is malformed
     */
    boolean series(RemoteWriteReader reader) throws WireException;

    /**
     * A series of a version 1 message begins. Senders keep an order, so a receiver may know which
     * labels come next.
     *
     * @param from where its fields begin in the body
     * @param to where they end
     * @return how many bytes of it are the key bytes of a series that the receiver knows; 0 if it
     *     does not recognise them
     */
    default int known(byte[] body, int from, int to) {
      return 0;
    }

    void sample(long time, double value);

    void histogram(long time, Histogram histogram);

    /** A sample of the current series was a histogram that is none, and is left out. */
    void badHistogram(String why);

    /** The numbers of samples and histograms of a series that was skipped. */
    void unwanted(int samples, int histograms);

    void exemplars(int count);

    /** Metadata of a metric in a version 1 message. */
    void metadata(String metric, MetricMetadata metadata);
  }

  /** Types of metrics, in the order of their numbers. */
  static final List<String> TYPES =
      List.of(
          "unknown",
          "counter",
          "gauge",
          "histogram",
          "gaugehistogram",
          "summary",
          "info",
          "stateset");

  /** Most labels of one series. */
  public static final int MAX_LABELS = 256;

  /** Longest name or value of a label, bytes. */
  public static final int MAX_LABEL_BYTES = 16_384;

  /** About how long the text is that names a series in a message. */
  private static final int SHOWN_CHARS = 1_000;

  /** Field and length, value, and a time of one byte. */
  private static final int MIN_SAMPLE_BYTES = 13;

  private final byte[] bytes;
  private final int size;
  private final Version version;
  private final ProtobufFields in;
  private final HistogramMessage histogram;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();

  // Where names and values of the series' labels stand: name, its length, value, its length, ...
  private int[] labels = new int[4 * 16];
  private int labelCount;
  private int labelsFrom;
  private int labelsTo;
  private boolean together;
  private byte[] key = new byte[512];
  private int keySize;

  /** The first half of a pair of label references; -1 if none waits for the other. */
  private int pendingReference = -1;

  private String problem = "";
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
    this.in = new ProtobufFields(bytes, size);
    this.histogram = new HistogramMessage(in);
  }

  // --- the current series ---

  public int labelCount() {
    return labelCount;
  }

  /**
   * Why the current series cannot be read: its labels refer to symbols that do not exist, or exceed
   * a limit. Empty if it can. The message around it may be read all the same.
   */
  public String problem() {
    return problem;
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

  /** A name or value for a message, even if its bytes are not UTF-8. */
  private String shown(int at, int length) {
    return new String(bytes, at, Math.min(length, MAX_LABEL_BYTES), StandardCharsets.UTF_8);
  }

  /** The labels as they were sent, for a message; the first ones if there are many. */
  public String describe() {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < labelCount && text.length() < SHOWN_CHARS; i++) {
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
   * Reads the body.
   *
   * @throws WireException if it is malformed, or exceeds a limit
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
        int from = in.position();
        if (version != Version.V1 || !isKnown(from, from + length, sink)) {
          series(from, from + length, sink);
        }
      } else if (version == Version.V1 && tag == (3 << 3 | BYTES)) {
        metadata(in.end(size, "metadata"), sink);
      } else {
        in.skipField(tag, size);
      }
    }
  }

  private void metadata(int end, Sink sink) throws WireException {
    int type = 0;
    String metric = "";
    String help = "";
    String unit = "";
    while (in.isBefore(end, "metadata")) {
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
        in.skipField(tag, end);
      }
    }
    sink.metadata(metric, new MetricMetadata(type(type), help, unit));
  }

  private String metadataText(int end) throws WireException {
    int to = in.end(end, "a text of metadata");
    String text = shown(in.position(), Math.min(to - in.position(), MAX_LABEL_BYTES));
    in.moveTo(to);
    return text;
  }

  private static String type(int number) {
    return number > 0 && number < TYPES.size() ? TYPES.get(number) : TYPES.getFirst();
  }

  /** Metadata that a version 2 message carries for the current series; null when there is none. */
  public MetricMetadata seriesMetadata() throws WireException {
    if (version != Version.V2 || metadataFrom < 0) {
      return null;
    }
    int back = in.position();
    in.moveTo(metadataFrom);
    int type = 0;
    int help = 0;
    int unit = 0;
    int end = in.end(size, "metadata");
    while (in.position() < end) {
      long tag = in.uvar("a field of metadata");
      if (tag == (1 << 3 | VARINT)) {
        type = (int) in.uvar("a metric's type");
      } else if (tag == (3 << 3 | VARINT)) {
        help = symbol(in.uvar("a reference of metadata"));
      } else if (tag == (4 << 3 | VARINT)) {
        unit = symbol(in.uvar("a reference of metadata"));
      } else {
        in.skipField(tag, end);
      }
    }
    in.moveTo(back);
    return new MetricMetadata(type(type), symbolText(help), symbolText(unit));
  }

  /** Help and unit are texts for people: one that is missing does not cost the samples. */
  private String symbolText(int number) {
    return number < 0 || number >= symbolCount
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
        in.skipField(tag, size);
      }
    }
  }

  /**
   * Reads a series whose labels are known and that has one sample, as most have: nothing of its
   * labels is looked at. Bytes of any other form are left to {@link #series}.
   *
   * @return whether it was read
   */
  private boolean isKnown(int from, int to, Sink sink) throws WireException {
    int key = sink.known(bytes, from, to);
    int at = from + key;
    if (key == 0
        || to - at < MIN_SAMPLE_BYTES
        || bytes[at] != (2 << 3 | BYTES)
        || bytes[at + 1] != to - at - 2
        || bytes[at + 2] != (1 << 3 | FIXED64)
        || bytes[at + 11] != (2 << 3 | VARINT)) {
      return false;
    }
    in.moveTo(at + 3);
    double value = in.f64("a sample's value");
    in.moveTo(at + 12);
    long time = in.uvar("a sample's time");
    if (in.position() != to) {
      in.moveTo(from);
      return false;
    }
    labelCount = 0;
    problem = "";
    together = true;
    labelsFrom = from;
    labelsTo = at;
    metadataFrom = -1;
    if (sink.series(this)) {
      sink.sample(time, value);
    } else {
      sink.unwanted(1, 0);
    }
    return true;
  }

  private void series(int from, int to, Sink sink) throws WireException {
    labelCount = 0;
    problem = "";
    pendingReference = -1;
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
    // The first pass reads the labels, which may follow the samples; the second reads the samples.
    while (in.position() < to) {
      int at = in.position();
      long tag = in.uvar("a field of a series");
      int field = (int) (tag >>> 3);
      if (field == 1 && (tag & 7) == BYTES) {
        together &= at == labelsTo;
        label(to);
        labelsTo = in.position();
      } else if (field == 1 && version == Version.V2 && (tag & 7) == VARINT) {
        reference(in.uvar("a label reference"));
      } else {
        samples += field == samplesField ? 1 : 0;
        histograms += field == histogramsField ? 1 : 0;
        exemplars += field == exemplarsField ? 1 : 0;
        if (field == 5 && (tag & 7) == BYTES) {
          metadataFrom = in.position();
        }
        in.skipField(tag, to);
      }
    }
    ProtobufFields.require(in.position() == to, "a series", from);
    if (pendingReference >= 0) {
      refuse("it has an odd number of label references");
    }
    if (!together && problem.isEmpty()) {
      writeKey();
    }
    if (!sink.series(this)) {
      sink.unwanted(samples, histograms);
      return;
    }
    sink.exemplars(exemplars);
    if (samples + histograms > 0) {
      in.moveTo(together ? labelsTo : from);
      while (in.position() < to) {
        long tag = in.uvar("a field of a series");
        if (tag == (samplesField << 3 | BYTES)) {
          sample(in.end(to, "a sample"), sink);
        } else if (tag == (long) (histogramsField << 3 | BYTES)) {
          int histogramEnd = in.end(to, "a histogram");
          try {
            Histogram read = histogram.read(histogramEnd);
            sink.histogram(histogram.time(), read);
          } catch (BadHistogram e) {
            sink.badHistogram(e.getMessage());
          }
        } else {
          in.skipField(tag, to);
        }
      }
    }
  }

  private void label(int seriesEnd) throws WireException {
    int end = in.end(seriesEnd, "a label");
    if (version == Version.V2) {
      while (in.isBefore(end, "a label")) {
        reference(in.uvar("a label reference"));
      }
    } else {
      int nameAt = in.position();
      int nameLength = 0;
      int valueAt = in.position();
      int valueLength = 0;
      while (in.isBefore(end, "a label")) {
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
          in.skipField(tag, end);
        }
      }
      add(nameAt, nameLength, valueAt, valueLength);
    }
  }

  /** Takes the next of the references of a series: those of names and values alternate. */
  private void reference(long number) {
    int symbol = symbol(number);
    if (symbol < 0) {
      refuse(
          "the label reference "
              + Long.toUnsignedString(number)
              + " is outside the table of "
              + symbolCount
              + " symbols");
    } else if (pendingReference < 0) {
      pendingReference = symbol;
    } else {
      int name = pendingReference;
      pendingReference = -1;
      add(
          symbolAt[2 * name],
          symbolAt[2 * name + 1],
          symbolAt[2 * symbol],
          symbolAt[2 * symbol + 1]);
    }
  }

  /** The place of a symbol in the table; -1 if there is none. */
  private int symbol(long number) {
    return number < 0 || number >= symbolCount ? -1 : (int) number;
  }

  /** The first problem of a series is the one that is told. */
  private void refuse(String why) {
    if (problem.isEmpty()) {
      problem = why;
    }
  }

  private void add(int nameAt, int nameLength, int valueAt, int valueLength) {
    if (labelCount == MAX_LABELS) {
      refuse("it has more than " + MAX_LABELS + " labels");
      return;
    }
    if (nameLength > MAX_LABEL_BYTES || valueLength > MAX_LABEL_BYTES) {
      refuse(
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
    while (in.isBefore(end, "a sample")) {
      long tag = in.uvar("a field of a sample");
      if (tag == (1 << 3 | FIXED64)) {
        value = in.f64("a sample's value");
      } else if (tag == (2 << 3 | VARINT)) {
        time = in.uvar("a sample's time");
      } else {
        in.skipField(tag, end);
      }
    }
    sink.sample(time, value);
  }
}
