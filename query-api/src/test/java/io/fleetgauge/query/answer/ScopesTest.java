package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScopesTest {
  private static boolean sees(List<Matcher> scope, String... labels) {
    return scope.stream().allMatch(matcher -> matcher.matches(Labels.of(labels)));
  }

  @Test
  void oneTenantSeesItsScopeAndOneWithoutSeesAll() throws QueryFailure {
    List<Matcher> scope = Scopes.of(List.of("{tenant=\"a\",rack=~\"r[0-3]\"}"));
    assertThat(sees(scope, "tenant", "a", "rack", "r2")).isTrue();
    assertThat(sees(scope, "tenant", "a", "rack", "r4")).isFalse();
    assertThat(Scopes.of(List.of())).isEmpty();
    assertThat(Scopes.of(List.of("{tenant=\"a\"}", ""))).isEmpty();
  }

  @Test
  void severalTenantsSeeWhatOneOfThemSeesAndNothingElse() throws QueryFailure {
    List<Matcher> scope =
        Scopes.of(
            List.of(
                "{tenant=\"a.b\",rack=\"r1\"}",
                "{tenant=\"c|d\",rack=\"r1\"}",
                "{tenant=~\"e+\",rack=\"r1\"}"));
    for (String tenant : List.of("a.b", "c|d", "e", "eee")) {
      assertThat(sees(scope, "tenant", tenant, "rack", "r1")).as(tenant).isTrue();
      assertThat(sees(scope, "tenant", tenant, "rack", "r2")).as(tenant).isFalse();
    }
    for (String tenant : List.of("", "axb", "c", "d", "a.be", "f")) {
      assertThat(sees(scope, "tenant", tenant, "rack", "r1")).as(tenant).isFalse();
    }
  }

  @Test
  void scopesThatNoMatchersSayTogetherAreRefused() {
    for (List<String> scopes :
        List.of(
            List.of("{tenant=\"a\",rack=\"r1\"}", "{tenant=\"b\",rack=\"r2\"}"),
            List.of("{tenant=\"a\"}", "{rack=\"r2\"}"),
            List.of("{tenant=\"a\",rack=\"r1\"}", "{tenant=\"a\",rack!=\"r1\"}"),
            List.of("{tenant=\"a\"}", "{tenant=\"a\",rack=\"r1\"}"))) {
      assertThatThrownBy(() -> Scopes.of(scopes))
          .as(scopes.toString())
          .hasMessageContaining("cannot be asked together");
    }
  }
}
