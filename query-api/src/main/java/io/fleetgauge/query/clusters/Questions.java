package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.ChangesQuestion;
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
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.fragment.UsageExtentQuestion;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Puts questions to one cluster: selectors become those of its stored series, and its answers tell
 * of series as they are seen. One file, because each kind of read is one method.
 */
final class Questions {
  private final Selecting selecting;

  Questions(Selecting selecting) {
    this.selecting = selecting;
  }

  /**
   * The questions for the cluster, whose answers are all wanted.
   *
   * @return none if no series of the cluster is meant
   * @throws QueryFailure if a part of a query is no PromQL
   */
  @SuppressWarnings("unchecked") // each branch is for the question's own kind of answer
  <A extends Result> List<Asked<A>> of(Question<A> question) throws QueryFailure {
    if (question instanceof LabelValuesQuestion values) {
      return (List<Asked<A>>) (List<?>) values(values);
    }
    Optional<Asked<A>> one = (Optional<Asked<A>>) (Optional<?>) one(question);
    return one.stream().toList();
  }

  private Optional<?> one(Question<?> question) throws QueryFailure {
    return switch (question) {
      case SamplesQuestion samples -> samples(samples);
      case ExtentsQuestion extents -> extents(extents);
      case LabelNamesQuestion names -> names(names);
      case LabelValuesQuestion _ -> throw new IllegalStateException("it is several");
      case LabelSetsQuestion sets -> sets(sets);
      case OwnersQuestion owners -> owners(owners);
      case PartsQuestion parts -> new PartQuestions(selecting).of(parts);
      case MetadataQuestion metadata -> Optional.of(Asked.as(metadata(metadata)));
      case HostsQuestion hosts ->
          selecting.stored(hosts.scope()).map(scope -> Asked.as(new HostsQuestion(scope)));
      case RetentionQuestion retention -> Optional.of(Asked.as(retention(retention)));
      case ReductionsQuestion reductions -> reductions(reductions);
      case UsageQuestion usage -> usage(usage);
      case UsageExtentQuestion extent ->
          selecting
              .stored(extent.usage().matchers())
              .map(matchers -> Asked.as(new UsageExtentQuestion(stored(extent.usage(), matchers))));
      case NewestQuestion _, SeveralQuestion _, ChangesQuestion _ ->
          throw new QueryFailure(
              QueryFailure.Kind.BAD_DATA,
              "a question of the kind " + question.kind() + " is not for other clusters");
    };
  }

