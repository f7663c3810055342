package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.query.QueryFailure;

/**
 * A question as it is put to one cluster.
 *
 * @param seen makes an answer to what was asked at first, of an answer to this question
 */
record Asked<A extends Result>(Question<A> question, Seeing<A> seen) {
  /** Makes one answer of another. */
  @FunctionalInterface
  interface Seeing<A> {
    /**
     * @throws QueryFailure if the answer has what nobody asked for
     */
    A of(A answer) throws QueryFailure;
  }

  /** Whose answers are the answers. */
  static <A extends Result> Asked<A> as(Question<A> question) {
    return new Asked<>(question, answer -> answer);
  }
}
