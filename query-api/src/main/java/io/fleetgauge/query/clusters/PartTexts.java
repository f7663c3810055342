package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.QueryFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Parts of a query with other selectors; what is remarked about them is about the parts asked. */
final class PartTexts {
  private final PartsQuestion asked;
  private final List<Expr> parts;
  private final List<PartText> texts = new ArrayList<>();

  /** Checks the answer of a cluster. */
  @FunctionalInterface
  interface Check {
    PartsQuestion.Answer of(List<Expr> parts, PartsQuestion.Answer answer) throws QueryFailure;
  }

  /**
   * @param parts the expressions that are asked
   */
  PartTexts(PartsQuestion asked, List<Expr> parts, Function<Expr.Selector, Expr> rewriting) {
    this.asked = asked;
    this.parts = parts;
    for (Expr part : parts) {
      texts.add(PartText.of(rewritten(part, rewriting)));
    }
  }

  private static Expr rewritten(Expr expr, Function<Expr.Selector, Expr> rewriting) {
    if (expr instanceof Expr.Selector selector) {
      return rewriting.apply(selector);
    }
    List<Expr> inner = expr.children().stream().map(part -> rewritten(part, rewriting)).toList();
    return inner.isEmpty() ? expr : expr.with(inner);
  }

  Asked<PartsQuestion.Answer> asked(Check check) {
    List<PartsQuestion.Part> others = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      PartsQuestion.Part part = asked.parts().get(i);
      others.add(new PartsQuestion.Part(texts.get(i), part.grid(), part.partial(), part.rollups()));
    }
    return new Asked<>(asked.with(others), answer -> seen(check.of(parts, answer)));
  }

  private PartsQuestion.Answer seen(PartsQuestion.Answer answer) {
    try {
      return answer instanceof PartsQuestion.Results results ? seen(results) : answer;
    } catch (QueryFailure e) {
      return new PartsQuestion.Unfit(e.getMessage());
    }
  }

  private PartsQuestion.Results seen(PartsQuestion.Results results) throws QueryFailure {
    List<PartResult> seen = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      PartResult part = results.parts().get(i);
      List<Annotation> annotations =
          texts.get(i).inQuery(parts.get(i), asked.settings().features(), part.annotations());
      seen.add(new PartResult(part.columns(), part.partials(), annotations, part.samples()));
    }
    return new PartsQuestion.Results(
        results.read(),
        seen,
        results.notes(),
        results.rollupCells(),
        results.hostLabels(),
        results.changes());
  }
}
