package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The strings and label sets of one run that a receiver knows. It only grows, and adding the same
 * again changes nothing, so frames may repeat. Not for several threads.
 */
public final class RunDictionary {
  /** Most strings of a run; a probe begins a new run before. */
  public static final int MAX_SYMBOLS = 1 << 20;

  /** Most label sets of a run; a probe begins a new run before. */
  public static final int MAX_SERIES = 1 << 18;

  /**
   * Most bytes of the strings and label sets of a run in a frame; a sender begins a new run before.
   * One frame holds a whole dictionary, with its host and run.
   */
  public static final int MAX_BYTES = FrameDecoder.MAX_BODY_BYTES - 1_024;

  // Bytes that a string and a label set take in memory, beside their characters and numbers.
  private static final int STRING_BYTES = 56;
  private static final int LABEL_SET_BYTES = 120;

  private final List<String> symbols = new ArrayList<>();
  private final List<int[]> references = new ArrayList<>();
  private final List<Labels> series = new ArrayList<>();

  private int symbolBytes;
  private int seriesBytes;

  /**
   * References of all label sets together; in memory each is a number and a reference to a string.
   */
  private long referenceCount;

  private final long maxBytes;

  public RunDictionary() {
    this(MAX_BYTES);
  }

  /**
   * @param maxBytes in the place of {@link #MAX_BYTES}, for frames that no sender made
   */
  public RunDictionary(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  public int size() {
    return series.size();
  }

  /** Approximate bytes that it takes in memory, with what a receiver keeps for each label set. */
  public long heldBytes() {
    return symbolBytes
        + (long) STRING_BYTES * symbols.size()
        + (long) LABEL_SET_BYTES * series.size()
        + 8L * referenceCount;
  }

  public int symbolCount() {
    return symbols.size();
  }

  /** All of it as a frame, for a receiver that missed the beginning. */
  public byte[] encode(String host, long run) {
    return FrameEncoder.dictionary(host, run, symbols, references);
  }

  public Labels series(int id) {
    return series.get(id);
  }

  /**
   * Returns true if the frame can be understood; if not, the sender must send its dictionary first.
   */
  public boolean covers(Frame frame) {
    return frame.additions().knownSymbols() <= symbols.size()
        && frame.additions().knownSeries() <= series.size();
  }

  /**
   * Takes in what the frame adds. All of it or, on failure, nothing.
   *
   * @throws WireException if a label set is not one: a name twice, or an empty name; or if the
   *     frame says otherwise than one before, so that two senders have one run; or if the
   *     dictionary exceeds a limit
   */
  public void add(Frame frame) throws WireException {
    if (!covers(frame)) {
      throw new IllegalStateException("the frame needs a larger dictionary");
    }
    Frame.Additions more = frame.additions();
    requireCounts(
        frame.run(),
        more.knownSymbols() + more.symbols().size(),
        more.knownSeries() + more.series().size());
    requireSame(frame, more.symbols(), symbols, more.knownSymbols());
    for (int i = 0; i < more.series().size() && more.knownSeries() + i < series.size(); i++) {
      if (!Arrays.equals(more.series().get(i), references.get(more.knownSeries() + i))) {
        throw twoSenders(frame);
      }
    }
    int newSymbolsFrom = Math.min(more.symbols().size(), symbols.size() - more.knownSymbols());
    List<String> newSymbols = more.symbols().subList(newSymbolsFrom, more.symbols().size());
    int newSeriesFrom = Math.min(more.series().size(), series.size() - more.knownSeries());
    List<int[]> newReferences = more.series().subList(newSeriesFrom, more.series().size());
    int newSymbolBytes = newSymbols.stream().mapToInt(FrameFormat::bytes).sum();
    int newSeriesBytes = newReferences.stream().mapToInt(FrameFormat::bytes).sum();
    if ((long) symbolBytes + seriesBytes + newSymbolBytes + newSeriesBytes > maxBytes) {
      throw new WireException(
          "the dictionary of run "
              + Long.toHexString(frame.run())
              + " grows above "
              + maxBytes
              + " bytes");
    }
    List<Labels> newSeries = new ArrayList<>(newReferences.size());
    for (int[] refs : newReferences) {
      String[] pairs = new String[refs.length];
      for (int i = 0; i < refs.length; i++) {
        pairs[i] =
            refs[i] < symbols.size()
                ? symbols.get(refs[i])
                : newSymbols.get(refs[i] - symbols.size());
      }
      try {
        newSeries.add(Labels.of(pairs));
      } catch (IllegalArgumentException e) {
        throw new WireException("a label set is not one: " + e.getMessage());
      }
    }
    symbols.addAll(newSymbols);
    series.addAll(newSeries);
    references.addAll(newReferences);
    symbolBytes += newSymbolBytes;
    seriesBytes += newSeriesBytes;
    referenceCount += newReferences.stream().mapToLong(refs -> refs.length).sum();
  }

  static void requireCounts(long run, int symbols, int series) throws WireException {
    if (symbols > MAX_SYMBOLS || series > MAX_SERIES) {
      throw new WireException(
          "the dictionary of run "
              + Long.toHexString(run)
              + " grows above "
              + MAX_SERIES
              + " label sets or "
              + MAX_SYMBOLS
              + " strings");
    }
  }

  private static void requireSame(Frame frame, List<String> more, List<String> there, int from)
      throws WireException {
    for (int i = 0; i < more.size() && from + i < there.size(); i++) {
      if (!more.get(i).equals(there.get(from + i))) {
        throw twoSenders(frame);
      }
    }
  }

  private static WireException twoSenders(Frame frame) {
    return new WireException(
        "two senders of host "
            + frame.host()
            + " have the run "
            + Long.toHexString(frame.run())
            + ": its dictionary is not the one that came before; restart the sender");
  }
}