  /** It tells of all hosts, whatever a token sees. */
  private RetentionQuestion retention(RetentionQuestion asked) throws QueryFailure {
    if (selecting instanceof Selecting.Scoped) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "a token with a scope does not see since when hosts are kept");
    }
    return asked;
  }

  // --- samples ---

  /** The stored selections of some selections; null in the place of one that means no series. */
  private List<Selection> places(List<Selection> selections) {
    List<Selection> stored = new ArrayList<>();
    for (Selection each : selections) {
      stored.add(
          selecting
              .stored(each.matchers())
              .map(matchers -> new Selection(matchers, each.from(), each.to()))
              .orElse(null));
    }
    return stored;
  }

  private static List<Selection> meant(List<Selection> places) {
    return places.stream().filter(each -> each != null).toList();
  }

  private Optional<Asked<SamplesQuestion.Answer>> samples(SamplesQuestion asked) {
    List<Selection> places = places(asked.selections());
    List<Selection> meant = meant(places);
    if (meant.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Asked<>(
            new SamplesQuestion(asked.budget(), meant),
            answer -> {
              List<List<Series>> all = new ArrayList<>();
              int next = 0;
              for (int i = 0; i < places.size(); i++) {
                all.add(
                    places.get(i) == null
                        ? List.of()
                        : seen(asked.selections().get(i), answer.series().get(next++)));
              }
              return new SamplesQuestion.Answer(all);
            }));
  }

  private List<Series> seen(Selection asked, List<Series> stored) throws QueryFailure {
    List<Series> all = new ArrayList<>(stored.size());
    for (Series each : stored) {
      Labels labels = selecting.seen(each.labels());
      List<Matcher> others =
          asked.matchers().stream().filter(matcher -> !matcher.matches(labels)).toList();
      check(selecting.isOf(labels) && others.stream().allMatch(selecting::mayBeMore), labels);
      if (others.isEmpty()) {
        all.add(new Series(labels, each.times(), each.values(), each.histograms()));
      }
    }
    all.sort(Comparator.comparing(Series::labels));
    return Series.joinEqual(all);
  }

  /** Nothing is believed that was not asked for. */
  private static void check(boolean isMeant, Labels labels) throws QueryFailure {
    if (!isMeant) {
      throw new QueryFailure(
          QueryFailure.Kind.UNAVAILABLE, "its answer has series that were not asked for");
    }
  }

  private Optional<Asked<ExtentsQuestion.Answer>> extents(ExtentsQuestion asked) {
    List<Selection> places = places(asked.selections());
    List<Selection> meant = meant(places);
    if (meant.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Asked<>(
            new ExtentsQuestion(meant),
            answer -> {
              List<Extent> all = new ArrayList<>();
              int next = 0;
              for (Selection each : places) {
                all.add(each == null ? new Extent(0, 0) : answer.extents().get(next++));
              }
              return new ExtentsQuestion.Answer(all);
            }));
  }

  // --- labels ---

  private Optional<SeriesSearch> stored(SeriesSearch search) {
    return selecting
        .alternatives(search.matchers())
        .map(matchers -> new SeriesSearch(search.from(), search.to(), search.limit(), matchers));
  }

  private Optional<Asked<Strings>> names(LabelNamesQuestion asked) {
    return stored(asked.search())
        .map(
            search ->
                new Asked<>(
                    new LabelNamesQuestion(search),
                    answer -> {
                      Optional<AddedLabel> added = selecting.added();
                      return answer.strings().isEmpty() || added.isEmpty()
                          ? answer
                          : with(answer, added.get().name());
                    }));
  }

  private static Strings with(Strings answer, String more) {
    List<String> all = new ArrayList<>(answer.strings());
    all.add(more);
    return new Strings(all);
  }

  private List<Asked<Strings>> values(LabelValuesQuestion asked) {
    List<Asked<Strings>> all = new ArrayList<>();
    Optional<AddedLabel> expected =
        selecting.expected().filter(label -> label.name().equals(asked.label()));
    stored(asked.search())
        .ifPresent(
            search ->
                all.add(
                    new Asked<>(
                        new LabelValuesQuestion(asked.label(), search),
                        answer -> believed(answer, expected))));
    selecting
        .added()
        .filter(label -> label.name().equals(asked.label()))
        .ifPresent(label -> any(asked.search(), label).ifPresent(all::add));
    return all;
  }

  /** Its value, if any series gets the label. */
  private static Optional<Asked<Strings>> any(SeriesSearch search, AddedLabel label) {
    List<List<Matcher>> selectors =
        search.matchers().isEmpty() ? List.of(List.of()) : search.matchers();
    List<List<Matcher>> lacking =
        selectors.stream().flatMap(each -> label.lacking(each).stream()).toList();
    return lacking.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Asked<>(
                new LabelValuesQuestion(
                    Labels.NAME, new SeriesSearch(search.from(), search.to(), 1, lacking)),
                answer ->
                    new Strings(answer.strings().isEmpty() ? List.of() : List.of(label.value()))));
  }

  private static Strings believed(Strings answer, Optional<AddedLabel> expected) {
    return expected
        .map(label -> new Strings(answer.strings().stream().filter(label.value()::equals).toList()))
        .orElse(answer);
  }

  private Optional<Asked<LabelSetsQuestion.Answer>> sets(LabelSetsQuestion asked) {
    return stored(asked.search())
        .map(
            search ->
                new Asked<>(
                    new LabelSetsQuestion(search),
                    answer -> {
                      List<Labels> all = new ArrayList<>();
                      for (Labels each : answer.labelSets()) {
                        Labels seen = selecting.seen(each);
                        check(isMeant(asked.search().matchers(), seen), seen);
                        all.add(seen);
                      }
                      return new LabelSetsQuestion.Answer(all);
                    }));
  }

  private boolean isMeant(List<List<Matcher>> alternatives, Labels labels) {
    return selecting.isOf(labels)
        && (alternatives.isEmpty()
            || alternatives.stream()
                .anyMatch(all -> all.stream().allMatch(matcher -> matcher.matches(labels))));
  }

  private Optional<Asked<OwnersQuestion.Answer>> owners(OwnersQuestion asked) {
    return stored(asked.search())
        .map(
            search ->
                new Asked<>(
                    new OwnersQuestion(search),
                    answer ->
                        new OwnersQuestion.Answer(
                            new OwnerIntervals(
                                answer.owners().series().stream()
                                    .map(
                                        each ->
                                            new OwnedSeries(
                                                selecting.seen(each.identity()), each.intervals()))
                                    .toList(),
                                answer.owners().omitted()))));
  }

  // --- metrics, reductions, usage ---

  private MetadataQuestion metadata(MetadataQuestion asked) {
    return selecting instanceof Selecting.Scoped scoped && !scoped.tenants().isEmpty()
        ? new MetadataQuestion(scoped.tenants())
        : asked;
  }

  private Optional<Asked<ReductionsQuestion.Answer>> reductions(ReductionsQuestion asked) {
    return selecting
        .stored(asked.scope())
        .map(
            scope ->
                Asked.as(new ReductionsQuestion(asked.names(), scope, asked.after(), asked.to())));
  }

  private Optional<Asked<UsageQuestion.Answer>> usage(UsageQuestion asked) {
    return selecting
        .stored(asked.matchers())
        .map(
            matchers ->
                new Asked<>(
                    stored(asked, matchers),
                    answer ->
                        new UsageQuestion.Answer(
                            answer.rows().stream().map(row -> seen(asked, row)).toList(),
                            answer.notes())));
  }

  /** Records of usage have no added label: to ask for it would leave them out. */
  private UsageQuestion stored(UsageQuestion asked, List<Matcher> matchers) {
    List<String> kept = new ArrayList<>(asked.kept());
    if (kept.size() > 1) {
      selecting.added().ifPresent(label -> kept.remove(label.name()));
    }
    return new UsageQuestion(matchers, List.copyOf(kept), asked.period(), asked.terms());
  }

  private UsageRow seen(UsageQuestion asked, UsageRow row) {
    Optional<AddedLabel> label =
        selecting
            .added()
            .filter(each -> asked.kept().isEmpty() || asked.kept().contains(each.name()));
    return label
        .map(
            each ->
                new UsageRow(
                    each.seen(row.device()),
                    row.owner(),
                    row.interval(),
                    row.amounts(),
                    row.counted(),
                    row.memoryPeak(),
                    row.memoryAtEnd(),
                    row.hostMemoryPeak()))
        .orElse(row);
  }

  /** Parts of queries. */
  static final class PartQuestions {
    private final Selecting selecting;

    PartQuestions(Selecting selecting) {
      this.selecting = selecting;
    }

    Optional<Asked<PartsQuestion.Answer>> of(PartsQuestion asked) throws QueryFailure {
      try {
        List<Expr> parts = new ArrayList<>();
        boolean isMeant = asked.parts().isEmpty();
        for (PartsQuestion.Part part : asked.parts()) {
          Expr expr = part.text().parsed(asked.settings().features());
          parts.add(expr);
          isMeant |= isMeant(expr);
        }
        if (!isMeant) {
          return Optional.empty();
        }
        Optional<AddedLabel> added = selecting.added();
        return Optional.of(
            added.isPresent()
                ? Asked.as(asked.with(added.get()))
                : new PartTexts(asked, parts, this::rewritten).asked(this::believed));
      } catch (ParseException e) {
        throw new QueryFailure(
            QueryFailure.Kind.BAD_DATA, "a part of a query cannot be parsed: " + e.getMessage());
      }
    }

    /** Whether any series of the cluster is read. */
    private boolean isMeant(Expr expr) {
      if (expr instanceof Expr.Selector selector) {
        return selector.readings().isEmpty()
            ? selecting.stored(selector.matchers()).isPresent()
            : selector.readings().stream()
                .anyMatch(reading -> selecting.stored(reading.matchers()).isPresent());
      }
      return expr.children().stream().anyMatch(this::isMeant);
    }

    /** A selector of which no series is meant stays as it is: nothing matches it there. */
    private Expr rewritten(Expr.Selector selector) {
      return selector.scoped(selecting.stored(List.of()).orElseThrow());
    }

    private PartsQuestion.Answer believed(List<Expr> parts, PartsQuestion.Answer answer)
        throws QueryFailure {
      Optional<AddedLabel> cluster = selecting.expected();
      if (cluster.isPresent() && answer instanceof PartsQuestion.Results results) {
        for (int i = 0; i < parts.size(); i++) {
          if (!writes(parts.get(i), cluster.get().name())) {
            for (var column : results.parts().get(i).columns()) {
              check(isOf(cluster.get(), column.labels()), column.labels());
            }
            for (var partial : results.parts().get(i).partials()) {
              check(isOf(cluster.get(), partial.group()), partial.group());
            }
          }
        }
      }
      return answer;
    }

    private static boolean isOf(AddedLabel cluster, Labels labels) {
      String value = labels.value(cluster.name());
      return value.isEmpty() || value.equals(cluster.value());
    }

    /** Whether a text in the expression may be the name of the label, which is written then. */
    private static boolean writes(Expr expr, String label) {
      return expr instanceof Expr.Text text && text.value().equals(label)
          || expr.children().stream().anyMatch(part -> writes(part, label));
    }
  }
}
