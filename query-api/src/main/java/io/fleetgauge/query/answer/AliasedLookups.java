package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.SeenSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.AliasUse;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import io.fleetgauge.sample.vocabulary.SeriesAliases;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Looks up labels and series of which some are asked for by their aliases. What uses no alias is
 * read as before. Thread-safe.
 */
final class AliasedLookups {
  private final Stores stores;
  private final AliasTable table;

  AliasedLookups(Stores stores, AliasTable table) {
    this.stores = stores;
    this.table = table;
  }

  /**
   * Stored series, and how they are seen.
   *
   * @param selectors with the caller's scope; all series when there are none
   */
  private record Part(SeriesAliases seen, List<List<Matcher>> selectors) {
    SeriesSearch search(SeriesFilter filter, int limit) {
      return new SeriesSearch(filter.from(), filter.to(), limit, selectors);
    }

    /** Those of these series that lack a label. */
    Part without(String label) {
      List<List<Matcher>> lacking = new ArrayList<>();
      for (List<Matcher> matchers : selectors.isEmpty() ? List.of(List.<Matcher>of()) : selectors) {
        List<Matcher> all = new ArrayList<>(matchers);
        all.add(Matcher.equal(label, ""));
        lacking.add(List.copyOf(all));
      }
      return new Part(seen, lacking);
    }
  }

  private static List<Part> parts(List<List<Matcher>> selectors, Aliases aliases, Caller caller)
      throws QueryFailure {
    if (selectors.isEmpty()) {
      List<List<Matcher>> all = caller.scope().isEmpty() ? List.of() : List.of(caller.scope());
      return List.of(new Part(aliases.unnamed(), all));
    }
    Map<SeriesAliases, List<List<Matcher>>> bySeen = new LinkedHashMap<>();
    for (List<Matcher> selector : selectors) {
      for (Reading reading : AliasUse.readings(selector, aliases)) {
        bySeen
            .computeIfAbsent(reading.seen(), none -> new ArrayList<>())
            .add(caller.scoped(reading.matchers()));
      }
    }
    return bySeen.entrySet().stream()
        .map(each -> new Part(each.getKey(), each.getValue()))
        .toList();
  }

  private Aliases used(SeriesFilter filter) {
    return AliasUse.of(filter.selectors(), table);
  }

  /** The stored selectors of a filter, with the caller's scope. */
  List<List<Matcher>> selectors(SeriesFilter filter, Caller caller) throws QueryFailure {
    return parts(filter.selectors(), used(filter), caller).stream()
        .flatMap(part -> part.selectors().stream())
        .toList();
  }

  // --- names, values and series ---

  Future<Gathered<List<String>>> labelNames(
      SeriesFilter filter, Caller caller, int limit, ReadOptions options) throws QueryFailure {
    return merged(
        parts(filter.selectors(), used(filter), caller),
        part -> stores.source().labelNames(part.search(filter, limit), options),
        (part, names) -> {
          List<String> seen = new ArrayList<>(names);
          part.seen()
              .labels()
              .forEach(
                  (alias, stored) -> {
                    if (names.contains(stored)) {
                      seen.add(alias);
                    }
                  });
          return seen;
        });
  }

  Future<Gathered<List<String>>> labelValues(
      String label, SeriesFilter filter, Caller caller, int limit, ReadOptions options)
      throws QueryFailure {
    if (label.equals(Labels.NAME)) {
      return metricNames(filter, caller, limit, options);
    }
    Aliases aliases = used(filter);
    if (table.hasLabel(label)) {
      Aliases ofLabel = table.used(List.of(), List.of(label));
      Map<String, String> labels = new LinkedHashMap<>(aliases.labels());
      labels.putAll(ofLabel.labels());
      aliases = new Aliases(aliases.metrics(), labels);
    }
    List<Part> parts = parts(filter.selectors(), aliases, caller);
    Function<Part, Future<Gathered<List<String>>>> own =
        part -> stores.source().labelValues(label, part.search(filter, limit), options);
    String stored = aliases.labels().get(label);
    if (stored == null) {
      return merged(parts, own, (part, values) -> values);
    }
    Function<Part, Future<Gathered<List<String>>>> taken =
        part ->
            stores.source().labelValues(stored, part.without(label).search(filter, limit), options);
    Future<Gathered<List<String>>> first = merged(parts, own, (part, values) -> values);
    Future<Gathered<List<String>>> second = merged(parts, taken, (part, values) -> values);
    return Future.all(first, second)
        .map(
            both -> {
              TreeSet<String> all = new TreeSet<>(Utf8Order::compare);
              all.addAll(first.result().value());
              all.addAll(second.result().value());
              return new Gathered<>(
                  List.copyOf(all), first.result().coverage().and(second.result().coverage()));
            });
  }

  /** Names of metrics: stored ones, and aliases that a selector names. */
  private Future<Gathered<List<String>>> metricNames(
      SeriesFilter filter, Caller caller, int limit, ReadOptions options) throws QueryFailure {
    return merged(
        parts(filter.selectors(), used(filter), caller),
        part -> stores.source().labelValues(Labels.NAME, part.search(filter, limit), options),
        (part, names) -> {
          if (part.seen().metric().isPresent()) {
            return names.isEmpty() ? List.of() : List.of(part.seen().metric().orElseThrow().name());
          }
          return names;
        });
  }

