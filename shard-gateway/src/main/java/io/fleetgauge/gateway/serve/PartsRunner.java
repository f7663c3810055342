package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.gateway.rollup.RollupFit;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.form.PartResultForm;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.plan.StoredAggregation;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.sample.frame.HostLabels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Evaluates parts of queries for this gateway's hosts. Safe for all threads. */
final class PartsRunner {
  /** Most characters of parsed expressions, those of {@link #EXPRESSION_LENGTH} included. */
  private static final long MAX_EXPRESSIONS = 2_000_000;

  /** Size of an expression besides its text, in characters. */
  private static final int EXPRESSION_LENGTH = 2_000;

  /** Newest samples that no rollup has yet are read on the event loop if they span less, ms. */
  private static final long BRIEF_MILLIS = 600_000;

  /** As above, of at most so many hosts. */
  private static final int FEW_HOSTS = 32;

  private final Store store;
  private final HostLabels hostLabels;
  private final RollupRunner rollups;

  /** Parsed expressions: dashboards send the same ones repeatedly. Its upkeep is quick. */
  private final Cache<Parsed, Expr> expressions =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_EXPRESSIONS)
          .weigher((Parsed key, Expr expr) -> EXPRESSION_LENGTH + key.length())
          .recordStats()
          .build();

  /** A part's text, and the features of the language that it is read with. */
  private record Parsed(Set<Feature> features, PartText text) {
    int length() {
      int length = text.promql().length();
      for (List<Reading> readings : text.readings()) {
        length += EXPRESSION_LENGTH * readings.size();
      }
      return length;
    }
  }

  PartsRunner(Store store, HostLabels hostLabels) {
    this.store = store;
    this.hostLabels = hostLabels;
    this.rollups = new RollupRunner(store);
  }

  CacheUse expressionUse() {
    return CacheUse.of(expressions);
  }

  CacheUse combinedUse() {
    return rollups.combinedUse();
  }

  /**
   * @param hosts that are covered
   * @param damaged receives the hosts of which something could not be read
   * @throws TooManySamples if there are more samples than the budget
   * @throws QueryFailure if {@code stop} gives a reason
   */
  PartsQuestion.Answer run(
      PartsQuestion asked, CoveredHosts hosts, Consumer<String> damaged, StopCheck stop)
      throws TooManySamples, QueryFailure {
    Results results = new Results();
    try {
      for (PartsQuestion.Part part : asked.parts()) {
        Optional<String> obstacle = run(asked, part, hosts, damaged, stop, results);
        if (obstacle.isPresent()) {
          return new PartsQuestion.Unfit(obstacle.get());
        }
      }
      return results.of(hosts.list());
    } catch (ParseException e) {
      return new PartsQuestion.Unfit("the part cannot be parsed: " + e.getMessage());
    } catch (QueryFailure e) {
      if (e.getCause() instanceof TooManySamples over) {
        throw over;
      }
      if (stop.reason().isPresent()) {
        throw e;
      }
      // Which series an error names depends on all gateways, so the query API evaluates again.
      return new PartsQuestion.Unfit(e.getMessage());
    }
  }

  /** The results of the parts so far. */
  private final class Results {
    private final List<PartResult> parts = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private long cells;

    void add(RollupRunner.Result made) {
      add(made.part(), "computed from rollups");
      cells += made.cells();
    }

    void add(PartResult part, String note) {
      parts.add(part);
      notes.add(note);
    }

    PartsQuestion.Results of(List<String> covered) {
      return new PartsQuestion.Results(
          covered, parts, notes, cells, hostLabels.names(), Optional.empty());
    }
  }

  /** Evaluates one part, or says why it cannot. */
  private Optional<String> run(
      PartsQuestion asked,
      PartsQuestion.Part part,
      CoveredHosts hosts,
      Consumer<String> damaged,
      StopCheck stop,
      Results results)
      throws ParseException, QueryFailure {
    Query query = query(asked, part);
    Expr expr = query.expr();
    Optional<String> obstacle = Planner.obstacle(expr, part.partial(), identifying(asked));
    if (obstacle.isPresent()) {
      return obstacle;
    }
    boolean needsHosts = Planner.needsHosts(expr, part.partial());
    Function<List<String>, SeriesSource> sources =
        of -> source(of, hosts, needsHosts, query, damaged);
    Grid grid = part.grid();
    String note = "";
    if (part.rollups() && expr instanceof Expr.Aggregate aggregate) {
      Fit fit = fit(asked, query, aggregate, grid, hosts.list());
      Optional<RollupRunner.Result> made = fromRollups(fit, grid, hosts, sources, stop, false);
      if (made.isPresent()) {
        results.add(made.get());
        return Optional.empty();
      }
      note =
          "not computed from rollups: "
              + (fit.rollups.isEmpty()
                  ? fit.obstacle
                  : "their groups cannot be merged by these labels");
    }
    SeriesSource stored = sources.apply(hosts.list());
    SeriesSource source = asked.label().map(label -> label.over(stored)).orElse(stored);
    Optional<PartResult> result =
        part.partial() && expr instanceof Expr.Aggregate aggregate
            ? Engine.partials(query, aggregate, grid, source, stop)
            : Optional.of(Engine.columns(query, expr, grid, source, stop));
    if (result.isEmpty()) {
      return Optional.of("a sum exceeds the exact range");
    }
    if (!PartResultForm.fits(result.get())) {
      return Optional.of("it has histograms");
    }
    results.add(result.get(), note);
    return Optional.empty();
  }

  /** The labels by which series of different gateways, or of clusters, differ. */
  private List<String> identifying(PartsQuestion asked) {
    return asked
        .label()
        .map(label -> Stream.concat(hostLabels.names().stream(), Stream.of(label.name())).toList())
        .orElse(hostLabels.names());
  }

  /**
   * An aggregation as rollups may serve it.
   *
   * @param query for the series as they are stored
   * @param aggregation of these; empty if none matches
   * @param rollups that serve it; empty if none do
   * @param obstacle why none do
   */
  private record Fit(
      Query query,
      Optional<StoredAggregation> aggregation,
      Optional<RollupFit> rollups,
      String obstacle) {}

  /**
   * @param hosts that are read
   */
  private Fit fit(
      PartsQuestion asked, Query query, Expr.Aggregate aggregate, Grid grid, List<String> hosts)
      throws QueryFailure {
    Optional<StoredAggregation> stored = StoredAggregation.of(aggregate, asked.label());
    if (stored.isEmpty()) {
      return new Fit(query, stored, Optional.empty(), "no series of this cluster matches");
    }
    Query of = query.with(stored.get().aggregate());
    if (!stored.get().isExact()) {
      AddedLabel label = asked.label().orElseThrow();
      for (SamplesRead read : Engine.reads(of, grid)) {
        Selection selection = read.selection();
        List<Matcher> having = label.having(selection.matchers());
        if (store.extent(hosts, new Selection(having, selection.from(), selection.to())).series()
            > 0) {
          return new Fit(
              of, stored, Optional.empty(), "series are stored with the label " + label.name());
        }
      }
    }
    RollupFit.Outcome outcome =
        RollupFit.of(of, stored.get().aggregate(), grid, store.rollupRules());
    return new Fit(of, stored, outcome.fit(), outcome.obstacle());
  }

  private Optional<RollupRunner.Result> fromRollups(
      Fit fit,
      Grid grid,
      CoveredHosts hosts,
      Function<List<String>, SeriesSource> sources,
      StopCheck stop,
      boolean quickly)
      throws QueryFailure {
    if (fit.rollups.isEmpty()) {
      return Optional.empty();
    }
    return rollups
        .run(fit.query, fit.rollups.get(), grid, hosts.list(), sources, stop, quickly)
        .map(
            made ->
                new RollupRunner.Result(
                    fit.aggregation.orElseThrow().seen(made.part()), made.cells()));
  }

  /**
   * The answer, if it needs few cells of rollups, and no samples but the newest ones: it is
   * computed on the event loop, so that no other thread has to wake up for it.
   */
  Optional<PartsQuestion.Results> quickly(PartsQuestion asked, CoveredHosts hosts) {
    Results results = new Results();
    Set<String> damaged = new HashSet<>();
    try {
      for (PartsQuestion.Part part : asked.parts()) {
        Optional<RollupRunner.Result> made = quickly(asked, part, hosts, damaged::add);
        if (made.isEmpty() || !damaged.isEmpty()) {
          return Optional.empty();
        }
        results.add(made.get());
      }
      return Optional.of(results.of(hosts.list()));
    } catch (QueryFailure | ParseException e) {
      return Optional.empty();
    }
  }

  private Optional<RollupRunner.Result> quickly(
      PartsQuestion asked, PartsQuestion.Part part, CoveredHosts hosts, Consumer<String> damaged)
      throws ParseException, QueryFailure {
    if (!part.rollups()) {
      return Optional.empty();
    }
    Query query = query(asked, part);
    if (!(query.expr() instanceof Expr.Aggregate aggregate)
        || Planner.obstacle(aggregate, part.partial(), identifying(asked)).isPresent()) {
      return Optional.empty();
    }
    boolean needsHosts = Planner.needsHosts(aggregate, part.partial());
    return fromRollups(
        fit(asked, query, aggregate, part.grid(), hosts.list()),
        part.grid(),
        hosts,
        of -> brief(of, source(of, hosts, needsHosts, query, damaged)),
        StopCheck.NEVER,
        true);
  }

  /** Reads samples if they are few and in memory; otherwise fails. */
  private SeriesSource brief(List<String> hosts, SeriesSource source) {
    return (selection, receiver) -> {
      if (hosts.size() > FEW_HOSTS
          || selection.to() - selection.from() > BRIEF_MILLIS
          || !isInMemory(hosts, selection.from())) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION, "many samples, or blocks on disk, must be read");
      }
      source.select(selection, receiver);
    };
  }

  /** Returns true if no block on disk has samples of some hosts after a time, ms. */
  boolean isInMemory(List<String> hosts, long after) {
    for (String host : hosts) {
      Optional<Lane> lane = store.find(host);
      if (lane.isPresent() && lane.get().sealedBefore() > after) {
        return false;
      }
    }
    return true;
  }

  /** All samples that the parts read are after this time, ms. */
  long readsAfter(PartsQuestion asked) {
    try {
      long after = Long.MAX_VALUE;
      for (PartsQuestion.Part part : asked.parts()) {
        for (SamplesRead read : Engine.reads(query(asked, part), part.grid())) {
          after = Math.min(after, read.selection().from());
        }
      }
      return after;
    } catch (QueryFailure | ParseException e) {
      return Long.MIN_VALUE;
    }
  }

  /** Returns true if rollups should serve the full request, and some are missing here. */
  boolean lacksRollups(PartsQuestion asked) {
    if (!asked.parts().stream().allMatch(PartsQuestion.Part::rollups)) {
      return false;
    }
    try {
      for (PartsQuestion.Part part : asked.parts()) {
        Query query = query(asked, part);
        boolean fits =
            query.expr() instanceof Expr.Aggregate aggregate
                && fit(asked, query, aggregate, part.grid(), List.of()).rollups.isPresent();
        if (!fits) {
          return true;
        }
      }
      return false;
    } catch (QueryFailure | ParseException e) {
      return false; // it fails wherever it is executed
    }
  }

  private Query query(PartsQuestion asked, PartsQuestion.Part part)
      throws ParseException, QueryFailure {
    Parsed key = new Parsed(asked.settings().features(), part.text());
    Expr known = expressions.getIfPresent(key);
    if (known != null) {
      return asked.query(part, known);
    }
    Query query = asked.query(part);
    expressions.put(key, query.expr());
    return query;
  }

  /**
   * @param needsHosts whether each series must name its host in the label that matching keeps
   */
  private SeriesSource source(
      List<String> covered,
      CoveredHosts hosts,
      boolean needsHosts,
      Query query,
      Consumer<String> damaged) {
    return (selection, receiver) -> {
      SeriesSource.Receiver checked =
          series -> {
            String host =
                needsHosts
                    ? series.labels().value(Planner.HOST)
                    : hostLabels.hostOf(series.labels());
            if (!hosts.contains(host)) {
              throw new QueryFailure(
                  QueryFailure.Kind.EXECUTION,
                  "the series "
                      + series.labels()
                      + " does not name one of the hosts of the fragment");
            }
            receiver.accept(series);
          };
      try {
        store.read(covered, selection, query.settings().maxSamples(), damaged, checked);
      } catch (TooManySamples e) {
        QueryFailure over = new QueryFailure(QueryFailure.Kind.EXECUTION, e.getMessage());
        over.initCause(e);
        throw over;
      }
    };
  }
}
