package io.fleetgauge.query.rules.definition;

import io.fleetgauge.promql.expr.Expr;
import java.util.SortedMap;

/** A rule of a group. Labels are its own: those of the group are not yet in them. */
public sealed interface Rule {
  /** The metric that is recorded, or the alert. */
  String name();

  Expr expression();

  SortedMap<String, String> labels();

  /** Stores the result of a query as a new metric. */
  record Recording(String name, Expr expression, SortedMap<String, String> labels)
      implements Rule {}

  /**
   * Makes an alert of each series of a query's result.
   *
   * @param forMillis time for which a series has to be there before its alert fires
   * @param keepFiringMillis time for which an alert goes on firing after its series is gone
   * @param labels templates
   * @param annotations templates
   */
  record Alerting(
      String name,
      Expr expression,
      long forMillis,
      long keepFiringMillis,
      SortedMap<String, String> labels,
      SortedMap<String, String> annotations)
      implements Rule {}
}
