package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.QueryFailure.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RuleQueriesTest {
  @ParameterizedTest
  @EnumSource(names = {"TIMEOUT", "UNAVAILABLE", "LIMITED", "CANCELED"})
  void aFailureThatPassesIsAnErrorOfTheRuleOnlyWhenThereIsNoMoreTime(Kind kind) {
    QueryFailure failure = new QueryFailure(kind, "not now");

    assertThat(RuleQueries.told(failure, true)).isInstanceOf(RetryLater.class);
    assertThat(RuleQueries.told(failure, false)).isSameAs(failure);
  }

  @Test
  void aFailureThatIsTheQuerysOwnIsAnErrorOfTheRuleAtOnce() {
    QueryFailure failure = new QueryFailure(Kind.EXECUTION, "many-to-many");

    assertThat(RuleQueries.told(failure, true)).isSameAs(failure);
  }

  @Test
  void aDefectIsAnErrorOfTheRuleWhenThereIsNoMoreTime() {
    Throwable defect = new IndexOutOfBoundsException("3");

    assertThat(RuleQueries.told(defect, true)).isInstanceOf(RetryLater.class);
    assertThat(RuleQueries.told(defect, false))
        .isInstanceOfSatisfying(
            QueryFailure.class, told -> assertThat(told.kind()).isEqualTo(Kind.INTERNAL))
        .hasMessageContaining("IndexOutOfBoundsException: 3");
  }
}
