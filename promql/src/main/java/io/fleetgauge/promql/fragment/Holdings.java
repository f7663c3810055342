package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.KeptMonth;
import io.fleetgauge.promql.usage.UsageSamples;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The data that a gateway holds of the hosts of one fragment. It notes the hosts of which something
 * could not be read. For one thread.
 */
public interface Holdings extends UsageSamples {
  /** The hosts that are held here, of those that were asked for. */
  List<String> hosts();

  /** Those of the hosts of which everything could be read so far. */
  List<String> covered();

  /** The data of one of the hosts; what is noted of it is noted here as well. */
  Holdings of(String host);

  /** The same data, with nothing noted yet. */
  Holdings again();

  /** Notes that a question could not be answered, and says why. */
  String failed(Question<?> question, RuntimeException failure);

  @Override
  List<Series> samples(Selection selection, long budget) throws TooManySamples, QueryFailure;

  @Override
  Extent extent(Selection selection);

  /** Sorted. */
  List<String> labelNames(SeriesSearch search);

  /** Sorted. */
  List<String> labelValues(String label, SeriesSearch search);

  List<Labels> labelSets(SeriesSearch search);

  OwnerIntervals owners(SeriesSearch search);

  NewestQuestion.Answer newest(NewestQuestion question) throws TooManySamples;

  List<MetricReductions> reductions(ReductionsQuestion question);

  /**
   * Months, in order, that have days between two times of which the usage of one host is kept.
   *
   * @throws QueryFailure if it was stopped
   */
  List<KeptMonth> keptUsage(String host, long from, long to) throws QueryFailure;

  /** With a scope, only the hosts that have a series in it, and how many those are. */
  List<HostState> states(List<Matcher> scope);

  /** Since when samples of the hosts are kept; nothing of a host that has none. */
  List<HostRetention> retentions();

  /** Metadata by metric, as tenants gave it; of all tenants if none is named. */
  Map<String, MetricMetadata> metadata(Collection<String> tenants);

  /** Changes of all hosts that this gateway owns, asked for or not. */
  ChangesQuestion.Answer changes(ChangesQuestion.Since since);

  /** The answer without what has changed. */
  PartsQuestion.Answer parts(PartsQuestion question) throws TooManySamples, QueryFailure;
}
