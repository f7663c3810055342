package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The newest sample of each series, as lines of the text exposition.
 *
 * @param selectors the series that match one of them
 * @param after samples at or before this time are left out, ms
 * @param to samples after this time are left out, ms
 * @param escaping of names
 * @param gzip whether the lines are to be packed
 * @param mostSeries more are an error
 * @param mostBytes so are more bytes
 */
public record NewestQuestion(
    List<List<Matcher>> selectors,
    long after,
    long to,
    NameEscaping escaping,
    boolean gzip,
    int mostSeries,
    int mostBytes)
    implements Question<NewestQuestion.Answer> {
  /** By their codes. */
  private static final List<NameEscaping> ESCAPINGS =
      List.of(
          NameEscaping.UNDERSCORES,
          NameEscaping.ALLOW_UTF_8,
          NameEscaping.DOTS,
          NameEscaping.VALUES);

  /**
   * @param gzip whether the lines are packed
   */
  public record Answer(boolean gzip, List<MetricLines> metrics) implements Result {
    @Override
    public int outBytes() {
      int length = 0;
      for (MetricLines metric : metrics) {
        length += metric.lines().length() + 64;
      }
      return length;
    }

    @Override
    public void write(WireWriter out, WireWriter body) {
      out.u8(gzip ? 1 : 0).uvar(metrics.size());
      for (MetricLines metric : metrics) {
        GzipPiece lines = metric.lines();
        out.string(metric.name()).uvar(metric.series()).uvar(lines.length());
        if (gzip) {
          out.uvar(lines.plainLength()).u32(lines.crc());
        }
        out.raw(lines.bytes(), lines.from(), lines.length());
      }
    }
  }

  static NewestQuestion read(WireReader in) throws WireException {
    return new NewestQuestion(
        SelectorForm.selectors(in),
        in.svar("the oldest time"),
        in.svar("the newest time"),
        ESCAPINGS.get(in.uint(ESCAPINGS.size() - 1, "the escaping of names")),
        in.uint(1, "whether lines are packed") == 1,
        in.uint(Integer.MAX_VALUE, "the most series"),
        in.uint(Integer.MAX_VALUE, "the most bytes"));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.selectors(out, selectors);
    out.svar(after).svar(to);
    out.u8(ESCAPINGS.indexOf(escaping)).u8(gzip ? 1 : 0);
    out.uvar(mostSeries).uvar(mostBytes);
  }

  /** The lines stay in the array that was read. */
  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    boolean packed = in.uint(1, "whether lines are packed") == 1;
    return new Answer(packed, in.list(3, "metrics", each -> lines(each, bytes, packed)));
  }

  private static MetricLines lines(WireReader in, byte[] bytes, boolean packed)
      throws WireException {
    String name = in.string("a metric");
    int series = in.uint(Integer.MAX_VALUE, "a metric's series");
    int length = in.uint(in.left(), "the length of lines");
    int plain = packed ? in.uint(Integer.MAX_VALUE, "the length of packed lines") : length;
    int crc = packed ? in.u32("the CRC of lines") : 0;
    GzipPiece lines = new GzipPiece(bytes, in.position(), length, plain, crc);
    in.skip(length, "lines");
    return new MetricLines(name, series, lines);
  }

  @Override
  public Answer answer(Holdings holdings) throws TooManySamples {
    return holdings.newest(this);
  }

  /** By metric, one piece from each gateway that has any. */
  public SortedMap<String, List<MetricLines>> merged(List<Answer> answers) {
    SortedMap<String, List<MetricLines>> all = new TreeMap<>(Utf8Order::compare);
    for (Answer answer : answers) {
      for (MetricLines metric : answer.metrics) {
        all.computeIfAbsent(metric.name(), none -> new ArrayList<>()).add(metric);
      }
    }
    return all;
  }
}
