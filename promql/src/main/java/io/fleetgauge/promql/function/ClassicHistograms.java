package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.kernel.Buckets;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The histogram functions over classic histograms: gathers the columns of each histogram, which
 * differ by the label {@code le} only, and evaluates all steps of one at once.
 */
public final class ClassicHistograms {
  private static final String BOUND = "le";

  /** The surroundings of an evaluation. */
  public record Context(
      Query query, Expr.Call call, int steps, Budget budget, Annotations annotations, Sink sink) {}

  /** The value of a histogram at one step. */
  private interface Reading {
    double of(int step, double[] bounds, double[] counts, int size, Labels histogram);
  }

  private record Output(String label, String value, Reading reading) {}

  private record Bucket(double bound, double[] counts) {}

  private static final class Histogram {
    final List<Bucket> buckets = new ArrayList<>();
    boolean nameDropped;
  }

  private final Context context;
  private final Expr input;
  private final List<Output> outputs;
  private final Map<Labels, Histogram> byLabels = new LinkedHashMap<>();

  private ClassicHistograms(Context context, List<Output> outputs) {
    this.context = context;
    this.input = histogramArgument(context.call());
    this.outputs = outputs;
  }

  private static Expr histogramArgument(Expr.Call call) {
    return call.arguments().stream()
        .filter(argument -> argument.type() == ValueType.VECTOR)
        .findFirst()
        .orElseThrow();
  }

  public static ClassicHistograms quantile(Context context, double[] quantiles) {
    return new ClassicHistograms(
        context,
        List.of(
            new Output(
                null,
                null,
                quantileReading(context, quantiles, context.call().arguments().getFirst()))));
  }

  /** Several quantiles, each under its value in a label. */
  public static ClassicHistograms quantiles(Context context, List<double[]> quantiles)
      throws QueryFailure {
    List<Expr> arguments = context.call().arguments();
    String label = ((Expr.Text) arguments.get(1).withoutParens()).value();
    if (quantiles.size() > 10) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "histogram_quantiles takes at most 10 quantiles, got " + quantiles.size());
    }
    if (!LabelFunctions.isLabelName(label)) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION, "invalid label name in histogram_quantiles(): " + label);
    }
    List<Output> outputs = new ArrayList<>();
    for (int i = 0; i < quantiles.size(); i++) {
      outputs.add(
          new Output(
              label,
              Numbers.openMetrics(quantiles.get(i)[0]),
              quantileReading(context, quantiles.get(i), arguments.get(2 + i))));
    }
    return new ClassicHistograms(context, outputs);
  }

  private static Reading quantileReading(Context context, double[] quantiles, Expr parameter) {
    Expr input = histogramArgument(context.call());
    for (double quantile : quantiles) {
      Quantiles.warn(quantile, parameter.span(), context.annotations());
    }
    return (step, bounds, counts, size, labels) -> {
      double q = quantiles[step];
      if (!Quantiles.isOne(q)) {
        return Double.isNaN(q) ? q : q < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
      }
      if (bounds[size - 1] != Double.POSITIVE_INFINITY) {
        return Double.NaN;
      }
      int left = Buckets.coalesced(bounds, counts, size);
      if (Buckets.forceMonotonic(counts, left)) {
        context
            .annotations()
            .info(
                "input to histogram_quantile needed to be fixed for monotonicity (see"
                    + " https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)"
                    + " for metric name \""
                    + labels.metric()
                    + "\"",
                input.span());
      }
      return Buckets.quantile(q, bounds, counts, left);
    };
  }

  public static ClassicHistograms fraction(Context context, double[] lower, double[] upper) {
    Reading reading =
        (step, bounds, counts, size, labels) ->
            Buckets.fraction(
                lower[step], upper[step], bounds, counts, Buckets.coalesced(bounds, counts, size));
    return new ClassicHistograms(context, List.of(new Output(null, null, reading)));
  }

  public Expr input() {
    return input;
  }

  public void add(Column column) throws QueryFailure {
    NativeHistograms.refuse(column, context.call().function().text());
    String le = column.labels().value(BOUND);
    OptionalDouble bound = Numbers.parse(le);
    if (bound.isEmpty()) {
      context
          .annotations()
          .warn(
              "bucket label \"le\" is missing or has a malformed value of "
                  + InvalidUtf8.quoted(le)
                  + " for metric name \""
                  + column.labels().metric()
                  + "\"",
              input.span());
      return;
    }
    context.budget().hold(column.steps());
    Labels labels = column.labels().without(BOUND);
    Histogram histogram = byLabels.computeIfAbsent(labels, none -> new Histogram());
    histogram.buckets.add(new Bucket(bound.getAsDouble(), column.values()));
    histogram.nameDropped |= column.nameDropped();
  }

  public void finish() throws QueryFailure {
    NameDropping nameless =
        NameDropping.merging(context.query(), input, context.budget(), context.sink());
    for (var entry : byLabels.entrySet()) {
      Histogram histogram = entry.getValue();
      histogram.buckets.sort(Comparator.comparingDouble(Bucket::bound));
      for (Output output : outputs) {
        double[] values = values(entry.getKey(), histogram, output.reading());
        if (Columns.count(values) > 0) {
          Labels labels =
              output.label() == null
                  ? entry.getKey()
                  : entry.getKey().with(output.label(), output.value());
          nameless.accept(new Column(labels, values, null, histogram.nameDropped));
        }
      }
      context.budget().release((long) histogram.buckets.size() * context.steps());
    }
    nameless.finish();
  }

  private double[] values(Labels labels, Histogram histogram, Reading reading) throws QueryFailure {
    double[] out = new double[context.steps()];
    double[] bounds = new double[histogram.buckets.size()];
    double[] counts = new double[histogram.buckets.size()];
    // Prometheus says the name only of the first step that it evaluates.
    Labels said = labels;
    for (int i = 0; i < out.length; i++) {
      int size = 0;
      for (Bucket bucket : histogram.buckets) {
        if (!Columns.isAbsent(bucket.counts()[i])) {
          bounds[size] = bucket.bound();
          counts[size++] = bucket.counts()[i];
        }
      }
      out[i] = size == 0 ? Staleness.MARKER : reading.of(i, bounds, counts, size, said);
      said = size == 0 || context.query().delaysNameRemoval() ? said : Labels.EMPTY;
      context.budget().work(size);
    }
    return out;
  }
}
