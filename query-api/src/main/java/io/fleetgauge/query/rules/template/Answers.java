package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.query.Answer;
import java.util.List;

/** Answers the queries of a template. */
@FunctionalInterface
public interface Answers {
  /**
   * @throws Unanswered if the answer is not known yet: the template is to be expanded again when it
   *     is
   * @throws TemplateFailure if the query has no answer
   */
  List<Answer.Sample> query(String text) throws Unanswered, TemplateFailure;
}
