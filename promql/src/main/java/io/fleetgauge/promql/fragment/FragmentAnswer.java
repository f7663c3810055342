package io.fleetgauge.promql.fragment;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;

/** What a gateway has to say to a {@link Fragment}. */
public sealed interface FragmentAnswer {
  /** The epoch of the gateway's table. */
  long epoch();

  /** The hosts that this answers for; those asked for and not here are not this gateway's. */
  List<String> covered();

  /**
   * @param series one list for each selection that was asked for, in the same order
   */
  record Samples(long epoch, List<String> covered, List<List<Series>> series)
      implements FragmentAnswer {}

  /** Names or values of labels, sorted, each once. */
  record Strings(long epoch, List<String> covered, List<String> strings)
      implements FragmentAnswer {}

  record LabelSets(long epoch, List<String> covered, List<Labels> labelSets)
      implements FragmentAnswer {}
}
