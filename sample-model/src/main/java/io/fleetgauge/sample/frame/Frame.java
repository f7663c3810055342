package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Histogram;
import java.util.List;

/** A decoded frame. Its label sets are numbers; {@link RunDictionary} resolves them. */
public sealed interface Frame {
  /** The host's name: the value of its {@code Hostname} label. */
  String host();

  /** The run of the probe; random, never 0. */
  long run();

  Additions additions();

  /**
   * The entries that a frame adds to the dictionary of its run.
   *
   * @param knownSymbols how many strings the receiver must hold already
   * @param symbols the strings that follow those
   * @param knownSeries how many label sets the receiver must hold already
   * @param series the label sets that follow those: name, value, name, value, ... as numbers of
   *     symbols
   */
  record Additions(int knownSymbols, List<String> symbols, int knownSeries, List<int[]> series) {}

  /** All strings and label sets of a run so far. */
  record Dictionary(String host, long run, Additions additions) implements Frame {}

  /**
   * One reading.
   *
   * @param sequence counts the ticks of a run, from 1
   * @param time ms since the epoch
   * @param ids numbers of series, ascending
   * @param values one for each id; a staleness marker ends the series, and is also the value of a
   *     histogram is
   * @param histograms null when there are none, as usual; else null for a number
   */
  record Tick(
      String host,
      long run,
      long sequence,
      long time,
      Additions additions,
      int[] ids,
      double[] values,
      Histogram[] histograms)
      implements Frame {}
}
