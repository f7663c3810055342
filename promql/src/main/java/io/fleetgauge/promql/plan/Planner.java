package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.exec.QueryWalk;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.vocabulary.Aliases;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Plans queries over shards. */
public final class Planner {
  /** The host label that matching and grouping keep. */
  public static final String HOST = Distribution.HOST;

  private Planner() {}

  /** Which rewrites a plan may use. */
  public enum Mode {
    /** Whatever is proven to give the same answer. */
    AUTO,
    /** Every sample is fetched, and everything evaluated here. */
    RAW
  }

  /** The query with its aliases and its scope applied and constants folded. */
  public static Query prepared(Query query, List<Matcher> scope, Aliases aliases)
      throws QueryFailure {
    Expr named = AliasUse.apply(query.expr(), aliases);
    return query.with(ConstantFolding.apply(Scope.apply(named, scope)));
  }

  /**
   * Returns true if a shard's result for a part is exact only when all series that it reads have
   * the label {@link #HOST}.
   *
   * @param partial whether the aggregation at its root is folded only
   */
  public static boolean needsHosts(Expr part, boolean partial) {
    boolean here =
        switch (part) {
          case Expr.Aggregate aggregate -> !partial;
          case Expr.Binary binary ->
              binary.left().type() == ValueType.VECTOR && binary.right().type() == ValueType.VECTOR;
          case Expr.Number _,
              Expr.Text _,
              Expr.Selector _,
              Expr.Window _,
              Expr.Subquery _,
              Expr.Call _,
              Expr.Unary _,
              Expr.Paren _ ->
              false;
        };
    return here || part.children().stream().anyMatch(inner -> needsHosts(inner, false));
  }

  /**
   * Why a shard cannot guarantee an exact result for a part; empty when it can. Series of different
   * shards differ in a host label. A part that overwrites this label can make them equal, and no
   * shard would see it.
   *
   * @param partial whether the aggregation at its root is folded only
   * @param hostLabels the labels from which the shard derives the host of a series, in order, and
   *     the one that its series get
   */
  public static Optional<String> obstacle(Expr part, boolean partial, List<String> hostLabels) {
    if (needsHosts(part, partial)) {
      // All series have the label HOST, and no part writes that one.
      return Optional.empty();
    }
    Set<String> written =
        Distribution.writtenLabels(
            partial && part instanceof Expr.Aggregate aggregate ? aggregate.input() : part);
    return hostLabels.stream()
        .filter(written::contains)
        .findFirst()
        .map(
            label ->
                "the label "
                    + label
                    + ", by which series of different shards differ, is overwritten");
  }

  /** Plans a query that uses no aliases. */
  public static Planned plan(Query query, List<Matcher> scope, Mode mode) throws QueryFailure {
    return plan(query, scope, Aliases.NONE, mode);
  }

  /**
   * @param query as asked
   * @param aliases that it uses
   * @throws QueryFailure if it fails for any samples
   */
  public static Planned plan(Query query, List<Matcher> scope, Aliases aliases, Mode mode)
      throws QueryFailure {
    Query prepared = prepared(query, scope, aliases);
    Map<Expr, String> reasons = new IdentityHashMap<>();
    Plan plan = gathering(prepared.expr());
    if (mode == Mode.AUTO) {
      OrderSensitivity order = OrderSensitivity.of(prepared);
      plan = HostKeepingSubtrees.apply(plan, order, reasons);
      plan = AggregationSplit.apply(plan, order, reasons);
      plan = RollupUse.apply(plan, order, reasons);
    } else {
      reasons.put(prepared.expr(), "the plan raw was requested");
    }
    Map<String, String> texts = new TreeMap<>();
    reasons.forEach((expr, reason) -> texts.put(expr.toString(), reason));
    if (!aliases.isEmpty()) {
      AliasUse.explain(prepared.expr(), texts);
    }
    return at(prepared, StepInvariantParts.apply(plan), texts);
  }

  /** Some steps of a planned range query, by the same plan: it does not depend on the steps. */
  public static Planned atSteps(Planned whole, long from, long to) throws QueryFailure {
    Query query = whole.query();
    Query steps = new Query(query.text(), query.expr(), from, to, query.step(), query.settings());
    return at(steps, whole.plan(), whole.reasons());
  }

  /**
   * A planned query, with every sample fetched and everything evaluated here.
   *
   * @param reason why
   */
  public static Planned fromSamples(Planned planned, String reason) throws QueryFailure {
    Expr expr = planned.query().expr();
    Plan plan = StepInvariantParts.apply(gathering(expr));
    return at(planned.query(), plan, Map.of(expr.toString(), reason));
  }

  /** Returns the requests to the shards for a plan at the steps of a query. */
  private static Planned at(Query prepared, Plan plan, Map<String, String> reasons)
      throws QueryFailure {
    Set<Expr> cutOut = Collections.newSetFromMap(new IdentityHashMap<>());
    Map<Expr, Plan> cutPlans = new IdentityHashMap<>();
    cuts(plan, cutPlans);
    cutOut.addAll(cutPlans.keySet());
    List<Planned.Cut> cuts = new ArrayList<>();
    QueryWalk.visit(
        prepared,
        (expr, grid) -> {
          Plan cut = cutPlans.get(expr);
          if (cut != null && grid.size() > 0) {
            cuts.add(
                new Planned.Cut(
                    expr,
                    PartText.of(expr),
                    grid,
                    cut instanceof Plan.Merge,
                    cut instanceof Plan.Merge merge && merge.rollups()));
          }
          return cut == null;
        });
    List<Selection> selections = Engine.selections(prepared, cutOut);
    return new Planned(
        prepared,
        plan,
        cuts,
        selections,
        UsageUse.of(prepared, selections),
        UsageUse.stored(Engine.reads(prepared)),
        reasons);
  }

  /** The plan that fetches every sample. */
  static Plan gathering(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> new Plan.Gather(selector);
      case Expr.Window window -> new Plan.Gather(window);
      // It takes the times of samples, which a column of values no longer has.
      case Expr.Call call
          when call.function() == Function.OfVectors.TIMESTAMP
              && call.arguments().getFirst().withoutParens() instanceof Expr.Selector ->
          new Plan.Gather(call);
      case Expr.Number _,
          Expr.Text _,
          Expr.Subquery _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ -> {
        List<Plan> inputs = new ArrayList<>();
        for (Expr part : expr.children()) {
          Expr inner = part.withoutParens();
          if (inner.type() != ValueType.STRING
              && !(inner.type() == ValueType.SCALAR && Distribution.isConstant(inner))) {
            inputs.add(gathering(inner));
          }
        }
        yield new Plan.Here(expr, inputs);
      }
    };
  }

  private static void cuts(Plan plan, Map<Expr, Plan> into) {
    switch (plan) {
      case Plan.Shards shards -> into.put(shards.expr(), shards);
      case Plan.Merge merge -> into.put(merge.expr(), merge);
      case Plan.Gather _, Plan.Here _, Plan.Once _ -> {}
    }
    plan.inputs().forEach(input -> cuts(input, into));
  }
}
