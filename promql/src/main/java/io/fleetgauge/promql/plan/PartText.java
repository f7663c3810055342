package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A part of a planned query as text: it is evaluated as it stands, wherever it is sent. Scope,
 * aliases and all rewrites are in it.
 *
 * @param promql with the scope in its selectors
 * @param readings what each selector reads, in the order of the text; empty when none uses aliases
 */
public record PartText(String promql, List<List<Reading>> readings) {
  public static PartText of(Expr expr) {
    List<List<Reading>> readings = new ArrayList<>();
    collect(expr, readings);
    boolean aliases = readings.stream().anyMatch(each -> !each.isEmpty());
    return new PartText(expr.toString(), aliases ? List.copyOf(readings) : List.of());
  }

  private static void collect(Expr expr, List<List<Reading>> into) {
    if (expr instanceof Expr.Selector selector) {
      into.add(selector.readings());
    }
    expr.children().forEach(part -> collect(part, into));
  }

  /**
   * The expression.
   *
   * @param features of the language
   */
  public Expr parsed(Set<Feature> features) throws ParseException, QueryFailure {
    Expr expr = Parser.parse(promql, new ParseOptions(features, 0, 0));
    return readings.isEmpty() ? expr : reading(expr, new int[1]);
  }

  private Expr reading(Expr expr, int[] next) throws QueryFailure {
    if (expr instanceof Expr.Selector selector) {
      if (next[0] == readings.size()) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION, promql + " has more selectors than readings");
      }
      return selector.reading(readings.get(next[0]++));
    }
    List<Expr> parts = new ArrayList<>();
    for (Expr part : expr.children()) {
      parts.add(reading(part, next));
    }
    return parts.isEmpty() ? expr : expr.with(parts);
  }

  /**
   * Annotations of this text as annotations of the query that it was made of.
   *
   * @param expr that it was made of
   * @throws QueryFailure if one is about nothing in it
   */
  public List<Annotation> inQuery(
      Expr expr, Set<Feature> features, Collection<Annotation> annotations) throws QueryFailure {
    if (annotations.isEmpty()) {
      return List.of();
    }
    Map<Long, TextSpan> spans = new HashMap<>();
    try {
      match(Parser.parse(promql, new ParseOptions(features, 0, 0)), expr, spans);
    } catch (ParseException e) {
      throw new IllegalStateException(promql + " is no PromQL", e);
    }
    List<Annotation> all = new ArrayList<>();
    for (Annotation each : annotations) {
      TextSpan span = spans.get(key(each.span()));
      if (span == null) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION, "an annotation is about no part of the query");
      }
      all.add(new Annotation(each.warning(), each.text(), span));
    }
    return all;
  }

  /** Spans themselves are all equal. */
  private static long key(TextSpan span) {
    return (long) span.start() << 32 | span.end();
  }

  /** The text may have parentheses which the query does not need. */
  private static void match(Expr here, Expr inQuery, Map<Long, TextSpan> spans) {
    spans.putIfAbsent(key(here.span()), inQuery.span());
    if (here instanceof Expr.Paren paren && !(inQuery instanceof Expr.Paren)) {
      match(paren.inner(), inQuery, spans);
      return;
    }
    List<Expr> parts = here.children();
    List<Expr> theirs = inQuery.children();
    for (int i = 0; i < Math.min(parts.size(), theirs.size()); i++) {
      match(parts.get(i), theirs.get(i), spans);
    }
  }
}
