package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import java.util.List;

/** Where a part of a query is evaluated; immutable. {@code toString()} prints a node per line. */
public sealed interface Plan {
  /** The part of the query that this answers. */
  Expr expr();

  default List<Plan> inputs() {
    return switch (this) {
      case Gather _, Shards _, Merge _ -> List.of();
      case Here here -> here.inputs();
      case Once once -> List.of(once.inner());
    };
  }

  /** The query API fetches the samples. */
  record Gather(Expr expr) implements Plan {
    @Override
    public String toString() {
      return text(this);
    }
  }

  /** The query API evaluates it from its inputs. */
  record Here(Expr expr, List<Plan> inputs) implements Plan {
    @Override
    public String toString() {
      return text(this);
    }
  }

  /** Every shard evaluates it for its series; the result is all their columns. */
  record Shards(Expr expr) implements Plan {
    @Override
    public String toString() {
      return text(this);
    }
  }

  /**
   * Every shard folds its series into partials; the query API merges them.
   *
   * @param rollups whether a shard may use its rollups, because the order of the groups makes no
   *     difference
   */
  record Merge(Expr.Aggregate expr, boolean rollups) implements Plan {
    @Override
    public String toString() {
      return text(this);
    }
  }

  /** It has the same value at every step, so it is evaluated once. */
  record Once(Plan inner) implements Plan {
    @Override
    public Expr expr() {
      return inner.expr();
    }

    @Override
    public String toString() {
      return text(this);
    }
  }

  /** This plan with other inputs, as many as it has. */
  default Plan with(List<Plan> inputs) {
    return switch (this) {
      case Gather gather -> gather;
      case Shards shards -> shards;
      case Merge merge -> merge;
      case Here here -> new Here(here.expr(), inputs);
      case Once once -> new Once(inputs.getFirst());
    };
  }

  private static String text(Plan plan) {
    StringBuilder out = new StringBuilder();
    write(plan, 0, out);
    return out.toString();
  }

  private static void write(Plan plan, int depth, StringBuilder out) {
    out.append("  ".repeat(depth));
    switch (plan) {
      case Gather gather -> out.append("gather ").append(gather.expr());
      case Here here -> out.append("here ").append(here.expr());
      case Shards shards -> out.append("shards ").append(shards.expr());
      case Merge merge ->
          out.append(merge.rollups() ? "merge, rollups allowed: " : "merge ").append(merge.expr());
      case Once once -> out.append("once");
    }
    out.append('\n');
    for (Plan input : plan.inputs()) {
      write(input, depth + 1, out);
    }
  }
}
