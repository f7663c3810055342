package io.fleetgauge.query.shards;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.ReductionNames;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
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
  private final Map<String, List<FragmentAnswer.Changed>> changes = new HashMap<>();
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
          .add(new FragmentAnswer.Changed(host, false, List.of(FragmentAnswer.bucket(time))));
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
   * What a gateway answers.
   *
   * @throws QueryFailure if the fragment's budget is exceeded
   */
  public synchronized FragmentAnswer answer(String gateway, Fragment fragment) throws QueryFailure {
    List<String> held =
        fragment.hosts().stream()
            .filter(host -> holdersByHost.getOrDefault(host, List.of()).contains(gateway))
            .toList();
    List<String> whole = held.stream().filter(host -> !notWhole.contains(host)).toList();
    return switch (fragment) {
      case Fragment.Samples samples -> {
        List<List<Series>> all = new ArrayList<>();
        long count = 0;
        for (Selection selection : samples.selections()) {
          List<Series> found = select(held, selection);
          count += found.stream().mapToLong(Series::size).sum();
          all.add(found);
        }
        if (count > samples.budget()) {
          throw over(count, samples.budget());
        }
        yield new FragmentAnswer.Samples(epoch, whole, all);
      }
      case Fragment.LabelNames names ->
          new FragmentAnswer.Strings(
              epoch,
              whole,
              search(held, names.search()).stream()
                  .flatMap(each -> names(each).stream())
                  .distinct()
                  .sorted()
                  .limit(limit(names.search()))
                  .toList());
      case Fragment.LabelValues values ->
          new FragmentAnswer.Strings(
              epoch,
              whole,
              search(held, values.search()).stream()
                  .map(each -> each.value(values.label()))
                  .filter(value -> !value.isEmpty())
                  .distinct()
                  .sorted()
                  .limit(limit(values.search()))
                  .toList());
      case Fragment.LabelSets sets ->
          new FragmentAnswer.LabelSets(
              epoch,
              whole,
              search(held, sets.search()).stream().sorted().limit(limit(sets.search())).toList());
      case Fragment.Owners owners ->
          new FragmentAnswer.Owners(
              epoch,
              whole,
              0,
              search(held, owners.search()).stream()
                  .sorted()
                  .map(
                      each ->
                          new FragmentAnswer.OwnedSeries(
                              each.without("job"),
                              List.of(
                                  new FragmentAnswer.OwnerInterval(
                                      Labels.of("job", each.value("job")),
                                      owners.search().from(),
                                      owners.search().to()))))
                  .toList());
      case Fragment.Parts parts -> {
        Optional<FragmentAnswer.Changes> changes =
            parts.since().map(since -> changes(gateway, since));
        FragmentAnswer answer = parts(parts, held, whole);
        yield answer instanceof FragmentAnswer.Parts found ? found.after(changes) : answer;
      }
      case Fragment.Several several -> {
        List<FragmentAnswer> answers = new ArrayList<>();
        for (Fragment each : several.fragments()) {
          try {
            answers.add(answer(gateway, each));
          } catch (QueryFailure e) {
            answers.add(new FragmentAnswer.Refused(epoch, held, e.getMessage()));
          }
        }
        yield new FragmentAnswer.Several(epoch, held, answers);
      }
      case Fragment.Extent extent -> {
        List<Long> series = new ArrayList<>();
        List<Long> samples = new ArrayList<>();
        for (Selection selection : extent.selections()) {
          List<Series> found = select(held, selection);
          series.add((long) found.size());
          samples.add(found.stream().mapToLong(Series::size).sum());
        }
        yield new FragmentAnswer.Extent(epoch, whole, series, samples);
      }
      case Fragment.Metadata asked ->
          new FragmentAnswer.Metadata(epoch, whole, metadataOf(asked.tenants()));
      case Fragment.Newest newest -> newest(newest, held, whole);
      case Fragment.Reduced reduced ->
          new FragmentAnswer.Reduced(epoch, whole, reductions(reduced, held));
      case Fragment.Hosts hosts ->
          new FragmentAnswer.Hosts(
              epoch,
              whole,
              held.stream()
                  .filter(host -> hosts.scope().isEmpty() || has(host, hosts.scope()))
                  .map(this::state)
                  .toList());
      case Fragment.Changes asked -> changes(gateway, asked.since());
    };
  }

  private boolean has(String host, List<Matcher> scope) {
    return seriesByHost.get(host).stream().anyMatch(each -> matches(scope, each.labels()));
  }

  private Map<String, MetricMetadata> metadataOf(List<String> tenants) {
    Map<String, MetricMetadata> all = new TreeMap<>(metadata);
    all.keySet()
        .removeIf(
            metric ->
                !tenants.isEmpty()
                    && tenantByMetric.containsKey(metric)
                    && !tenants.contains(tenantByMetric.get(metric)));
    return all;
  }

  private static long limit(Fragment.Search search) {
    return search.limit() == 0 ? Long.MAX_VALUE : search.limit();
  }

  private static List<String> names(Labels labels) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < labels.size(); i++) {
      names.add(labels.name(i));
    }
    return names;
  }

  private static QueryFailure over(long found, long budget) {
    return new QueryFailure(
        QueryFailure.Kind.EXECUTION, found + " samples on one gateway, allowed are " + budget);
  }

  private List<Labels> search(List<String> hosts, Fragment.Search search) {
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

  private FragmentAnswer parts(Fragment.Parts asked, List<String> held, List<String> whole)
      throws QueryFailure {
    if (!unfit.isEmpty()) {
      return new FragmentAnswer.Unfit(epoch, held, unfit);
    }
    SeriesSource source =
        (selection, receiver) -> {
          for (Series series : select(held, selection)) {
            receiver.accept(series);
          }
        };
    try {
      ParseOptions options =
          new ParseOptions(
              asked.query().settings().features(),
              asked.query().end() - asked.query().start(),
              asked.query().step());
      Query query =
          Planner.prepared(
              asked.query().with(Parser.parse(asked.query().text(), options)),
              asked.scope(),
              asked.aliases());
      List<PartResult> parts = new ArrayList<>();
      for (Fragment.Part part : asked.parts()) {
        Grid grid = part.grid();
        Expr expr = Planner.part(query, part.number());
        parts.add(
            part.partial()
                ? Engine.partials(query, (Expr.Aggregate) expr, grid, source, StopCheck.NEVER)
                    .orElseThrow()
                : Engine.columns(query, expr, grid, source, StopCheck.NEVER));
      }
      return new FragmentAnswer.Parts(
          epoch,
          whole,
          held,
          parts,
          parts.stream().map(each -> note).toList(),
          note.isEmpty() ? 0 : held.size(),
          List.of(HOST));
    } catch (ParseException e) {
      throw new IllegalStateException(e);
    } catch (QueryFailure e) {
      return new FragmentAnswer.Unfit(epoch, held, e.getMessage());
    }
  }

  private FragmentAnswer newest(Fragment.Newest asked, List<String> held, List<String> whole) {
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
    List<FragmentAnswer.Family> families = new ArrayList<>();
    lines.forEach(
        (metric, each) ->
            families.add(
                new FragmentAnswer.Family(
                    metric,
                    each.count(),
                    new GzipPiece(each.array(), 0, each.size(), each.size(), 0))));
    return new FragmentAnswer.Newest(epoch, whole, asked.gzip(), families);
  }

  /** Metrics reduced by rack, as {@code rack:METRIC:op} names them. */
  private List<FragmentAnswer.Reductions> reductions(Fragment.Reduced asked, List<String> held) {
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
    List<FragmentAnswer.Reduction> all = new ArrayList<>();
    metrics.forEach(
        (metric, byGroup) -> {
          FragmentAnswer.Reduction one = FragmentAnswer.Reduction.empty(metric, order.size());
          byGroup.forEach(
              (group, sum) -> {
                int at = order.indexOf(group);
                one.counts()[at] = (long) sum[0];
                one.sums()[at] = sum[1];
              });
          all.add(one);
        });
    return all.isEmpty()
        ? List.of()
        : List.of(new FragmentAnswer.Reductions(List.of("rack"), order, all));
  }

  private FragmentAnswer.Host state(String host) {
    List<Series> all = seriesByHost.get(host);
    long newest =
        all.stream().mapToLong(each -> each.times()[each.size() - 1]).max().orElse(Long.MIN_VALUE);
    return new FragmentAnswer.Host(host, newest, 1_000, all.size());
  }

  private FragmentAnswer.Changes changes(String gateway, Fragment.Since since) {
    List<FragmentAnswer.Changed> log = changes.getOrDefault(gateway, List.of());
    long incarnation = incarnations.getOrDefault(gateway, 1L);
    int from = since.incarnation() == incarnation ? (int) since.cursor() : log.size();
    return new FragmentAnswer.Changes(
        epoch,
        List.of(),
        incarnation,
        log.size(),
        watermark,
        List.copyOf(log.subList(from, log.size())));
  }
}
