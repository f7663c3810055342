package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.WholeNumber;
import io.fleetgauge.sample.wire.HistogramForm;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes the ticks of one run. It numbers strings and label sets and remembers which it has sent.
 * Not for several threads.
 */
public final class FrameEncoder {
  private final String host;
  private final long run;
  private final Map<String, Integer> symbolIds = new HashMap<>();
  private final List<String> symbols = new ArrayList<>();
  private final Map<Labels, Integer> seriesIds = new HashMap<>();
  private final List<int[]> series = new ArrayList<>();
  private int sentSymbols;
  private int sentSeries;
  private long sequence;
  private long dictionaryBytes;

  /**
   * @param host name of the host, not empty
   * @param run a random number that no earlier run of this host had, not 0
   */
  public FrameEncoder(String host, long run) {
    if (host.isEmpty() || run == 0) {
      throw new IllegalArgumentException(
          "a run needs a host and a number other than 0, got \"" + host + "\" and " + run);
    }
    this.host = host;
    this.run = run;
  }

  public long run() {
    return run;
  }

  /** The sequence of the last tick encoded; 0 before the first. */
  public long sequence() {
    return sequence;
  }

  /**
   * Number of label sets that the run has numbered; a caller begins a new run before they are many.
   */
  public int seriesCount() {
    return series.size();
  }

  /**
   * Bytes of all strings and label sets that the run has numbered; a caller begins a new run before
   * they are more than {@link RunDictionary#MAX_BYTES}.
   */
  public long dictionaryBytes() {
    return dictionaryBytes;
  }

  /** The largest value that {@link #dictionaryBytes} can have with the label sets of a tick. */
  public long dictionaryBytesWith(Tick tick) {
    long bytes = dictionaryBytes;
    for (Labels labels : tick.series()) {
      if (!seriesIds.containsKey(labels)) {
        bytes += 2;
        for (int i = 0; i < labels.size(); i++) {
          bytes += mostBytes(labels.name(i)) + mostBytes(labels.value(i));
        }
      }
    }
    return bytes;
  }

  /** Most bytes of a string and one of its numbers. */
  private int mostBytes(String symbol) {
    return 3 + (symbolIds.containsKey(symbol) ? 0 : FrameFormat.bytes(symbol));
  }

  /** The next tick of the run as a frame. */
  public byte[] encode(Tick tick) {
    int count = tick.size();
    // Number and position in one long, so that one primitive sort brings both into order.
    long[] order = new long[count];
    for (int i = 0; i < count; i++) {
      order[i] = (long) number(tick.series().get(i)) << 32 | i;
    }
    Arrays.sort(order);
    int[] ids = new int[count];
    double[] values = new double[count];
    Histogram[] histograms = tick.histograms() == null ? null : new Histogram[count];
    for (int i = 0; i < count; i++) {
      ids[i] = (int) (order[i] >>> 32);
      values[i] = tick.values()[(int) order[i]];
      if (histograms != null) {
        histograms[i] = tick.histograms()[(int) order[i]];
      }
      if (i > 0 && ids[i] == ids[i - 1]) {
        throw new IllegalArgumentException(
            "the series " + tick.series().get((int) order[i]) + " occurs twice in one tick");
      }
    }
    return encode(tick.time(), ids, values, histograms);
  }

  /**
   * The next tick of the run as a frame, from series that have their numbers.
   *
   * @param time ms since the epoch
   * @param ids numbers of series, strictly ascending
   * @param values one for each of {@code ids}; a staleness marker where a histogram is
   * @param histograms null when there are none; else null for a number
   */
  public byte[] encode(long time, int[] ids, double[] values, Histogram[] histograms) {
    WireWriter out = begin(FrameFormat.KIND_TICK, host, run);
    out.uvar(++sequence).svar(time);
    additions(out, symbols, sentSymbols, series, sentSeries);
    sentSymbols = symbols.size();
    sentSeries = series.size();
    present(out, ids);
    values(out, values, histograms);
    return end(out);
  }

  /** A tick as it came, or with fewer samples than it came with. */
  public static byte[] encode(Frame.Tick tick) {
    WireWriter out = begin(FrameFormat.KIND_TICK, tick.host(), tick.run());
    out.uvar(tick.sequence()).svar(tick.time());
    Frame.Additions more = tick.additions();
    out.uvar(more.knownSymbols()).uvar(more.symbols().size());
    more.symbols().forEach(out::string);
    out.uvar(more.knownSeries()).uvar(more.series().size());
    more.series().forEach(refs -> labelSet(out, refs));
    present(out, tick.ids());
    values(out, tick.values(), tick.histograms());
    return end(out);
  }

