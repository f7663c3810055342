package io.fleetgauge.sample.prometheus;

import static io.fleetgauge.sample.wire.ProtobufFields.BYTES;
import static io.fleetgauge.sample.wire.ProtobufFields.VARINT;

import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The messages of Prometheus's remote read: requests, after decompression, and responses, either
 * with all samples in one message or with chunks in frames.
 *
 * <pre>
 * frame = length:uvar check:u32 (big-endian, CRC-32C of the message) message
 * </pre>
 */
public final class RemoteRead {
  /** Longest frame, about; a series with more samples has several. */
  public static final int FRAME_BYTES = 1 << 20;

  private RemoteRead() {}

  /**
   * A request.
   *
   * @param chunks whether the client prefers chunks to samples
   * @param known whether the client accepts one of the two
   */
  public record Request(List<Query> queries, boolean chunks, boolean known) {}

  /**
   * @param start the first time, ms
   * @param end the last one
   */
  public record Query(long start, long end, List<Matcher> matchers) {}

  /** The comparison of a label, by number as the message has it. */
  public enum Comparison {
    EQUAL,
    NOT_EQUAL,
    REGEX,
    NOT_REGEX
  }

  public record Matcher(Comparison comparison, String name, String value) {}

  // --- requests ---

  /**
   * @throws WireException if it is no request
   */
  public static Request read(byte[] bytes) throws WireException {
    ProtobufFields in = new ProtobufFields(bytes, bytes.length);
    List<Query> queries = new ArrayList<>();
    List<Integer> accepted = new ArrayList<>();
    while (in.left() > 0) {
      long tag = in.uvar("a field");
      if (tag == (1 << 3 | BYTES)) {
        queries.add(query(in, in.end(bytes.length, "a query")));
      } else if (tag == (2 << 3 | VARINT)) {
        accepted.add((int) in.uvar("a kind of answer"));
      } else if (tag == (2 << 3 | BYTES)) {
        int end = in.end(bytes.length, "a list of kinds of answers");
        while (in.position() < end) {
          accepted.add((int) in.uvar("a kind of answer"));
        }
      } else {
        in.skipField(tag, bytes.length);
      }
    }
    for (int kind : accepted) {
      if (kind == 0 || kind == 1) {
        return new Request(queries, kind == 1, true);
      }
    }
    return new Request(queries, false, accepted.isEmpty());
  }

  private static Query query(ProtobufFields in, int end) throws WireException {
    long start = 0;
    long stop = 0;
    List<Matcher> matchers = new ArrayList<>();
    while (in.isBefore(end, "a query")) {
      long tag = in.uvar("a field of a query");
      if (tag == (1 << 3 | VARINT)) {
        start = in.uvar("a query's start");
      } else if (tag == (2 << 3 | VARINT)) {
        stop = in.uvar("a query's end");
      } else if (tag == (3 << 3 | BYTES)) {
        matchers.add(matcher(in, in.end(end, "a matcher")));
      } else {
        in.skipField(tag, end);
      }
    }
    return new Query(start, stop, matchers);
  }

  private static Matcher matcher(ProtobufFields in, int end) throws WireException {
    long kind = 0;
    String name = "";
    String value = "";
    while (in.isBefore(end, "a matcher")) {
      long tag = in.uvar("a field of a matcher");
      if (tag == (1 << 3 | VARINT)) {
        kind = in.uvar("a matcher's type");
      } else if (tag == (2 << 3 | BYTES)) {
        name = in.string("a matcher's label");
      } else if (tag == (3 << 3 | BYTES)) {
        value = in.string("a matcher's value");
      } else {
        in.skipField(tag, end);
      }
    }
    if (kind < 0 || kind >= Comparison.values().length) {
      throw new WireException("a matcher of the unknown type " + kind);
    }
    return new Matcher(Comparison.values()[(int) kind], name, value);
  }

