package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a receiver knows of one run's strings and label sets. It only grows, and adding the same
 * again changes nothing, so frames may repeat. Not for several threads.
 */
public final class RunDictionary {
  /** Most strings of a run; a probe begins a new run before. */
  public static final int MAX_SYMBOLS = 1 << 20;

  /** Most label sets of a run; a probe begins a new run before. */
  public static final int MAX_SERIES = 1 << 18;

  private final List<String> symbols = new ArrayList<>();
  private final List<int[]> references = new ArrayList<>();
  private final List<Labels> series = new ArrayList<>();

  public int size() {
    return series.size();
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

  /** Whether the frame can be understood; if not, the sender must send its dictionary first. */
  public boolean covers(Frame frame) {
    return frame.additions().knownSymbols() <= symbols.size()
        && frame.additions().knownSeries() <= series.size();
  }

  /**
   * Takes in what the frame adds. All of it or, on failure, nothing.
   *
   * @throws WireException if a label set is not one: a name twice, or an empty name; or if the
   *     frame says otherwise than one before, so that two senders have one run
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
    List<Labels> newSeries = new ArrayList<>(more.series().size() - newSeriesFrom);
    for (int[] refs : more.series().subList(newSeriesFrom, more.series().size())) {
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
    references.addAll(more.series().subList(newSeriesFrom, more.series().size()));
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
