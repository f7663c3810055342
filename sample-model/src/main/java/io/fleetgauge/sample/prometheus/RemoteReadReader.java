package io.fleetgauge.sample.prometheus;

import static io.fleetgauge.sample.wire.ProtobufFields.BYTES;
import static io.fleetgauge.sample.wire.ProtobufFields.FIXED64;
import static io.fleetgauge.sample.wire.ProtobufFields.VARINT;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Reads responses of remote read, in both forms that {@link RemoteRead} draws. Any bytes give
 * series or a {@link WireException}. Not for several threads.
 */
public final class RemoteReadReader {
  private static final int XOR = 1;

  private static final int MOST_FRAME = 64 << 20;

  private final ReadBudget budget;
  private final List<Map<Labels, SampleList>> results = new ArrayList<>();
  private boolean hasHistograms;

  /**
   * @param queries how many there are in the request
   */
  public RemoteReadReader(int queries, ReadBudget budget) {
    this.budget = budget;
    for (int i = 0; i < queries; i++) {
      results.add(new LinkedHashMap<>());
    }
  }

  /**
   * Returns true if chunks with histograms were left out; a response with samples has them as
   * messages.
   */
  public boolean hasHistograms() {
    return hasHistograms;
  }

  /** What was read: the series of each query, in order of their labels. */
  public List<List<Series>> series() {
    List<List<Series>> all = new ArrayList<>();
    for (Map<Labels, SampleList> result : results) {
      List<Series> series = new ArrayList<>();
      result.forEach(
          (labels, samples) -> {
            if (samples.size() > 0) {
              series.add(samples.series(labels));
            }
          });
      series.sort(Comparator.comparing(Series::labels));
      all.add(series);
    }
    return all;
  }

  // --- chunks ---

  /** Reads frames with chunks: the whole body. */
  public void chunks(byte[] body) throws WireException {
    ProtobufFields in = new ProtobufFields(body, body.length);
    while (in.left() > 0) {
      int length = in.uint(MOST_FRAME, "the length of a frame");
      int at = in.position();
      in.skip(4, "the check of a frame");
      int check =
          (body[at] & 0xff) << 24
              | (body[at + 1] & 0xff) << 16
              | (body[at + 2] & 0xff) << 8
              | body[at + 3] & 0xff;
      int from = in.position();
      in.skip(length, "a frame");
      CRC32C found = new CRC32C();
      found.update(body, from, length);
      if ((int) found.getValue() != check) {
        throw new WireException("the frame at byte " + at + " is damaged");
      }
      in.moveTo(from);
      frame(in, body, from + length);
    }
  }

  private void frame(ProtobufFields in, byte[] body, int end) throws WireException {
    // The number of the query stands after the series.
    int query = 0;
    List<Integer> series = new ArrayList<>();
    while (in.isBefore(end, "a frame")) {
      long tag = in.uvar("a field of a frame");
      if (tag == (1 << 3 | BYTES)) {
        series.add(in.position());
        in.moveTo(in.end(end, "a series"));
      } else if (tag == (2 << 3 | VARINT)) {
        query = in.uint(Integer.MAX_VALUE, "the number of a query");
      } else {
        in.skipField(tag, end);
      }
    }
    Map<Labels, SampleList> result = result(query);
    for (int at : series) {
      in.moveTo(at);
      chunkedSeries(in, body, in.end(end, "a series"), result);
    }
    in.moveTo(end);
  }

  private Map<Labels, SampleList> result(int query) throws WireException {
    if (query >= results.size()) {
      throw new WireException(
          "the response has a result for query " + query + " of " + results.size());
    }
    return results.get(query);
  }

  private void chunkedSeries(
      ProtobufFields in, byte[] body, int end, Map<Labels, SampleList> result)
      throws WireException {
    Map<String, String> labels = new HashMap<>();
    List<Integer> chunks = new ArrayList<>();
    while (in.isBefore(end, "a series")) {
      long tag = in.uvar("a field of a series");
      if (tag == (1 << 3 | BYTES)) {
        label(in, in.end(end, "a label"), labels);
      } else if (tag == (2 << 3 | BYTES)) {
        chunks.add(in.position());
        in.moveTo(in.end(end, "a chunk"));
      } else {
        in.skipField(tag, end);
      }
    }
    SampleList samples = samples(labels, result);
    for (int at : chunks) {
      in.moveTo(at);
      chunk(in, body, in.end(end, "a chunk"), samples);
    }
    in.moveTo(end);
  }

