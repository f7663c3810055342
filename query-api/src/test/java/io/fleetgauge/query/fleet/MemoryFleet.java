package io.fleetgauge.query.fleet;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.Holdings;
import io.fleetgauge.promql.fragment.NewestQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.ReductionNames;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TimeBucket;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.usage.KeptMonth;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A plain list of series, held by gateways that can be absent, down, frozen, or lack a host. It
 * answers fragments by looking at every series, with nothing cached. Thread-safe.
 */
public final class MemoryFleet {
  /** The label that names the host of a series. */
  public static final String HOST = "Hostname";

  private final Map<String, List<Series>> seriesByHost = new TreeMap<>();
  private final Map<String, List<String>> holdersByHost = new TreeMap<>();
  private final Set<String> gateways = new TreeSet<>();
  private final Set<String> gone = new HashSet<>();
  private final Set<String> down = new HashSet<>();
  private final Set<String> frozen = new HashSet<>();
  private final Set<String> notWhole = new HashSet<>();
  private final Map<String, List<ChangesQuestion.OfHost>> changes = new HashMap<>();
  private final Map<String, Long> incarnations = new HashMap<>();
  private final Map<String, MetricMetadata> metadata = new TreeMap<>();
  private final Map<String, String> tenantByMetric = new HashMap<>();
  private long epoch = 1;
  private long watermark = Long.MIN_VALUE;
  private boolean minority;
  private String unfit = "";
  private String note = "";

  // --- the layout ---

  /** A host with its owner and, in order, its replicas. */
  public synchronized MemoryFleet host(String host, String... holders) {
    seriesByHost.computeIfAbsent(host, none -> new ArrayList<>());
    holdersByHost.put(host, List.of(holders));
    gateways.addAll(List.of(holders));
    epoch++;
    return this;
  }

  /** Series of hosts that are there; a label names the host of each. */
  public synchronized MemoryFleet with(Series... series) {
    for (Series each : series) {
      seriesByHost.get(each.labels().value(HOST)).add(each);
    }
    return this;
  }

  public synchronized MemoryFleet metadata(String metric, MetricMetadata said) {
    metadata.put(metric, said);
    return this;
  }

  /** What a tenant's senders reported. */
  public synchronized MemoryFleet metadata(String tenant, String metric, MetricMetadata said) {
    tenantByMetric.put(metric, tenant);
    return metadata(metric, said);
  }

  /** The gateway is not in the cluster any more; the table still names it. */
  public synchronized void leave(String gateway) {
    gone.add(gateway);
  }

  /** The gateway refuses connections; the cluster has not noticed. */
  public synchronized void stop(String gateway) {
    down.add(gateway);
  }

  /** The gateway accepts requests and never answers. */
  public synchronized void freeze(String gateway) {
    frozen.add(gateway);
  }

  public synchronized void thaw(String gateway) {
    frozen.remove(gateway);
  }

  /** The gateway has forgotten which changes it reported. */
  public synchronized void restart(String gateway) {
    incarnations.merge(gateway, 2L, (last, none) -> last + 1);
    changes.remove(gateway);
  }

  /** The host's holders lack some of its samples, and know it. */
  public synchronized void damage(String host) {
    notWhole.add(host);
  }

  public synchronized void split() {
    minority = true;
  }

  /** Gateways report that parts of queries cannot be merged exactly. */
  public synchronized void refuseParts(String reason) {
    unfit = reason;
  }

  /** Gateways report how they executed each part, and one cell of a rollup for each host. */
  public synchronized void noteParts(String how) {
    note = how;
  }

  public synchronized void watermark(long time) {
    watermark = time;
  }