  /** Everything the run has numbered so far, for a receiver that missed the beginning. */
  public byte[] dictionary() {
    return dictionary(host, run, symbols, series);
  }

  static byte[] dictionary(String host, long run, List<String> symbols, List<int[]> series) {
    WireWriter out = begin(FrameFormat.KIND_DICTIONARY, host, run);
    additions(out, symbols, 0, series, 0);
    return end(out);
  }

  /** The number of a label set in this run. */
  public int number(Labels labels) {
    Integer known = seriesIds.get(labels);
    if (known != null) {
      return known;
    }
    int[] refs = new int[2 * labels.size()];
    for (int i = 0; i < labels.size(); i++) {
      refs[2 * i] = symbolId(labels.name(i));
      refs[2 * i + 1] = symbolId(labels.value(i));
    }
    int id = series.size();
    series.add(refs);
    dictionaryBytes += FrameFormat.bytes(refs);
    seriesIds.put(labels, id);
    return id;
  }

  /** The label set of a number. */
  public Labels labels(int number) {
    int[] refs = series.get(number);
    String[] pairs = new String[refs.length];
    for (int i = 0; i < refs.length; i++) {
      pairs[i] = symbols.get(refs[i]);
    }
    return Labels.of(pairs);
  }

  private int symbolId(String symbol) {
    Integer known = symbolIds.putIfAbsent(symbol, symbols.size());
    if (known == null) {
      symbols.add(symbol);
      dictionaryBytes += FrameFormat.bytes(symbol);
      return symbols.size() - 1;
    }
    return known;
  }

  private static WireWriter begin(int kind, String host, long run) {
    return new WireWriter(1024)
        .u8(FrameFormat.MAGIC_0)
        .u8(FrameFormat.MAGIC_1)
        .u8(FrameFormat.VERSION)
        .u8(kind)
        .u32(0)
        .u32(0)
        .string(host)
        .u64(run);
  }

  private static void additions(
      WireWriter out, List<String> symbols, int knownSymbols, List<int[]> series, int knownSeries) {
    out.uvar(knownSymbols).uvar(symbols.size() - knownSymbols);
    for (String symbol : symbols.subList(knownSymbols, symbols.size())) {
      out.string(symbol);
    }
    out.uvar(knownSeries).uvar(series.size() - knownSeries);
    series.subList(knownSeries, series.size()).forEach(refs -> labelSet(out, refs));
  }

  private static void labelSet(WireWriter out, int[] refs) {
    out.uvar(refs.length / 2);
    for (int ref : refs) {
      out.uvar(ref);
    }
  }

  private static void present(WireWriter out, int[] ids) {
    int runs = 0;
    for (int i = 0; i < ids.length; i++) {
      if (i == 0 || ids[i] != ids[i - 1] + 1) {
        runs++;
      }
    }
    out.uvar(runs);
    int end = 0;
    for (int i = 0; i < ids.length; ) {
      int from = i;
      while (++i < ids.length && ids[i] == ids[i - 1] + 1) {}
      out.uvar(ids[from] - end).uvar(i - from);
      end = ids[i - 1] + 1;
    }
  }

  private static void values(WireWriter out, double[] values, Histogram[] histograms) {
    for (int i = 0; i < values.length; i += 4) {
      int four = 0;
      for (int j = i; j < Math.min(i + 4, values.length); j++) {
        boolean histogram = histograms != null && histograms[j] != null;
        int kind = histogram ? FrameFormat.HISTOGRAM : kind(values[j]);
        four |= kind << 2 * (j - i);
      }
      out.u8(four);
    }
    for (double value : values) {
      if (kind(value) == FrameFormat.INTEGER) {
        out.svar((long) value);
      }
    }
    for (double value : values) {
      if (kind(value) == FrameFormat.DOUBLE) {
        out.f64(value);
      }
    }
    if (histograms != null) {
      for (Histogram histogram : histograms) {
        if (histogram != null) {
          HistogramForm.write(out, histogram);
        }
      }
    }
  }

  private static int kind(double value) {
    if (WholeNumber.is(value)) {
      return FrameFormat.INTEGER;
    }
    return Staleness.isMarker(value) ? FrameFormat.STALE : FrameFormat.DOUBLE;
  }

  private static byte[] end(WireWriter out) {
    int length = out.size() - FrameFormat.HEADER_BYTES;
    if (length > FrameDecoder.MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "a frame of "
              + length
              + " bytes; at most "
              + FrameDecoder.MAX_BODY_BYTES
              + " are allowed");
    }
    out.setU32(FrameFormat.LENGTH_AT, length);
    out.setU32(FrameFormat.CHECK_AT, FrameFormat.check(out.array(), 0, length));
    return out.toBytes();
  }
}