  private void chunk(ProtobufFields in, byte[] body, int end, SampleList into)
      throws WireException {
    long encoding = 0;
    int from = end;
    int to = end;
    while (in.isBefore(end, "a chunk")) {
      long tag = in.uvar("a field of a chunk");
      if (tag == (3 << 3 | VARINT)) {
        encoding = in.uvar("a chunk's encoding");
      } else if (tag == (4 << 3 | BYTES)) {
        to = in.end(end, "a chunk's data");
        from = in.position();
        in.moveTo(to);
      } else {
        in.skipField(tag, end);
      }
    }
    if (encoding == XOR) {
      XorChunkReader.read(body, from, to, into);
    } else {
      hasHistograms = true;
    }
  }

  // --- samples ---

  /** Reads a message with all samples, after decompression. */
  public void samples(byte[] message) throws WireException {
    ProtobufFields in = new ProtobufFields(message, message.length);
    int query = 0;
    while (in.left() > 0) {
      long tag = in.uvar("a field of a response");
      if (tag == (1 << 3 | BYTES)) {
        result(in, in.end(message.length, "a result"), result(query++));
      } else {
        in.skipField(tag, message.length);
      }
    }
  }

  private void result(ProtobufFields in, int end, Map<Labels, SampleList> result)
      throws WireException {
    while (in.isBefore(end, "a result")) {
      long tag = in.uvar("a field of a result");
      if (tag == (1 << 3 | BYTES)) {
        series(in, in.end(end, "a series"), result);
      } else {
        in.skipField(tag, end);
      }
    }
  }

  private void series(ProtobufFields in, int end, Map<Labels, SampleList> result)
      throws WireException {
    Map<String, String> labels = new HashMap<>();
    List<Integer> samples = new ArrayList<>();
    List<Integer> histograms = new ArrayList<>();
    while (in.isBefore(end, "a series")) {
      long tag = in.uvar("a field of a series");
      if (tag == (1 << 3 | BYTES)) {
        label(in, in.end(end, "a label"), labels);
      } else if (tag == (2 << 3 | BYTES) || tag == (4 << 3 | BYTES)) {
        (tag >>> 3 == 2 ? samples : histograms).add(in.position());
        in.moveTo(in.end(end, "a sample"));
      } else {
        in.skipField(tag, end);
      }
    }
    SampleList into = samples(labels, result);
    for (int at : samples) {
      in.moveTo(at);
      sample(in, in.end(end, "a sample"), into);
    }
    HistogramMessage message = new HistogramMessage(in);
    for (int at : histograms) {
      in.moveTo(at);
      try {
        var histogram = message.read(in.end(end, "a histogram"));
        into.add(message.time(), histogram);
      } catch (BadHistogram e) {
        throw new WireException(e.getMessage());
      }
    }
    in.moveTo(end);
  }

  private static void sample(ProtobufFields in, int end, SampleList into) throws WireException {
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
    into.add(time, value);
  }

  // --- labels ---

  private SampleList samples(Map<String, String> labels, Map<Labels, SampleList> result)
      throws WireException {
    Labels all;
    try {
      all = Labels.of(labels);
    } catch (IllegalArgumentException e) {
      throw new WireException("a series has no proper labels: " + e.getMessage());
    }
    SampleList known = result.get(all);
    if (known == null) {
      budget.labels(all);
      known = new SampleList(budget);
      result.put(all, known);
    }
    return known;
  }

  private static void label(ProtobufFields in, int end, Map<String, String> into)
      throws WireException {
    String name = "";
    String value = "";
    while (in.isBefore(end, "a label")) {
      long tag = in.uvar("a field of a label");
      if (tag == (1 << 3 | BYTES)) {
        name = in.string("a label's name");
      } else if (tag == (2 << 3 | BYTES)) {
        value = in.string("a label's value");
      } else {
        in.skipField(tag, end);
      }
    }
    if (into.put(name, value) != null) {
      throw new WireException("the label \"" + name + "\" occurs twice");
    }
  }
}
