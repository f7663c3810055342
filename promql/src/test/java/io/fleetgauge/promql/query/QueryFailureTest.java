package io.fleetgauge.promql.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueryFailureTest {
  @Test
  void whatMaySucceedLaterAndNothingElseSaysWhenToRetry() {
    Set<QueryFailure.Kind> retried = EnumSet.noneOf(QueryFailure.Kind.class);
    for (QueryFailure.Kind kind : QueryFailure.Kind.values()) {
      boolean mayPass = kind.httpStatus == 503 || kind.httpStatus == 429;
      assertThat(kind.retryAfterSeconds > 0).as(kind.name()).isEqualTo(mayPass);
      if (mayPass) {
        retried.add(kind);
      }
    }
    assertThat(retried)
        .containsExactlyInAnyOrder(
            QueryFailure.Kind.TIMEOUT, QueryFailure.Kind.UNAVAILABLE, QueryFailure.Kind.LIMITED);
  }

  @Test
  void statusesAndTypesAreThoseOfPrometheus() {
    assertThat(QueryFailure.Kind.values())
        .extracting(kind -> kind.httpStatus + " " + kind.errorType)
        .containsExactlyInAnyOrder(
            "400 bad_data",
            "413 bad_data",
            "408 timeout",
            "422 execution",
            "499 canceled",
            "404 not_found",
            "403 forbidden",
            "503 timeout",
            "503 unavailable",
            "429 unavailable",
            "500 internal");
  }
}
