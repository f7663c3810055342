package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.gateway.rollup.RollupFit;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.read.TooManySamples;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.QueryText;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.vocabulary.Aliases;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Evaluates parts of queries for this gateway's hosts. Safe for all threads. */
final class PartsRunner {
  /** Most characters of parsed expressions, those of {@link #EXPRESSION_LENGTH} included. */
  private static final long MAX_EXPRESSIONS = 2_000_000;

  /** What an expression counts as besides its text, in characters. */
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
          .weigher((Parsed key, Expr expr) -> EXPRESSION_LENGTH + key.text.length())
          .recordStats()
          .build();

  /** What the expression of a query depends on. */
  private record Parsed(ParseOptions options, String text, List<Matcher> scope, Aliases aliases) {}

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
   * @throws TooManySamples if there are more samples than the budget
   * @throws QueryFailure if {@code stop} gives a reason
   */
  FragmentAnswer run(Fragment.Parts asked, CoveredHosts hosts, long epoch, StopCheck stop)
      throws TooManySamples, QueryFailure {
    List<String> covered = hosts.list();
    Set<String> damaged = new HashSet<>();
    try {
      Query query = query(asked);
      List<PartResult> parts = new ArrayList<>();
      List<String> notes = new ArrayList<>();
      long cells = 0;
      for (Fragment.Part wanted : asked.parts()) {
        Expr expr = Planner.part(query, wanted.number());
        if (expr == null) {
          return new FragmentAnswer.Unfit(epoch, covered, "no part has the number " + wanted);
        }
        Optional<String> obstacle = Planner.obstacle(expr, wanted.partial(), hostLabels.names());
        if (obstacle.isPresent()) {
          return new FragmentAnswer.Unfit(epoch, covered, obstacle.get());
        }
        boolean needsHosts = Planner.needsHosts(expr, wanted.partial());
        Function<List<String>, SeriesSource> sources =
            of -> source(of, hosts, needsHosts, asked, damaged);
        SeriesSource source = sources.apply(covered);
        Grid grid = wanted.grid();
        if (wanted.rollups() && expr instanceof Expr.Aggregate aggregate) {
          RollupFit.Outcome outcome = RollupFit.of(query, aggregate, grid, store.rollupRules());
          Optional<RollupRunner.Result> made =
              outcome.fit().isEmpty()
                  ? Optional.empty()
                  : rollups.run(query, outcome.fit().get(), grid, covered, sources, stop, false);
          if (made.isPresent()) {
            parts.add(made.get().part());
            notes.add("computed from rollups");
            cells += made.get().cells();
            continue;
          }
          notes.add(
              outcome.fit().isEmpty()
                  ? "not computed from rollups: " + outcome.obstacle()
                  : "not computed from rollups: their groups cannot be merged by these labels");
        } else {
          notes.add("");
        }
        Optional<PartResult> part =
            wanted.partial() && expr instanceof Expr.Aggregate aggregate
                ? Engine.partials(query, aggregate, grid, source, stop)
                : Optional.of(Engine.columns(query, expr, grid, source, stop));
        if (part.isEmpty() || !FragmentCodec.fits(part.get())) {
          String why = part.isEmpty() ? "a sum needs more bits" : "there are histograms";
          return new FragmentAnswer.Unfit(epoch, covered, why);
        }
        parts.add(part.get());
      }
      List<String> whole =
          damaged.isEmpty()
              ? covered
              : covered.stream().filter(host -> !damaged.contains(host)).toList();
      return new FragmentAnswer.Parts(
          epoch, whole, covered, parts, notes, cells, hostLabels.names());
    } catch (ParseException e) {
      return new FragmentAnswer.Unfit(
          epoch, covered, "the query cannot be parsed: " + e.getMessage());
    } catch (QueryFailure e) {
      if (e.getCause() instanceof TooManySamples over) {
        throw over;
      }
      if (stop.reason().isPresent()) {
        throw e;
      }
      // Which series an error names depends on all gateways, so the query API evaluates again.
      return new FragmentAnswer.Unfit(epoch, covered, e.getMessage());
    }
  }

