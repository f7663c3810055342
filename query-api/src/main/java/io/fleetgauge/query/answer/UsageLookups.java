package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.series.UsageMetric;
import io.fleetgauge.promql.usage.series.UsageSelector;
import io.fleetgauge.promql.usage.series.UsageSeries;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Looks up labels and series of which some are series of usage. These have the labels of owners
 * that the stored series have which they are made of; no usage is counted for that. Thread-safe.
 */
final class UsageLookups {
  private static final String ALLOCATED = "gpu_allocated";

  private final AliasedLookups stored;

  UsageLookups(AliasedLookups stored) {
    this.stored = stored;
  }

  /** Looks up what stored series have. */
  @FunctionalInterface
  private interface Lookup<T> {
    Future<Gathered<List<T>>> of(SeriesFilter filter) throws QueryFailure;
  }

  Future<Gathered<List<String>>> labelNames(
      SeriesFilter filter, Caller caller, int limit, ReadOptions options) throws QueryFailure {
    Lookup<String> lookup = each -> stored.labelNames(each, caller, limit, options);
    return joined(filter, lookup, lookup, UsageLookups::names, new TreeSet<>(Utf8Order::compare));
  }

  private static List<String> names(UsageSelector usage, List<String> found) {
    List<String> names = new ArrayList<>(found);
    names.retainAll(UsageSeries.LABELS);
    if (!found.isEmpty() && hasSeries(usage)) {
      names.add(Labels.NAME);
      names.addAll(classes(usage).isEmpty() ? List.of() : List.of(UsageMetric.CLASS));
    }
    return names;
  }

  private static boolean hasSeries(UsageSelector usage) {
    return usage.metrics().stream()
        .flatMap(each -> each.classes().stream())
        .anyMatch(usage::isMeant);
  }

  private static List<String> classes(UsageSelector usage) {
    return usage.metrics().stream()
        .flatMap(each -> each.classes().stream())
        .filter(name -> !name.isEmpty() && usage.isMeant(name))
        .toList();
  }

  Future<Gathered<List<String>>> labelValues(
      String label, SeriesFilter filter, Caller caller, int limit, ReadOptions options)
      throws QueryFailure {
    boolean isOwners = UsageSeries.LABELS.contains(label);
    String of = isOwners ? label : Labels.NAME;
    Future<Gathered<List<String>>> values =
        joined(
            filter,
            each -> stored.labelValues(label, each, caller, limit, options),
            each -> stored.labelValues(of, each, caller, limit, options),
            (usage, found) -> isOwners || found.isEmpty() ? found : values(label, usage),
            new TreeSet<>(Utf8Order::compare));
    return label.equals(Labels.NAME) && filter.selectors().isEmpty()
        ? values.map(found -> new Gathered<>(withNames(found.value()), found.coverage()))
        : values;
  }

  private static List<String> values(String label, UsageSelector usage) {
    return switch (label) {
      case UsageMetric.CLASS -> classes(usage);
      case Labels.NAME -> usage.metrics().stream().map(each -> each.metric).toList();
      default -> List.of();
    };
  }

  /** Names of metrics, with those of series of usage if these can be made. */
  private static List<String> withNames(List<String> stored) {
    if (!isMadeOf(stored)) {
      return stored;
    }
    TreeSet<String> all = new TreeSet<>(Utf8Order::compare);
    all.addAll(stored);
    for (UsageMetric each : UsageMetric.values()) {
      all.add(each.metric);
    }
    return List.copyOf(all);
  }

  /**
   * Returns true if series of usage are told of beside some metrics: where GPUs have owners that a
   * probe names. Other data is listed as Prometheus lists it.
   */
  private static boolean isMadeOf(Collection<String> metrics) {
    return metrics.contains(ALLOCATED);
  }

  /** Adds the metadata of series of usage, if the caller sees what they are made of. */
  static void describe(Map<String, List<MetricMetadata>> known) {
    if (isMadeOf(known.keySet())) {
      for (UsageMetric each : UsageMetric.values()) {
        known.put(each.metric, List.of(new MetricMetadata("counter", each.help, each.unit)));
      }
    }
  }

  Future<Gathered<List<Labels>>> labelSets(
      SeriesFilter filter, Caller caller, int limit, ReadOptions options) throws QueryFailure {
    return joined(
        filter,
        each -> stored.labelSets(each, caller, limit, options),
        each -> stored.labelSets(each, caller, most(caller), options),
        UsageLookups::series,
        new TreeSet<>());
  }

  /** A limit of what is asked for is none of what that is made of. */
  private static int most(Caller caller) {
    return (int) Math.min(Integer.MAX_VALUE, caller.limits().series() + 1);
  }

  private static Collection<Labels> series(UsageSelector usage, List<Labels> found) {
    Set<Labels> all = new HashSet<>();
    for (Labels each : found) {
      Labels owner = each.only(UsageSeries.LABELS);
      for (UsageMetric metric : usage.metrics()) {
        metric.classes().stream()
            .filter(usage::isMeant)
            .forEach(name -> all.add(metric.labels(owner, name)));
      }
    }
    return all;
  }

  /**
   * What is stored and what is made, in order.
   *
   * @param usual looks up what is meant of stored series
   * @param made looks up stored series of which series of usage are made
   * @param shown what series of usage have of that
   */
  private static <T> Future<Gathered<List<T>>> joined(
      SeriesFilter filter,
      Lookup<T> usual,
      Lookup<T> made,
      BiFunction<UsageSelector, List<T>, Collection<T>> shown,
      TreeSet<T> into)
      throws QueryFailure {
    List<Future<Gathered<? extends Collection<T>>>> all = new ArrayList<>();
    List<List<Matcher>> others = new ArrayList<>();
    for (List<Matcher> selector : filter.selectors()) {
      Optional<UsageSelector> usage = UsageSelector.of(selector);
      if (usage.isEmpty() || !usage.get().isAlone()) {
        others.add(selector);
      }
      if (usage.isPresent()) {
        List<List<Matcher>> of =
            HostUsage.selectors().stream()
                .map(each -> Stream.concat(usage.get().rows().stream(), each.stream()).toList())
                .toList();
        all.add(
            made.of(with(filter, of))
                .map(
                    found ->
                        new Gathered<>(shown.apply(usage.get(), found.value()), found.coverage())));
      }
    }
    if (all.isEmpty()) {
      return usual.of(filter);
    }
    if (!others.isEmpty()) {
      all.add(usual.of(with(filter, others)).map(found -> found));
    }
    return Future.all(all)
        .map(
            none -> {
              Coverage coverage = Coverage.NONE;
              for (Future<Gathered<? extends Collection<T>>> each : all) {
                coverage = coverage.and(each.result().coverage());
                into.addAll(each.result().value());
              }
              return new Gathered<>(List.copyOf(into), coverage);
            });
  }

  private static SeriesFilter with(SeriesFilter filter, List<List<Matcher>> selectors) {
    return new SeriesFilter(filter.from(), filter.to(), filter.limit(), selectors);
  }
}
