package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.ExtentsQuestion;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.LabelSetsQuestion;
import io.fleetgauge.promql.fragment.LabelValuesQuestion;
import io.fleetgauge.promql.fragment.MetadataQuestion;
import io.fleetgauge.promql.fragment.NewestQuestion;
import io.fleetgauge.promql.fragment.OwnersQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.RetentionQuestion;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.UsageExtentQuestion;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.fleet.NewestRead;
import io.fleetgauge.query.fleet.PartsRead;
import io.fleetgauge.query.fleet.ReductionRead;
import io.fleetgauge.query.fleet.UsageRead;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** The gateways as a {@link Source} and as the {@link Fleet}: each read becomes a question. */
public class GatewayFleet implements Source, Fleet {
  private final GatewayReads gateways;

  public GatewayFleet(GatewayReads gateways) {
    this.gateways = gateways;
  }

  /** Asks about all hosts. */
  private <A extends Result, T> Future<Gathered<T>> read(
      Question<A> question, ReadOptions options, Function<List<A>, T> merge) {
    return gateways.read(question, GatewayReads.ALL, options, merge);
  }

  // --- samples and labels ---

  @Override
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options) {
    SamplesQuestion question = new SamplesQuestion(budget, selections);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options) {
    ExtentsQuestion question = new ExtentsQuestion(selections);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<List<String>>> labelNames(SeriesSearch search, ReadOptions options) {
    LabelNamesQuestion question = new LabelNamesQuestion(search);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<List<String>>> labelValues(
      String label, SeriesSearch search, ReadOptions options) {
    LabelValuesQuestion question = new LabelValuesQuestion(label, search);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<List<Labels>>> labelSets(SeriesSearch search, ReadOptions options) {
    LabelSetsQuestion question = new LabelSetsQuestion(search);
    return read(question, options, question::merged);
  }

  // --- the fleet ---

  @Override
  public Future<Gathered<PartsRead>> parts(
      Planned planned, Optional<Changes> since, ReadOptions options) {
    PartsQuestion question = PartsQuestion.of(planned, options.timeoutMillis());
    return gateways
        .parts(
            question,
            GatewayReads.ALL,
            since,
            options,
            answers -> question.merged(planned, answers))
        .map(
            found ->
                new Gathered<>(
                    new PartsRead(found.value().value(), found.value().changes()),
                    found.coverage()));
  }

  @Override
  public Future<Gathered<SortedMap<String, List<MetricLines>>>> newest(
      NewestRead read, Predicate<String> hosts, ReadOptions options) {
    NewestQuestion question =
        new NewestQuestion(
            read.selectors(),
            read.after(),
            read.to(),
            read.escaping(),
            read.gzip(),
            read.maxSeries(),
            read.maxBytes());
    return gateways.read(question, hosts, options, question::merged);
  }

  @Override
  public Future<Gathered<List<MetricReductions>>> reductions(
      ReductionRead read, ReadOptions options) {
    ReductionsQuestion question =
        new ReductionsQuestion(read.names(), read.scope(), read.after(), read.to());
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<Map<String, MetricMetadata>>> metadata(
      List<String> tenants, ReadOptions options) {
    MetadataQuestion question = new MetadataQuestion(tenants);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<List<HostState>>> hosts(List<Matcher> scope, ReadOptions options) {
    HostsQuestion question = new HostsQuestion(scope);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<List<HostRetention>>> retentions(ReadOptions options) {
    RetentionQuestion question = new RetentionQuestion();
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<OwnerIntervals>> owners(SeriesSearch search, ReadOptions options) {
    OwnersQuestion question = new OwnersQuestion(search);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<UsageRows>> usage(UsageRead read, ReadOptions options) {
    UsageQuestion question = question(read);
    return read(question, options, question::merged);
  }

  @Override
  public Future<Gathered<UsageExtent>> usageExtent(UsageRead read, ReadOptions options) {
    UsageExtentQuestion question = new UsageExtentQuestion(question(read));
    return read(question, options, question::merged);
  }

  private static UsageQuestion question(UsageRead read) {
    return new UsageQuestion(read.matchers(), read.kept(), read.period(), read.terms());
  }

  @Override
  public Future<Changes> changes(Optional<Changes> last) {
    return gateways.changes(last);
  }

  @Override
  public int hostCount() {
    return gateways.hostCount();
  }

  @Override
  public long epoch() {
    return gateways.epoch();
  }

  @Override
  public ClusterState cluster() {
    return gateways.cluster();
  }
}
