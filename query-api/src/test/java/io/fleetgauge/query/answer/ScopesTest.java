package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScopesTest {
  private static final AtomicInteger SITES = new AtomicInteger();

  /** What was asked once is kept as long as the process lives; this site was never asked for. */
  private final String site = "s" + SITES.incrementAndGet();

  private List<String> here(String... scopes) {
    return Stream.of(scopes)
        .map(scope -> scope.isEmpty() ? "" : scope.replace("}", ",site=\"" + site + "\"}"))
        .toList();
  }

  private boolean sees(List<Matcher> scope, String... labels) {
    Labels here = Labels.of(labels).with("site", site);
    Labels elsewhere = Labels.of(labels).with("site", "elsewhere");
    assertThat(scope).anyMatch(matcher -> !matcher.matches(elsewhere));
    return scope.stream().allMatch(matcher -> matcher.matches(here));
  }

  @Test
  void oneTenantSeesItsScopeAndOneWithoutSeesAll() throws QueryFailure {
    List<Matcher> scope = Scopes.of(here("{tenant=\"a\",rack=~\"r[0-3]\"}"));
    assertThat(sees(scope, "tenant", "a", "rack", "r2")).isTrue();
    assertThat(sees(scope, "tenant", "a", "rack", "r4")).isFalse();
    assertThat(Scopes.of(List.of())).isEmpty();
    assertThat(Scopes.of(here("{tenant=\"a\"}", ""))).isEmpty();
  }

  @Test
  void severalTenantsSeeWhatOneOfThemSeesAndNothingElse() throws QueryFailure {
    List<Matcher> scope =
        Scopes.of(
            here(
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
  void whichLabelTheScopesDifferInDoesNotMatter() throws QueryFailure {
    List<Matcher> scope =
        Scopes.of(here("{tenant=\"a\",rack=\"r1\"}", "{tenant=\"a\",rack=~\"r[23]\"}"));
    for (String rack : List.of("r1", "r2", "r3")) {
      assertThat(sees(scope, "tenant", "a", "rack", rack)).as(rack).isTrue();
      assertThat(sees(scope, "tenant", "b", "rack", rack)).as(rack).isFalse();
    }
    assertThat(sees(scope, "tenant", "a", "rack", "r4")).isFalse();
  }

  @Test
  void whatIsAskedAgainIsTheSame() throws QueryFailure {
    List<String> scopes = here("{tenant=\"a\"}", "{tenant=\"b\"}");
    assertThat(Scopes.of(scopes)).isSameAs(Scopes.of(scopes));
  }

  @Test
  void scopesThatNoMatchersSayTogetherAreRefused() {
    for (List<String> scopes :
        List.of(
            here("{tenant=\"a\",rack=\"r1\"}", "{tenant=\"b\",rack=\"r2\"}"),
            here("{tenant=\"a\"}", "{rack=\"r2\"}"),
            here("{tenant=\"a\",rack=\"r1\"}", "{tenant=\"a\",rack!=\"r1\"}"),
            here("{tenant=\"a\"}", "{tenant=\"a\",rack=\"r1\"}"),
            here("{tenant=\"a\",rack=\"r1\"}", "{tenant=\"a\"}"))) {
      assertThatThrownBy(() -> Scopes.of(scopes))
          .as(scopes.toString())
          .hasMessageContaining("cannot be queried together");
    }
  }
}