  /**
   * The answer, if it needs few cells of rollups, and no samples but the newest ones: it is
   * computed on the event loop, so that no other thread has to wake up for it.
   */
  Optional<FragmentAnswer.Parts> quickly(Fragment.Parts asked, CoveredHosts hosts, long epoch) {
    List<String> covered = hosts.list();
    try {
      Query query = query(asked);
      List<PartResult> parts = new ArrayList<>();
      List<String> notes = new ArrayList<>();
      Set<String> damaged = new HashSet<>();
      long cells = 0;
      for (Fragment.Part wanted : asked.parts()) {
        Grid grid = wanted.grid();
        if (!wanted.rollups()
            || !(Planner.part(query, wanted.number()) instanceof Expr.Aggregate aggregate)
            || Planner.obstacle(aggregate, wanted.partial(), hostLabels.names()).isPresent()) {
          return Optional.empty();
        }
        boolean needsHosts = Planner.needsHosts(aggregate, wanted.partial());
        Optional<RollupFit> fit = RollupFit.of(query, aggregate, grid, store.rollupRules()).fit();
        Optional<RollupRunner.Result> made =
            fit.isEmpty()
                ? Optional.empty()
                : rollups.run(
                    query,
                    fit.get(),
                    grid,
                    covered,
                    of -> brief(of, source(of, hosts, needsHosts, asked, damaged)),
                    StopCheck.NEVER,
                    true);
        if (made.isEmpty() || !damaged.isEmpty()) {
          return Optional.empty();
        }
        parts.add(made.get().part());
        notes.add("computed from rollups");
        cells += made.get().cells();
      }
      return Optional.of(
          new FragmentAnswer.Parts(
              epoch, covered, covered, parts, notes, cells, hostLabels.names()));
    } catch (QueryFailure | ParseException e) {
      return Optional.empty();
    }
  }

  /** Reads samples if they are few and in memory; otherwise fails. */
  private SeriesSource brief(List<String> hosts, SeriesSource source) {
    return (selection, receiver) -> {
      if (hosts.size() > FEW_HOSTS
          || selection.to() - selection.from() > BRIEF_MILLIS
          || !isInMemory(hosts, selection.from())) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION, "many samples or a disk would have to be read");
      }
      source.select(selection, receiver);
    };
  }

  /** Whether no block on disk has samples of some hosts after a time, ms. */
  boolean isInMemory(List<String> hosts, long after) {
    for (String host : hosts) {
      Optional<Lane> lane = store.find(host);
      if (lane.isPresent() && lane.get().sealedBefore() > after) {
        return false;
      }
    }
    return true;
  }

  /** All samples that a query reads are after this time, ms. */
  long readsAfter(Fragment.Parts asked) {
    try {
      long after = Long.MAX_VALUE;
      for (SamplesRead read : Engine.reads(query(asked))) {
        after = Math.min(after, read.selection().from());
      }
      return after;
    } catch (QueryFailure | ParseException e) {
      return Long.MIN_VALUE;
    }
  }

  /** Whether rollups are expected to serve all that is asked, and some of it has none here. */
  boolean lacksRollups(Fragment.Parts asked) {
    if (!asked.parts().stream().allMatch(Fragment.Part::rollups)) {
      return false;
    }
    try {
      Query query = query(asked);
      for (Fragment.Part wanted : asked.parts()) {
        Grid grid = wanted.grid();
        boolean fits =
            Planner.part(query, wanted.number()) instanceof Expr.Aggregate aggregate
                && RollupFit.of(query, aggregate, grid, store.rollupRules()).fit().isPresent();
        if (!fits) {
          return true;
        }
      }
      return false;
    } catch (QueryFailure | ParseException e) {
      return false; // it fails wherever it is executed
    }
  }

  private Query query(Fragment.Parts asked) throws ParseException, QueryFailure {
    QueryText question = asked.query();
    ParseOptions options =
        new ParseOptions(
            question.settings().features(), question.end() - question.start(), question.step());
    Parsed key = new Parsed(options, question.text(), asked.scope(), asked.aliases());
    Expr known = expressions.getIfPresent(key);
    if (known != null) {
      return question.with(known);
    }
    Query query = question.with(Parser.parse(question.text(), options));
    Query prepared = Planner.prepared(query, asked.scope(), asked.aliases());
    expressions.put(key, prepared.expr());
    return prepared;
  }

  /**
   * @param needsHosts whether each series must name its host in the label that matching keeps
   */
  private SeriesSource source(
      List<String> covered,
      CoveredHosts hosts,
      boolean needsHosts,
      Fragment.Parts asked,
      Set<String> damaged) {
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
        store.read(
            covered, selection, asked.query().settings().maxSamples(), damaged::add, checked);
      } catch (TooManySamples e) {
        QueryFailure over = new QueryFailure(QueryFailure.Kind.EXECUTION, e.getMessage());
        over.initCause(e);
        throw over;
      }
    };
  }
}
