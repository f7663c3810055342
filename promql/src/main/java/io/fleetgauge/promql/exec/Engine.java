package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.aggregate.AggregationGroups;
import io.fleetgauge.promql.aggregate.FoldAggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.function.Ordering;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.ProvidedPart;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Evaluates one query. Not thread-safe. */
public final class Engine {
  private final Query query;
  private final SeriesSource source;
  private final Annotations annotations;
  private final Budget budget;
  private final Evaluator evaluator;

  private Engine(
      Query query,
      SeriesSource source,
      Map<Expr, ProvidedPart> provided,
      boolean isPart,
      StopCheck stop) {
    this.query = query;
    this.source = source;
    this.annotations = new Annotations(query.text());
    this.budget = new Budget(query.settings().maxSamples(), stop);
    this.evaluator = new Evaluator(query, source, provided, isPart, annotations, budget);
  }

  /**
   * The selections that {@link #run} will read, for a caller that fetches them first.
   *
   * @param provided parts that are evaluated elsewhere, by identity
   * @throws QueryFailure if the query fails for any samples
   */
  public static List<Selection> selections(Query query, Set<Expr> provided) throws QueryFailure {
    ValueType type = query.expr().type();
    if (!query.isInstant() && (type == ValueType.MATRIX || type == ValueType.STRING)) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "invalid expression type \""
              + type.description
              + "\" for range query, must be Scalar or instant Vector");
    }
    return Selections.of(query, provided);
  }

  /**
   * The samples that {@link #run} reads, to know its cost before.
   *
   * @throws QueryFailure if the query fails for any samples
   */
  public static List<SamplesRead> reads(Query query) throws QueryFailure {
    selections(query, Set.of());
    return Selections.reads(query, query.grid());
  }

  /** As above, for a part of a query that is evaluated at other steps. */
  public static List<SamplesRead> reads(Query query, Grid grid) throws QueryFailure {
    return Selections.reads(query, grid);
  }

  /**
   * @param stop checked while the query runs
   * @throws QueryFailure if the query cannot be evaluated, or was stopped
   */
  public static Answer run(Query query, SeriesSource source, StopCheck stop) throws QueryFailure {
    return run(query, source, Map.of(), stop);
  }

  /**
   * @param provided parts that were evaluated elsewhere, by identity
   */
  public static Answer run(
      Query query, SeriesSource source, Map<Expr, ProvidedPart> provided, StopCheck stop)
      throws QueryFailure {
    selections(query, provided.keySet());
    return new Engine(query, source, provided, false, stop).answer();
  }

  // --- parts of queries ---

  /**
   * Evaluates a vector that is a part of a query.
   *
   * @param grid the steps at which the query needs it
   */
  public static PartResult columns(
      Query query, Expr part, Grid grid, SeriesSource source, StopCheck stop) throws QueryFailure {
    Engine engine = new Engine(query, source, Map.of(), true, stop);
    List<Column> columns = new ArrayList<>();
    engine.evaluator.vector(
        part,
        grid,
        column -> {
          engine.budget.hold(column.steps());
          columns.add(column);
        });
    return new PartResult(
        columns, List.of(), engine.annotations.annotations(), engine.budget.stats().samples());
  }

  /**
   * Folds the input of an aggregation that is a part of a query, for {@link #merged} to finish.
   *
   * @return empty when the partials would not be exact
   */
  public static Optional<PartResult> partials(
      Query query, Expr.Aggregate part, Grid grid, SeriesSource source, StopCheck stop)
      throws QueryFailure {
    Engine engine = new Engine(query, source, Map.of(), true, stop);
    FoldAggregation fold = engine.folding(part, grid);
    engine.evaluator.fold(part, grid, fold);
    return fold.partials()
        .map(
            partials ->
                new PartResult(
                    List.of(),
                    partials,
                    engine.annotations.annotations(),
                    engine.budget.stats().samples()));
  }

  /** Finishes an aggregation; the partials may come in any order. */
  public static List<Column> merged(
      Query query, Expr.Aggregate aggregate, Grid grid, List<Partial> partials)
      throws QueryFailure {
    Engine engine = new Engine(query, (selection, receiver) -> {}, Map.of(), true, StopCheck.NEVER);
    FoldAggregation fold = engine.folding(aggregate, grid);
    List<Partial> inOrder = new ArrayList<>(partials);
    inOrder.sort(Comparator.comparing(Partial::first));
    for (Partial partial : inOrder) {
      fold.add(partial);
    }
    List<Column> columns = new ArrayList<>();
    fold.finish(columns::add);
    return columns;
  }

  private FoldAggregation folding(Expr.Aggregate aggregate, Grid grid) {
    return new FoldAggregation(
        aggregate, new AggregationGroups(aggregate.grouping()), grid.size(), budget, annotations);
  }

  // --- whole queries ---

  private Answer answer() throws QueryFailure {
    budget.stopIfAsked();
    Answer.Result result = query.isInstant() ? instant() : range();
    return new Answer(result, annotations.warnings(), annotations.infos(), budget.stats());
  }

  private Answer.Result instant() throws QueryFailure {
    long time = query.start();
    return switch (query.expr().withoutParens()) {
      case Expr.Text text -> new Answer.Text(time, InvalidUtf8.replaced(text.value()));
      case Expr.Window window -> new Answer.Matrix(window(window));
      case Expr.Subquery subquery -> new Answer.Matrix(subquery(subquery));
      case Expr expr when expr.type() == ValueType.SCALAR ->
          new Answer.Scalar(time, evaluator.scalar(expr, query.grid())[0]);
      case Expr expr -> {
        List<Answer.Sample> samples = new ArrayList<>();
        for (Column column : columns(expr, query.grid())) {
          Histogram histogram = column.histograms() == null ? null : column.histograms()[0];
          samples.add(new Answer.Sample(column.labels(), column.values()[0], histogram));
        }
        if (!Ordering.isAskedFor(expr)) {
          samples.sort(Comparator.comparing(Answer.Sample::labels));
        }
        yield new Answer.Vector(time, samples);
      }
    };
  }

  private Answer.Result range() throws QueryFailure {
    Grid grid = query.grid();
    List<Series> series = new ArrayList<>();
    if (query.expr().type() == ValueType.SCALAR) {
      series.add(points(grid, new Column(Labels.EMPTY, evaluator.scalar(query.expr(), grid))));
    } else {
      for (Column column : columns(query.expr(), grid)) {
        budget.work(column.steps());
        series.add(points(grid, column));
      }
      series.sort(Comparator.comparing(Series::labels));
    }
    return new Answer.Matrix(series);
  }

  /** The columns of a vector, each label set once, metric names dropped. */
  private List<Column> columns(Expr expr, Grid grid) throws QueryFailure {
    Map<Labels, Column> columns = new LinkedHashMap<>();
    evaluator.vector(
        expr,
        grid,
        column -> {
          budget.hold(column.steps());
          Labels labels = column.nameDropped() ? column.labels().withoutMetric() : column.labels();
          Column first = columns.get(labels);
          if (first == null) {
            columns.put(labels, column.with(labels));
          } else if (query.delaysNameRemoval()) {
            columns.put(labels, first.mergedWith(column));
          } else {
            throw QueryFailure.sameLabelSet();
          }
        });
    return new ArrayList<>(columns.values());
  }

  static Series points(Grid grid, Column column) {
    int size = column.count();
    long[] times = new long[size];
    double[] values = new double[size];
    Histogram[] histograms = column.histograms() == null ? null : new Histogram[size];
    int next = 0;
    for (int i = 0; i < column.steps(); i++) {
      if (column.isPresent(i)) {
        times[next] = grid.time(i);
        values[next] = column.values()[i];
        if (histograms != null) {
          histograms[next] = column.histograms()[i];
        }
        next++;
      }
    }
    return new Series(column.labels(), times, values, histograms);
  }

  /** The raw samples of a window at the one step of an instant query. */
  private List<Series> window(Expr.Window window) throws QueryFailure {
    if (window.selector().edges() != Expr.Edges.PLAIN) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          window.selector().edges().text + " modifier is for functions over ranges only");
    }
    Selection selection = Selections.of(query, query.grid(), window.selector(), window.range());
    List<Series> found = new ArrayList<>();
    SeenSeries.read(
        source,
        window.selector(),
        selection,
        budget,
        series -> {
          budget.hold(series.size());
          Series samples = withoutMarkers(series, selection);
          budget.lookedAt(samples.size());
          if (samples.size() > 0) {
            found.add(samples);
          }
        });
    return found;
  }

  private static Series withoutMarkers(Series series, Selection selection) {
    int from = Series.firstAfter(series.times(), 0, series.size(), selection.from());
    int to = Series.firstAfter(series.times(), from, series.size(), selection.to());
    long[] times = new long[to - from];
    double[] values = new double[to - from];
    Histogram[] histograms = series.histograms() == null ? null : new Histogram[to - from];
    int size = 0;
    for (int i = from; i < to; i++) {
      boolean histogram = histograms != null && series.histograms()[i] != null;
      if (!Columns.isAbsent(series.values()[i]) || histogram) {
        times[size] = series.times()[i];
        values[size] = series.values()[i];
        if (histogram) {
          histograms[size] = series.histograms()[i];
        }
        size++;
      }
    }
    return new Series(
        series.labels(),
        java.util.Arrays.copyOf(times, size),
        java.util.Arrays.copyOf(values, size),
        histograms == null ? null : java.util.Arrays.copyOf(histograms, size));
  }

  private List<Series> subquery(Expr.Subquery subquery) throws QueryFailure {
    Grid grid = Grid.of(query, query.grid(), subquery);
    List<Series> found = new ArrayList<>();
    if (grid.size() > 0) {
      for (Column column : columns(subquery.input(), grid)) {
        found.add(points(grid, column));
      }
    }
    return found;
  }
}
