package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.syntax.Matcher;
import java.util.List;

/** A question to one gateway about some of its hosts. */
public sealed interface Fragment {
  /** The epoch of the table that the asker worked from. */
  long epoch();

  /** The hosts that are meant; a gateway answers for these and no others. */
  List<String> hosts();

  /** The same question for other hosts. */
  Fragment at(long epoch, List<String> hosts);

  /**
   * The samples of some selections.
   *
   * @param budget most samples that the answer may hold; more is an error
   */
  record Samples(long epoch, List<String> hosts, long budget, List<Selection> selections)
      implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Samples(otherEpoch, otherHosts, budget, selections);
    }
  }

  /**
   * Which series are meant: those that match one of {@code matchers} (all, when there are none) and
   * have a sample from {@code from} to {@code to}, both included, ms.
   *
   * @param limit most items of the answer; 0 for all
   */
  record Search(long from, long to, int limit, List<List<Matcher>> matchers) {}

  record LabelNames(long epoch, List<String> hosts, Search search) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new LabelNames(otherEpoch, otherHosts, search);
    }
  }

  record LabelValues(long epoch, List<String> hosts, String label, Search search)
      implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new LabelValues(otherEpoch, otherHosts, label, search);
    }
  }

  record LabelSets(long epoch, List<String> hosts, Search search) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new LabelSets(otherEpoch, otherHosts, search);
    }
  }
}
