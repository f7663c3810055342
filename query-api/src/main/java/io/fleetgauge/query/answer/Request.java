package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.fleet.ClusterRead;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * One request. None carries the caller's scope: {@link Querier} adds it.
 *
 * @param <T> the value of the answer
 */
public sealed interface Request<T> {
  /** For people: in the list of running queries and in the log of slow ones. */
  String description();

  /**
   * A PromQL query; times and lengths in ms.
   *
   * @param parsed the expression, if the text has been parsed already
   * @param step 0 for an instant query, whose start and end are equal
   * @param lookback largest age of a sample that an instant selector takes
   */
  record Promql(String text, Optional<Expr> parsed, long start, long end, long step, long lookback)
      implements Request<Evaluated> {
    /** A query that is parsed when it is evaluated. */
    public static Promql of(String text, long start, long end, long step, long lookback) {
      return new Promql(text, Optional.empty(), start, end, step, lookback);
    }

    boolean isInstant() {
      return step == 0;
    }

    @Override
    public String description() {
      return text;
    }
  }

  /** The names of the labels of series, sorted. */
  record LabelNames(SeriesFilter filter) implements Request<List<String>> {
    @Override
    public String description() {
      return "label names";
    }
  }

  /** The values of a label of series, sorted. */
  record LabelValues(String label, SeriesFilter filter) implements Request<List<String>> {
    @Override
    public String description() {
      return "values of label " + label;
    }
  }

  /** The label sets of series. */
  record SeriesLabels(SeriesFilter filter) implements Request<List<Labels>> {
    @Override
    public String description() {
      return "series";
    }
  }

  /**
   * Samples as they are stored: one list of series for each selection. The tenant's limit {@code
   * range} does not apply, since clients ask for all of time and get what there is; its limits
   * {@code series} and {@code samples} do.
   */
  record Samples(List<Selection> selections) implements Request<List<List<Series>>> {
    @Override
    public String description() {
      return "samples of " + selections.size() + " selections";
    }
  }

  /**
   * The newest sample of series and of reductions, for federation.
   *
   * @param selectors a series is read when it matches one of them
   * @param reductions selectors of reductions by their names
   * @param hosts whose series are read; reductions are of all hosts
   * @param after samples at or before this time are not read, ms
   * @param to samples after this time are not read, ms
   * @param escaping of names
   * @param gzip true if the lines are compressed
   */
  record Newest(
      List<List<Matcher>> selectors,
      List<List<Matcher>> reductions,
      Predicate<String> hosts,
      long after,
      long to,
      NameEscaping escaping,
      boolean gzip)
      implements Request<NewestSamples> {
    @Override
    public String description() {
      return "newest samples of " + selectors.size() + " selectors";
    }
  }

  /**
   * Newest samples.
   *
   * @param families lines of the text exposition format by metric, in pieces
   * @param reductions each group once
   */
  record NewestSamples(
      SortedMap<String, List<MetricLines>> families, List<MetricReductions> reductions) {}

  /** Metadata of the metrics that the caller sees, by name. */
  record Metadata() implements Request<Map<String, List<MetricMetadata>>> {
    @Override
    public String description() {
      return "metadata of metrics";
    }
  }

  /** When the hosts of which the caller sees a series last sent something, by name. */
  record HostStates() implements Request<List<HostState>> {
    @Override
    public String description() {
      return "states of hosts";
    }
  }

  /**
   * Who owned the series that match and when, as intervals of time. Answers with at most as many
   * series as the filter's limit.
   */
  record OwnerIntervals(SeriesFilter filter) implements Request<List<OwnedSeries>> {
    @Override
    public String description() {
      return "owner intervals";
    }
  }

  /**
   * What GPUs were used for: rows that add up, in order, each device, owner and interval once. A
   * caller with a scope sees the rows whose labels are in it, which have their part of what is
   * shared with others. The tenant's limits {@code range}, {@code series} and {@code samples} apply
   * to the series in its scope that match; the other series of their hosts, which tell what these
   * are a part of, are read whatever they are.
   *
   * @param description for people
   * @param matchers of rows: of the labels of their owner or else of their device
   * @param kept names of the labels that rows keep, so that there are fewer; all if there is none
   */
  record Usage(
      String description,
      List<Matcher> matchers,
      List<String> kept,
      UsagePeriod period,
      UsageTerms terms)
      implements Request<UsageRows> {}

  /**
   * A read of this cluster alone, by the query API of another one: within the caller's scope and
   * limits, as everything is.
   */
  record OfCluster<T>(ClusterRead<T> read) implements Request<T> {
    @Override
    public String description() {
      return read.description();
    }
  }
}