  /**
   * The bytes of a request, before compression.
   *
   * @param chunks whether the client takes chunks if the server has them, else samples only
   */
  public static byte[] request(List<Query> queries, boolean chunks) {
    WireWriter out = new WireWriter(256);
    for (Query query : queries) {
      WireWriter body = new WireWriter(128);
      body.uvar(1 << 3 | VARINT).uvar(query.start());
      body.uvar(2 << 3 | VARINT).uvar(query.end());
      for (Matcher matcher : query.matchers()) {
        WireWriter each = new WireWriter(64);
        each.uvar(1 << 3 | VARINT).uvar(matcher.comparison().ordinal());
        text(each, 2, matcher.name());
        text(each, 3, matcher.value());
        RemoteWriteWriter.message(body, 3, each);
      }
      RemoteWriteWriter.message(out, 1, body);
    }
    if (chunks) {
      out.uvar(2 << 3 | VARINT).uvar(1);
    }
    out.uvar(2 << 3 | VARINT).uvar(0);
    return out.toBytes();
  }

  private static void text(WireWriter out, int field, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.uvar(field << 3 | BYTES).uvar(bytes.length).raw(bytes, 0, bytes.length);
  }

  // --- samples ---

  /**
   * All samples.
   *
   * @param results one for each query, in the same order
   */
  public static byte[] samples(List<List<Series>> results) {
    WireWriter out = new WireWriter(4_096);
    RemoteWriteWriter all = new RemoteWriteWriter(RemoteWriteReader.Version.V1);
    for (List<Series> result : results) {
      all.clear();
      result.forEach(all::series);
      byte[] bytes = all.toBytes(); // a result has series in the form of remote write 1
      out.uvar(1 << 3 | BYTES).uvar(bytes.length).raw(bytes, 0, bytes.length);
    }
    return out.toBytes();
  }

  // --- chunks ---

  /** Takes frames. */
  public interface Frames {
    void accept(byte[] bytes, int length);
  }

  /**
   * One series as frames, one at least.
   *
   * @param query the number of the query that it is an answer to
   */
  public static void frames(Series series, int query, Frames frames) {
    WireWriter labels = new WireWriter(256);
    for (int i = 0; i < series.labels().size(); i++) {
      RemoteWriteWriter.label(labels, series.labels().name(i), series.labels().value(i));
    }
    WireWriter body = new WireWriter(4_096);
    body.raw(labels.array(), 0, labels.size());
    XorChunk chunk = new XorChunk();
    boolean written = false;
    for (int from = 0; from < series.size(); from += XorChunk.MOST) {
      int to = Math.min(series.size(), from + XorChunk.MOST);
      chunk.clear();
      for (int i = from; i < to; i++) {
        chunk.add(series.times()[i], series.values()[i]);
      }
      byte[] packed = chunk.toBytes();
      if (written && body.size() + packed.length > FRAME_BYTES) {
        frame(body, query, frames);
        body.clear().raw(labels.array(), 0, labels.size());
      }
      WireWriter out = new WireWriter(packed.length + 64);
      out.uvar(1 << 3 | VARINT).uvar(series.times()[from]);
      out.uvar(2 << 3 | VARINT).uvar(series.times()[to - 1]);
      out.uvar(3 << 3 | VARINT).uvar(1);
      out.uvar(4 << 3 | BYTES).uvar(packed.length).raw(packed, 0, packed.length);
      RemoteWriteWriter.message(body, 2, out);
      written = true;
    }
    frame(body, query, frames);
  }

  private static void frame(WireWriter series, int query, Frames frames) {
    WireWriter message = new WireWriter(series.size() + 16);
    RemoteWriteWriter.message(message, 1, series);
    message.uvar(2 << 3 | VARINT).uvar(query);
    CRC32C check = new CRC32C();
    check.update(message.array(), 0, message.size());
    WireWriter out = new WireWriter(message.size() + 16);
    out.uvar(message.size());
    out.u32(Integer.reverseBytes((int) check.getValue()));
    out.raw(message.array(), 0, message.size());
    frames.accept(out.array(), out.size());
  }
}
