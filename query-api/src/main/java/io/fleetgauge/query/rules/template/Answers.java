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
  List<Answer.Sample> query(String text) throws UnknownAnswer, TemplateFailure;

  /** A template asks a query whose answer is not known yet. */
  final class UnknownAnswer extends Exception {
    private static final long serialVersionUID = 1L;

    private final String query;

    public UnknownAnswer(String query) {
      super(query, null, false, false);
      this.query = query;
    }

    /** The text of the query. */
    public String query() {
      return query;
    }
  }
}
