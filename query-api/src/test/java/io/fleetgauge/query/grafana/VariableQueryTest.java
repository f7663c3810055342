package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VariableQueryTest {
  @ParameterizedTest
  @ValueSource(strings = {"label_values(rack)", " label_values( rack ) \n", "rack", "\track "})
  void aVariableMayBeAllValuesOfALabel(String target) throws QueryFailure {
    assertThat(VariableQuery.of(target)).isEqualTo(new VariableQuery("rack", List.of(), null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "label_values(up{a=\"1,2\"}, rack)",
        "label_values( up{a=\"1,2\"} ,rack )",
        "label_values(up{\n  a=\"1,2\"\n}, rack)\n"
      })
  void aVariableMayBeTheValuesOfALabelOfSomeSeries(String target) throws QueryFailure {
    VariableQuery variable = VariableQuery.of(target);
    assertThat(variable.label()).isEqualTo("rack");
    assertThat(variable.matchers())
        .containsExactlyInAnyOrder(Matcher.equal("__name__", "up"), Matcher.equal("a", "1,2"));
  }

  @Test
  void metricsAreThoseWhoseNameHasAMatchAnywhere() throws QueryFailure {
    VariableQuery variable = VariableQuery.of("metrics(^a(b|c))");
    assertThat(variable.label()).isEqualTo("__name__");
    assertThat(variable.accepts("abd")).isTrue();
    assertThat(variable.accepts("ad")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"label_values()", "label_values(up, )", "label_values(up{, rack)"})
  void aCallThatNamesNoLabelOrNoSeriesIsAnError(String target) {
    assertThatThrownBy(() -> VariableQuery.of(target))
        .isInstanceOf(QueryFailure.class)
        .hasMessageStartingWith("the variable " + target + " cannot be read: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"label_values(", "metrics(", "label_values(a,", ""})
  void aTextOfManySpacesIsReadInOnePass(String begin) {
    String text = begin + " ".repeat(1_000_000) + "x";
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () -> assertThat(VariableQuery.of(text).label()).isEqualTo(text.strip()));
  }
}
