package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Drops the metric name from columns whose values are no longer those of the metric. Series that
 * differed only in the name then have equal labels. As in Prometheus 3.5 it depends on the
 * operation whether that is an error or whether series without a common step are merged.
 *
 * <p>With {@link io.fleetgauge.promql.expr.Feature#DELAYED_NAME_REMOVAL} columns are marked only.
 */
public abstract class NameDropping implements Sink {
  /** To be called after the last column. */
  public void finish() throws QueryFailure {}

  /** Lets every column pass as it is. */
  public static NameDropping keeping(Sink sink) {
    return new NameDropping() {
      @Override
      public void accept(Column column) throws QueryFailure {
        sink.accept(column);
      }
    };
  }

  /** Fails when two columns are left with one label set, whether or not they meet at a step. */
  public static NameDropping refusing(Query query, Sink sink) {
    if (query.delaysNameRemoval()) {
      return marking(sink);
    }
    Set<Labels> seen = new HashSet<>();
    return new NameDropping() {
      @Override
      public void accept(Column column) throws QueryFailure {
        Labels labels = column.labels().withoutMetric();
        if (!seen.add(labels)) {
          throw QueryFailure.sameLabelSet();
        }
        sink.accept(column.with(labels));
      }
    };
  }

  /** Merges columns that are left with one label set; fails when they meet at a step. */
  public static NameDropping merging(Query query, Expr input, Budget budget, Sink sink) {
    return query.delaysNameRemoval()
        ? marking(sink)
        : new Merging(MetricNames.areSame(input), budget, sink);
  }

  private static NameDropping marking(Sink sink) {
    return new NameDropping() {
      @Override
      public void accept(Column column) throws QueryFailure {
        sink.accept(column.withNameDropped(true));
      }
    };
  }

  /** Holds columns until all are known, unless no other column can become equal. */
  private static final class Merging extends NameDropping {
    private final boolean oneName;
    private final Budget budget;
    private final Sink sink;
    private final Set<Labels> passed = new HashSet<>();
    private final Map<Labels, Column> waiting = new LinkedHashMap<>();

    Merging(boolean oneName, Budget budget, Sink sink) {
      this.oneName = oneName;
      this.budget = budget;
      this.sink = sink;
    }

    @Override
    public void accept(Column column) throws QueryFailure {
      Labels labels = column.labels().withoutMetric();
      if (oneName && !column.labels().hasTypeOrUnit()) {
        // The one of a series with and without a type that waited meets this one in the end.
        passed.add(labels);
        sink.accept(column.with(labels));
        return;
      }
      Column first = waiting.get(labels);
      if (first == null) {
        budget.hold(column.steps());
        waiting.put(labels, column.with(labels));
      } else {
        waiting.put(labels, first.mergedWith(column));
      }
    }

    @Override
    public void finish() throws QueryFailure {
      for (Column column : waiting.values()) {
        if (passed.contains(column.labels())) {
          throw QueryFailure.sameLabelSet();
        }
        sink.accept(column);
        budget.release(column.steps());
      }
    }
  }
}