  Future<Gathered<List<Labels>>> labelSets(
      SeriesFilter filter, Caller caller, int limit, ReadOptions options) throws QueryFailure {
    List<Part> parts = parts(filter.selectors(), used(filter), caller);
    if (isStored(parts)) {
      return stores.source().labelSets(parts.getFirst().search(filter, limit), options);
    }
    return gathered(parts, part -> stores.source().labelSets(part.search(filter, limit), options))
        .map(
            found -> {
              TreeSet<Labels> all = new TreeSet<>();
              for (int i = 0; i < parts.size(); i++) {
                SeriesAliases seen = parts.get(i).seen();
                found.value().get(i).forEach(labels -> all.add(seen.labels(labels)));
              }
              return new Gathered<>(List.copyOf(all), found.coverage());
            });
  }

  Future<Gathered<List<OwnedSeries>>> owners(
      SeriesFilter filter, Caller caller, int limit, ReadOptions options) throws QueryFailure {
    List<Part> parts = parts(filter.selectors(), used(filter), caller);
    return gathered(parts, part -> stores.fleet().owners(part.search(filter, limit), options))
        .map(
            found -> {
              List<OwnedSeries> all = new ArrayList<>();
              for (int i = 0; i < parts.size(); i++) {
                SeriesAliases seen = parts.get(i).seen();
                for (OwnedSeries series : found.value().get(i).series()) {
                  all.add(new OwnedSeries(seen.labels(series.identity()), series.intervals()));
                }
              }
              return new Gathered<>(List.copyOf(all), found.coverage());
            });
  }

  private static boolean isStored(List<Part> parts) {
    return parts.size() == 1 && parts.getFirst().seen().equals(SeriesAliases.AS_STORED);
  }

  /** Sorted strings of all parts, each once. */
  private static Future<Gathered<List<String>>> merged(
      List<Part> parts,
      Function<Part, Future<Gathered<List<String>>>> read,
      BiFunction<Part, List<String>, List<String>> seen) {
    return gathered(parts, read)
        .map(
            found -> {
              if (parts.size() == 1) {
                List<String> stored = found.value().getFirst();
                List<String> shown = seen.apply(parts.getFirst(), stored);
                if (shown.size() == stored.size()) {
                  return new Gathered<>(shown, found.coverage());
                }
              }
              TreeSet<String> all = new TreeSet<>(Utf8Order::compare);
              for (int i = 0; i < parts.size(); i++) {
                all.addAll(seen.apply(parts.get(i), found.value().get(i)));
              }
              return new Gathered<>(List.copyOf(all), found.coverage());
            });
  }

  private static <T> Future<Gathered<List<T>>> gathered(
      List<Part> parts, Function<Part, Future<Gathered<T>>> read) {
    List<Future<Gathered<T>>> all = parts.stream().map(read).toList();
    return Future.all(all)
        .map(
            none -> {
              Coverage coverage = all.getFirst().result().coverage();
              for (Future<Gathered<T>> each : all.subList(1, all.size())) {
                coverage = coverage.and(each.result().coverage());
              }
              return new Gathered<>(
                  all.stream().map(each -> each.result().value()).toList(), coverage);
            });
  }

  // --- samples ---

  /** Selections to read, and the forms in which their series are seen. */
  record SamplesPlan(List<Selection> stored, List<List<Reading>> readings) {
    /** The series of each selection, from those of each stored one. */
    List<List<Series>> seen(List<List<Series>> found) throws QueryFailure {
      List<List<Series>> all = new ArrayList<>();
      int next = 0;
      for (List<Reading> of : readings) {
        if (of.size() == 1 && of.getFirst().seen().equals(SeriesAliases.AS_STORED)) {
          all.add(found.get(next++));
          continue;
        }
        SeenSeries seen = new SeenSeries();
        for (Reading reading : of) {
          for (Series series : found.get(next++)) {
            seen.add(reading, series);
          }
        }
        all.add(seen.series());
      }
      return all;
    }
  }

  /** The aliases that selections use are in effect for all of them. */
  SamplesPlan samples(List<Selection> selections, Caller caller) throws QueryFailure {
    Aliases aliases = AliasUse.of(selections.stream().map(Selection::matchers).toList(), table);
    List<Selection> stored = new ArrayList<>();
    List<List<Reading>> readings = new ArrayList<>();
    for (Selection selection : selections) {
      List<Reading> of =
          AliasUse.readings(selection.matchers(), aliases).stream()
              .map(reading -> reading.scoped(caller.scope()))
              .toList();
      readings.add(of);
      for (Reading reading : of) {
        stored.add(new Selection(reading.matchers(), selection.from(), selection.to()));
      }
    }
    return new SamplesPlan(stored, readings);
  }

  /** Returns true if one of some selectors uses an alias. */
  boolean isUsedIn(List<List<Matcher>> selectors) {
    return !AliasUse.of(selectors, table).isEmpty();
  }

  /** Adds the metadata of the aliases of known metrics. */
  void describe(Map<String, List<MetricMetadata>> known) {
    for (MetricAlias alias : table.metrics()) {
      List<MetricMetadata> stored = known.get(alias.stored());
      if (stored != null) {
        known.putIfAbsent(
            alias.name(), stored.stream().map(metadata -> described(alias, metadata)).toList());
      }
    }
  }

  private static MetricMetadata described(MetricAlias alias, MetricMetadata stored) {
    return new MetricMetadata(
        stored.type(),
        alias.help().isEmpty() ? stored.help() : alias.help(),
        alias.unit().isEmpty() ? stored.unit() : alias.unit());
  }
}
