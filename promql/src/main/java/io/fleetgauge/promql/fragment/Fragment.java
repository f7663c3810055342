package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.QueryText;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.vocabulary.Aliases;
import java.util.List;
import java.util.Optional;

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
   * Selects series: those that match one of {@code matchers} (all, when there are none) and have a
   * sample from {@code from} to {@code to}, both included, ms.
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

  /**
   * Who owned the series that match, as intervals of time.
   *
   * @param search its limit is on series; the answer says how many it leaves out
   */
  record Owners(long epoch, List<String> hosts, Search search) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Owners(otherEpoch, otherHosts, search);
    }
  }

  /**
   * Parts of a query, evaluated for the series of these hosts.
   *
   * @param query as it was asked; its settings limit the samples that may be read or held
   * @param scope matchers that every selector of the query gets
   * @param aliases that the query uses
   * @param timeoutMillis after this time nobody waits for the answer
   * @param since the answer is to say what had changed since then, before anything was read for it;
   *     empty when nobody asks
   */
  record Parts(
      long epoch,
      List<String> hosts,
      QueryText query,
      List<Matcher> scope,
      Aliases aliases,
      long timeoutMillis,
      List<Part> parts,
      Optional<Since> since)
      implements Fragment {
    /** Parts of a query that uses no aliases, without a question for changes. */
    public Parts(
        long epoch,
        List<String> hosts,
        QueryText query,
        List<Matcher> scope,
        long timeoutMillis,
        List<Part> parts) {
      this(epoch, hosts, query, scope, Aliases.NONE, timeoutMillis, parts, Optional.empty());
    }

    @Override
    public Parts at(long otherEpoch, List<String> otherHosts) {
      return new Parts(otherEpoch, otherHosts, query, scope, aliases, timeoutMillis, parts, since);
    }

    /** The same, with a question for changes. */
    public Parts since(Since last) {
      return new Parts(
          epoch, hosts, query, scope, aliases, timeoutMillis, parts, Optional.of(last));
    }
  }

  /**
   * What a gateway reported last.
   *
   * @param incarnation of the gateway, as it said last; 0 at first
   * @param cursor that it gave last
   */
  record Since(long incarnation, long cursor) {
    /** When nothing has been reported yet. */
    public static final Since START = new Since(0, 0);
  }

  /**
   * One part of a query.
   *
   * @param number as {@link io.fleetgauge.promql.plan.Planned.Cut} has it
   * @param grid its steps; subqueries reach up to its end, which may lie behind the last step
   * @param partial whether it is folded and not finished
   * @param rollups whether rollups may be used
   */
  record Part(int number, Grid grid, boolean partial, boolean rollups) {}

  /**
   * Reads of the same hosts that are one request, because together they cost less than one by one.
   *
   * @param fragments {@link Samples} and {@link Parts}; their epoch and hosts are those of this one
   */
  record Several(long epoch, List<String> hosts, List<Fragment> fragments) implements Fragment {
    @Override
    public Several at(long otherEpoch, List<String> otherHosts) {
      return new Several(
          otherEpoch,
          otherHosts,
          fragments.stream().map(each -> each.at(otherEpoch, otherHosts)).toList());
    }
  }

  /** Asks how much the selections would read. */
  record Extent(long epoch, List<String> hosts, List<Selection> selections) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Extent(otherEpoch, otherHosts, selections);
    }
  }

  /**
   * Asks for the metadata that senders gave for their metrics.
   *
   * @param tenants the tenants of the senders; all when empty
   */
  record Metadata(long epoch, List<String> hosts, List<String> tenants) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Metadata(otherEpoch, otherHosts, tenants);
    }
  }

  /**
   * The newest sample of each series, as lines of the text exposition.
   *
   * @param selectors the series that match one of them
   * @param after no sample is older, ms
   * @param to nor newer
   * @param escaping how names are written
   * @param gzip whether the lines are to be packed
   * @param mostSeries more are an error
   * @param mostBytes so are more bytes
   */
  record Newest(
      long epoch,
      List<String> hosts,
      List<List<Matcher>> selectors,
      long after,
      long to,
      NameEscaping escaping,
      boolean gzip,
      int mostSeries,
      int mostBytes)
      implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Newest(
          otherEpoch, otherHosts, selectors, after, to, escaping, gzip, mostSeries, mostBytes);
    }
  }

  /**
   * The newest samples of the metrics that have rollups, reduced by groups of labels.
   *
   * @param names which reductions: a name such as {@code rack:METRIC:avg} has to match one of these
   *     lists
   * @param scope what the series have to match
   * @param after no sample is older, ms
   * @param to nor newer
   */
  record Reduced(
      long epoch,
      List<String> hosts,
      List<List<Matcher>> names,
      List<Matcher> scope,
      long after,
      long to)
      implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Reduced(otherEpoch, otherHosts, names, scope, after, to);
    }
  }

  /**
   * Asks when hosts last sent samples.
   *
   * @param scope only hosts with a series that matches are in the answer; all when empty
   */
  record Hosts(long epoch, List<String> hosts, List<Matcher> scope) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Hosts(otherEpoch, otherHosts, scope);
    }
  }

  /** Asks what has changed since the last such question, for all hosts of the gateway. */
  record Changes(long epoch, List<String> hosts, Since since) implements Fragment {
    @Override
    public Fragment at(long otherEpoch, List<String> otherHosts) {
      return new Changes(otherEpoch, otherHosts, since);
    }
  }
}
