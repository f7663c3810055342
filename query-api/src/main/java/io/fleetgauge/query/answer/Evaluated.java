package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.cache.CachedBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.Map;

/**
 * The answer of a PromQL query.
 *
 * @param timings where the time went
 * @param trace of the answer
 * @param body the encoded response, kept for later callers
 */
public record Evaluated(
    Answer.Result result,
    List<String> infos,
    Answer.Stats stats,
    Timings timings,
    QueryTrace trace,
    CachedBody body) {
  private static final int ANSWER_BYTES = 500;

  /** Size of a point with its text in the encoded body, plain and compressed. */
  private static final int POINT_BYTES = 56;

  /** Minimum size of the labels of a series. */
  private static final int LABEL_BYTES = 20 * POINT_BYTES;

  private static final long CHARACTER_BYTES = 2;

  /** Size of a character that is in the encoded body too. */
  private static final long TEXT_BYTES = 4;

  /**
   * All in nanoseconds.
   *
   * @param queued until the query had a place
   * @param fetched from then until the samples were there
   * @param evaluated from then until the result was there
   */
  public record Timings(long queued, long fetched, long evaluated) {}

  /** The same with another result. */
  public Evaluated with(Answer.Result other) {
    return new Evaluated(other, infos, stats, timings, trace, new CachedBody());
  }

  /** Memory that is taken by this answer and its key, about. */
  int bytes(Ask.Key key, Reply<Evaluated> reply) {
    long bytes = ANSWER_BYTES + textBytes(key) + textBytes(reply);
    switch (result) {
      case Answer.Matrix matrix -> {
        for (Series each : matrix.series()) {
          bytes += each.size() * POINT_BYTES + labelBytes(each.labels());
        }
      }
      case Answer.Vector vector -> {
        for (Answer.Sample each : vector.samples()) {
          bytes += labelBytes(each.labels());
        }
      }
      case Answer.Scalar scalar -> bytes += POINT_BYTES;
      case Answer.Text text -> bytes += POINT_BYTES + TEXT_BYTES * text.value().length();
    }
    // The body is encoded later; that there will be one of about this size is known.
    return (int) Math.min(bytes + body.bytes(), Integer.MAX_VALUE);
  }

  private static long labelBytes(Labels labels) {
    long length = 0;
    for (int i = 0; i < labels.size(); i++) {
      length += labels.name(i).length() + labels.value(i).length();
    }
    return Math.max(LABEL_BYTES, TEXT_BYTES * length);
  }

  private static long textBytes(Ask.Key key) {
    long length = key.tenant().length() + key.text().length();
    for (Matcher each : key.scope()) {
      length += each.name().length() + each.value().length();
    }
    return CHARACTER_BYTES * length;
  }

  private long textBytes(Reply<Evaluated> reply) {
    long length = trace.plan().length();
    for (Map.Entry<String, String> each : trace.reasons().entrySet()) {
      length += each.getKey().length() + each.getValue().length();
    }
    for (List<String> lines : List.of(reply.warnings(), infos)) {
      length += lines.stream().mapToLong(String::length).sum();
    }
    return CHARACTER_BYTES * length;
  }
}
