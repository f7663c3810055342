package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.HistogramForm;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import java.util.ArrayList;
import java.util.List;

/** Reads consecutive frames from a byte array. Not for several threads. */
public final class FrameDecoder {
  /** Longest body that is written or read, bytes. */
  public static final int MAX_BODY_BYTES = 16 << 20;

  /** Most labels of one label set. */
  public static final int MAX_LABELS = 256;

  /** Longest name or value of a label, UTF-16 units. */
  public static final int MAX_SYMBOL_LENGTH = 16_384;

  /** Largest number of a tick in its run; no sender counts so far. */
  public static final long MAX_SEQUENCE = 1L << 62;

  private final byte[] bytes;
  private int position;

  public FrameDecoder(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * The host of the first frame; the rest is not read.
   *
   * @throws WireException if there is none
   */
  public static String host(byte[] bytes) throws WireException {
    if (bytes.length < FrameFormat.HEADER_BYTES) {
      throw new WireException("no frame: " + bytes.length + " bytes");
    }
    return host(new WireReader(bytes, FrameFormat.HEADER_BYTES, bytes.length));
  }

  /** Where the next frame begins. */
  public int position() {
    return position;
  }

  public boolean hasNext() {
    return position < bytes.length;
  }

  /**
   * The next frame. After a failure the position is unchanged, and no further frame can be read.
   *
   * @throws WireException if the bytes are not a whole and undamaged frame
   */
  public Frame next() throws WireException {
    WireReader header = new WireReader(bytes, position, bytes.length);
    int magic0 = header.u8("the frame's first byte");
    int magic1 = header.u8("the frame's second byte");
    if (magic0 != FrameFormat.MAGIC_0 || magic1 != FrameFormat.MAGIC_1) {
      throw new WireException(
          "no frame at byte " + position + ": it begins with " + magic0 + ", " + magic1);
    }
    int version = header.u8("the frame's version");
    if (version != FrameFormat.VERSION) {
      throw new WireException(
          "the frame at byte "
              + position
              + " has version "
              + version
              + ", this program reads "
              + FrameFormat.VERSION);
    }
    int kind = header.u8("the frame's kind");
    int length = header.u32("the frame's length");
    int check = header.u32("the frame's checksum");
    if (length < 0 || length > MAX_BODY_BYTES || length > header.left()) {
      throw new WireException(
          "the frame at byte "
              + position
              + " says "
              + Integer.toUnsignedString(length)
              + " bytes of body, "
              + header.left()
              + " are left and "
              + MAX_BODY_BYTES
              + " are allowed");
    }
    if (check != FrameFormat.check(bytes, position, length)) {
      throw new WireException("the frame at byte " + position + " is damaged: wrong checksum");
    }
    int bodyAt = position + FrameFormat.HEADER_BYTES;
    WireReader body = new WireReader(bytes, bodyAt, bodyAt + length);
    Frame frame =
        switch (kind) {
          case FrameFormat.KIND_TICK -> tick(body);
          case FrameFormat.KIND_DICTIONARY -> dictionary(body);
          default ->
              throw new WireException(
                  "the frame at byte " + position + " is of the unknown kind " + kind);
        };
    body.end("the frame");
    position = bodyAt + length;
    return frame;
  }

  private static Frame dictionary(WireReader in) throws WireException {
    String host = host(in);
    long run = run(in);
    Frame.Additions additions = additions(in, run);
    if (additions.knownSymbols() != 0 || additions.knownSeries() != 0) {
      throw new WireException("a dictionary frame must begin at 0");
    }
    return new Frame.Dictionary(host, run, additions);
  }

  private static Frame tick(WireReader in) throws WireException {
    String host = host(in);
    long run = run(in);
    long sequence = in.uvar("the sequence");
    if (sequence <= 0) {
      throw new WireException("the sequence is " + sequence + ", it counts from 1");
    }
    if (sequence > MAX_SEQUENCE) {
      throw new WireException("the sequence is " + sequence + ", the largest is " + MAX_SEQUENCE);
    }
    long time = in.svar("the tick's time");
    Frame.Additions additions = additions(in, run);
    int[] ids = present(in, additions.knownSeries() + additions.series().size());
    byte[] kinds = in.raw((ids.length + 3) / 4, "the kinds of samples");
    double[] values = values(in, kinds, ids.length);
    Histogram[] histograms = histograms(in, kinds, ids.length);
    return new Frame.Tick(host, run, sequence, time, additions, ids, values, histograms);
  }

  private static String host(WireReader in) throws WireException {
    String host = in.string("the host's name");
    if (host.isEmpty()) {
      throw new WireException("the host's name is empty");
    }
    return host;
  }

  private static long run(WireReader in) throws WireException {
    long run = in.u64("the run");
    if (run == 0) {
      throw new WireException("the run is 0");
    }
    return run;
  }

  private static Frame.Additions additions(WireReader in, long run) throws WireException {
    int knownSymbols = in.uint(RunDictionary.MAX_SYMBOLS, "the number of known strings");
    int symbolCount = in.count(1, "strings");
    // Before anything is made of them: an empty string takes one byte here and many in memory.
    RunDictionary.requireCounts(run, knownSymbols + symbolCount, 0);
    List<String> symbols = new ArrayList<>(symbolCount);
    for (int i = 0; i < symbolCount; i++) {
      symbols.add(symbol(in));
    }
    int knownSeries = in.uint(RunDictionary.MAX_SERIES, "the number of known label sets");
    int seriesCount = in.count(1, "label sets");
    RunDictionary.requireCounts(run, 0, knownSeries + seriesCount);
    List<int[]> series = new ArrayList<>(seriesCount);
    for (int i = 0; i < seriesCount; i++) {
      int pairs = in.uint(Math.min(MAX_LABELS, in.left() / 2), "the number of labels");
      int[] refs = new int[2 * pairs];
      for (int j = 0; j < refs.length; j++) {
        refs[j] = in.uint(knownSymbols + symbolCount - 1, "a string's number");
      }
      series.add(refs);
    }
    return new Frame.Additions(knownSymbols, symbols, knownSeries, series);
  }

  private static String symbol(WireReader in) throws WireException {
    String symbol = in.string("a string");
    if (symbol.length() > MAX_SYMBOL_LENGTH) {
      throw new WireException(
          "a label's name or value has "
              + symbol.length()
              + " characters, allowed are "
              + MAX_SYMBOL_LENGTH);
    }
    return symbol;
  }

  private static int[] present(WireReader in, int allSeries) throws WireException {
    int runs = in.count(2, "runs of series");
    long[] bounds = new long[runs];
    int end = 0;
    int count = 0;
    for (int i = 0; i < runs; i++) {
      int from = end + in.uint(allSeries - end, "a gap between runs of series");
      int length = in.uint(allSeries - from, "the length of a run of series");
      if (length == 0) {
        throw new WireException("a run of series is empty");
      }
      bounds[i] = (long) from << 32 | length;
      end = from + length;
      count += length;
    }
    // Two bits of each sample's kind must follow, so this bounds the memory by the input.
    if ((count + 3) / 4 > in.left()) {
      throw new WireException(count + " samples, but " + in.left() + " bytes are left for them");
    }
    int[] ids = new int[count];
    int at = 0;
    for (long bound : bounds) {
      int from = (int) (bound >>> 32);
      int length = (int) bound;
      for (int i = 0; i < length; i++) {
        ids[at++] = from + i;
      }
    }
    return ids;
  }

  private static double[] values(WireReader in, byte[] kinds, int count) throws WireException {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      if (kind(kinds, i) == FrameFormat.INTEGER) {
        values[i] = in.svar("an integer");
      }
    }
    for (int i = 0; i < count; i++) {
      switch (kind(kinds, i)) {
        case FrameFormat.INTEGER -> {}
        case FrameFormat.DOUBLE -> values[i] = in.f64("a double");
        default -> values[i] = Staleness.MARKER; // stale, or a histogram in its place
      }
    }
    return values;
  }

  /** Null when there are none. */
  private static Histogram[] histograms(WireReader in, byte[] kinds, int count)
      throws WireException {
    Histogram[] histograms = null;
    for (int i = 0; i < count; i++) {
      if (kind(kinds, i) == FrameFormat.HISTOGRAM) {
        histograms = histograms == null ? new Histogram[count] : histograms;
        histograms[i] = HistogramForm.read(in);
      }
    }
    return histograms;
  }

  private static int kind(byte[] kinds, int i) {
    return kinds[i >> 2] >> 2 * (i & 3) & 3;
  }
}