  /** A sample of a series that may be new, at any time. */
  public synchronized void add(Labels labels, long time, double value) {
    String host = labels.value(HOST);
    List<Series> all = seriesByHost.get(host);
    Series sample = new Series(labels, new long[] {time}, new double[] {value});
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).labels().equals(labels)) {
        sample = Series.union(all.get(i), sample);
        all.remove(i);
        break;
      }
    }
    all.add(sample);
    for (String gateway : holdersByHost.get(host)) {
      changes
          .computeIfAbsent(gateway, none -> new ArrayList<>())
          .add(new ChangesQuestion.OfHost(host, false, List.of(TimeBucket.of(time))));
    }
  }

  public synchronized Set<String> gateways() {
    return Set.copyOf(gateways);
  }

  public synchronized List<Series> allSeries() {
    return seriesByHost.values().stream()
        .flatMap(List::stream)
        .sorted(Comparator.comparing(Series::labels))
        .toList();
  }

  public synchronized boolean isFrozen(String gateway) {
    return frozen.contains(gateway);
  }

  public synchronized boolean isDown(String gateway) {
    return down.contains(gateway);
  }

  public synchronized long epoch() {
    return epoch;
  }

  synchronized boolean isMinority() {
    return minority;
  }

  synchronized long watermark() {
    return watermark;
  }

  synchronized Set<String> hosts() {
    return Set.copyOf(holdersByHost.keySet());
  }

  /** The gateways in the cluster that read a host, its owner first. */
  synchronized List<String> readers(String host) {
    return holdersByHost.get(host).stream().filter(each -> !gone.contains(each)).toList();
  }

  synchronized String owner(String host) {
    return holdersByHost.get(host).getFirst();
  }

  public synchronized Set<String> present() {
    return gateways.stream().filter(each -> !gone.contains(each)).collect(Collectors.toSet());
  }

  /** What a query API would see of it. */
  public synchronized ClusterView view(Map<String, URI> addresses) {
    TreeMap<String, Holders> table = new TreeMap<>();
    holdersByHost.forEach(
        (host, holders) ->
            table.put(
                host,
                new Holders(
                    holders.getFirst(),
                    1,
                    Set.of(),
                    holders.stream().skip(1).map(each -> new Holders.Copy(each, 1, true)).toList(),
                    Optional.empty())));
    Map<String, URI> present = new TreeMap<>(addresses);
    present.keySet().retainAll(present());
    return new ClusterView(
        new OwnershipTable(1, epoch, List.copyOf(gateways), table), present, minority);
  }

  // --- fragments ---

  /**
   * The answer of a gateway.
   *
   * @throws QueryFailure if the question's budget is exceeded
   */
  public synchronized FragmentAnswer answer(
      String gateway, List<String> hosts, Question<?> question) throws QueryFailure {
    List<String> held =
        hosts.stream()
            .filter(host -> holdersByHost.getOrDefault(host, List.of()).contains(gateway))
            .toList();
    Held holdings = new Held(gateway, held);
    try {
      Result result = question.answer(holdings);
      boolean several = question instanceof SeveralQuestion;
      return new FragmentAnswer(epoch, several ? held : holdings.covered(), result);
    } catch (TooManySamples e) {
      throw new QueryFailure(QueryFailure.Kind.EXECUTION, e.getMessage());
    }
  }

  /** The data of some hosts, as a gateway has it. */
  private final class Held implements Holdings {
    private final String gateway;
    private final List<String> held;

    Held(String gateway, List<String> held) {
      this.gateway = gateway;
      this.held = held;
    }

    @Override
    public List<String> hosts() {
      return held;
    }

    @Override
    public List<String> covered() {
      return held.stream().filter(host -> !notWhole.contains(host)).toList();
    }

    @Override
    public Holdings of(String host) {
      return new Held(gateway, List.of(host));
    }

    @Override
    public Holdings again() {
      return this;
    }

    @Override
    public String failed(Question<?> question, RuntimeException failure) {
      throw failure;
    }

    @Override
    public List<Series> samples(Selection selection, long budget) throws TooManySamples {
      List<Series> found = select(held, selection);
      if (found.stream().mapToLong(Series::size).sum() > budget) {
        throw new TooManySamples(budget);
      }
      return found;
    }

    @Override
    public Extent extent(Selection selection) {
      List<Series> found = select(held, selection);
      return new Extent(found.size(), found.stream().mapToLong(Series::size).sum());
    }

    @Override
    public List<String> labelNames(SeriesSearch search) {
      return search(held, search).stream()
          .flatMap(each -> names(each).stream())
          .distinct()
          .sorted()
          .limit(limit(search))
          .toList();
    }

    @Override
    public List<String> labelValues(String label, SeriesSearch search) {
      return search(held, search).stream()
          .map(each -> each.value(label))
          .filter(value -> !value.isEmpty())
          .distinct()
          .sorted()
          .limit(limit(search))
          .toList();
    }

    @Override
    public List<Labels> labelSets(SeriesSearch search) {
      return search(held, search).stream().sorted().limit(limit(search)).toList();
    }

    @Override
    public OwnerIntervals owners(SeriesSearch search) {
      return new OwnerIntervals(
          search(held, search).stream()
              .sorted()
              .map(
                  each ->
                      new OwnedSeries(
                          each.without("job"),
                          List.of(
                              new OwnedSeries.Interval(
                                  Labels.of("job", each.value("job")),
                                  search.from(),
                                  search.to()))))
              .toList(),
          0);
    }

    @Override
    public NewestQuestion.Answer newest(NewestQuestion question) {
      return MemoryFleet.this.newest(question, held);
    }

    @Override
    public List<MetricReductions> reductions(ReductionsQuestion question) {
      return MemoryFleet.this.reductions(question, held);
    }

    @Override
    public List<KeptMonth> keptUsage(String host, long from, long to) {
      return List.of();
    }

    @Override
    public List<HostState> states(List<Matcher> scope) {
      return held.stream()
          .filter(host -> scope.isEmpty() || has(host, scope))
          .map(MemoryFleet.this::state)
          .toList();
    }

    @Override
    public List<HostRetention> retentions() {
      return held.stream().map(host -> new HostRetention(host, oldest(host), 1L << 50)).toList();
    }

    @Override
    public Map<String, MetricMetadata> metadata(Collection<String> tenants) {
      return metadataOf(tenants);
    }

    @Override
    public ChangesQuestion.Answer changes(ChangesQuestion.Since since) {
      return MemoryFleet.this.changes(gateway, since);
    }

    @Override
    public PartsQuestion.Answer parts(PartsQuestion question) {
      return MemoryFleet.this.parts(question, held);
    }
  }

  private boolean has(String host, List<Matcher> scope) {
    return seriesByHost.get(host).stream().anyMatch(each -> matches(scope, each.labels()));
  }

  private Map<String, MetricMetadata> metadataOf(Collection<String> tenants) {
    Map<String, MetricMetadata> all = new TreeMap<>(metadata);
    all.keySet()
        .removeIf(
            metric ->
                !tenants.isEmpty()
                    && tenantByMetric.containsKey(metric)
                    && !tenants.contains(tenantByMetric.get(metric)));
    return all;
  }

  private static long limit(SeriesSearch search) {
    return search.limit() == 0 ? Long.MAX_VALUE : search.limit();
  }

  private static List<String> names(Labels labels) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < labels.size(); i++) {
      names.add(labels.name(i));
    }
    return names;
  }

  private List<Labels> search(List<String> hosts, SeriesSearch search) {
    List<Labels> found = new ArrayList<>();
    for (String host : hosts) {
      for (Series each : seriesByHost.get(host)) {
        boolean matches =
            search.matchers().isEmpty()
                || search.matchers().stream().anyMatch(one -> matches(one, each.labels()));
        if (matches && cut(each, search.from() - 1, search.to()).size() > 0) {
          found.add(each.labels());
        }
      }
    }
    return found;
  }

  private static boolean matches(List<Matcher> matchers, Labels labels) {
    return matchers.stream().allMatch(matcher -> matcher.matches(labels));
  }

  private List<Series> select(List<String> hosts, Selection selection) {
    return hosts.stream()
        .flatMap(host -> seriesByHost.get(host).stream())
        .filter(each -> matches(selection.matchers(), each.labels()))
        .map(each -> cut(each, selection.from(), selection.to()))
        .filter(each -> each.size() > 0)
        .sorted(Comparator.comparing(Series::labels))
        .toList();
  }

  private static Series cut(Series series, long after, long to) {
    int from = Series.firstAfter(series.times(), 0, series.size(), after);
    int end = Series.firstAfter(series.times(), from, series.size(), to);
    return new Series(
        series.labels(),
        Arrays.copyOfRange(series.times(), from, end),
        Arrays.copyOfRange(series.values(), from, end),
        series.histograms() == null ? null : Arrays.copyOfRange(series.histograms(), from, end));
  }

  private PartsQuestion.Answer parts(PartsQuestion asked, List<String> held) {
    if (!unfit.isEmpty()) {
      return new PartsQuestion.Unfit(unfit);
    }
    SeriesSource stored =
        (selection, receiver) -> {
          for (Series series : select(held, selection)) {
            receiver.accept(series);
          }
        };
    SeriesSource source = asked.label().map(label -> label.over(stored)).orElse(stored);
    try {
      List<PartResult> parts = new ArrayList<>();
      for (PartsQuestion.Part part : asked.parts()) {
        Query query = asked.query(part);
        Grid grid = part.grid();
        parts.add(
            part.partial()
                ? Engine.partials(
                        query, (Expr.Aggregate) query.expr(), grid, source, StopCheck.NEVER)
                    .orElseThrow()
                : Engine.columns(query, query.expr(), grid, source, StopCheck.NEVER));
      }
      return new PartsQuestion.Results(
          held,
          parts,
          parts.stream().map(each -> note).toList(),
          note.isEmpty() ? 0 : held.size(),
          List.of(HOST),
          Optional.empty());
    } catch (ParseException e) {
      throw new IllegalStateException(e);
    } catch (QueryFailure e) {
      return new PartsQuestion.Unfit(e.getMessage());
    }
  }

  private NewestQuestion.Answer newest(NewestQuestion asked, List<String> held) {
    Map<String, ExpositionLines> lines = new TreeMap<>();
    for (String host : held) {
      for (Series each : seriesByHost.get(host)) {
        Series recent = cut(each, asked.after(), asked.to());
        boolean matches = asked.selectors().stream().anyMatch(one -> matches(one, each.labels()));
        if (matches && recent.size() > 0) {
          lines
              .computeIfAbsent(each.labels().metric(), none -> new ExpositionLines(64))
              .add(
                  ExpositionLine.start(each.labels(), asked.escaping())
                      .getBytes(StandardCharsets.UTF_8),
                  recent.values()[recent.size() - 1],
                  recent.times()[recent.size() - 1]);
        }
      }
    }
    List<MetricLines> families = new ArrayList<>();
    lines.forEach(
        (metric, each) ->
            families.add(
                new MetricLines(
                    metric,
                    each.count(),
                    new GzipPiece(each.array(), 0, each.size(), each.size(), 0))));
    return new NewestQuestion.Answer(asked.gzip(), families);
  }

  /** Metrics reduced by rack, as {@code rack:METRIC:op} names them. */
  private List<MetricReductions> reductions(ReductionsQuestion asked, List<String> held) {
    Map<String, TreeMap<Labels, double[]>> metrics = new TreeMap<>();
    TreeSet<Labels> groups = new TreeSet<>();
    for (String host : held) {
      for (Series each : seriesByHost.get(host)) {
        Series recent = cut(each, asked.after(), asked.to());
        if (recent.size() > 0
            && matches(asked.scope(), each.labels())
            && asked.names().stream().anyMatch(ReductionNames::isOfReductions)) {
          Labels group = each.labels().only(List.of("rack"));
          groups.add(group);
          metrics
              .computeIfAbsent(each.labels().metric(), none -> new TreeMap<>())
              .merge(
                  group,
                  new double[] {1, recent.values()[recent.size() - 1]},
                  (a, b) -> new double[] {a[0] + b[0], a[1] + b[1]});
        }
      }
    }
    List<Labels> order = List.copyOf(groups);
    List<MetricReductions.OfMetric> all = new ArrayList<>();
    metrics.forEach(
        (metric, byGroup) -> {
          MetricReductions.OfMetric one = MetricReductions.OfMetric.empty(metric, order.size());
          byGroup.forEach(
              (group, sum) -> {
                int at = order.indexOf(group);
                one.counts()[at] = (long) sum[0];
                one.sums()[at] = sum[1];
              });
          all.add(one);
        });
    return all.isEmpty() ? List.of() : List.of(new MetricReductions(List.of("rack"), order, all));
  }

  private long oldest(String host) {
    return seriesByHost.get(host).stream()
        .mapToLong(each -> each.times()[0])
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private HostState state(String host) {
    List<Series> all = seriesByHost.get(host);
    long newest =
        all.stream().mapToLong(each -> each.times()[each.size() - 1]).max().orElse(Long.MIN_VALUE);
    return new HostState(host, newest, 1_000, all.size());
  }

  private ChangesQuestion.Answer changes(String gateway, ChangesQuestion.Since since) {
    List<ChangesQuestion.OfHost> log = changes.getOrDefault(gateway, List.of());
    long incarnation = incarnations.getOrDefault(gateway, 1L);
    int from = since.incarnation() == incarnation ? (int) since.cursor() : log.size();
    return new ChangesQuestion.Answer(
        incarnation, log.size(), watermark, List.copyOf(log.subList(from, log.size())));
  }
}
