package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Access;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class TenantScopeTest {
  private static final String TENANTS =
      """
      tenants:
        a: {scope: '{tenant="a", cluster="c", rack=~"r.*", gone="", room!="x"}'}
        all: {limits: {strict: true}}
      """;

  private Access access;

  @BeforeEach
  void read(Vertx vertx, @TempDir Path folder) throws Exception {
    access =
        Guard.open(
                vertx,
                new HttpSettings("127.0.0.1", 0),
                Optional.of(Files.writeString(folder.resolve("tenants"), TENANTS)),
                TrustSettings.NONE,
                TenantLimits.DEFAULT,
                Parser::selectorProblem,
                System::currentTimeMillis)
            .access();
  }

  @Test
  void whatRulesWriteHasTheLabelsOfTheScopeAndHasToMatchItsOtherMatchers() throws Exception {
    TenantScope scope = TenantScope.of(access, "a");
    assertThat(scope.labels()).isEqualTo(Labels.of("tenant", "a", "cluster", "c"));
    assertThat(scope.others())
        .extracting(Matcher::name, Matcher::kind)
        .containsExactlyInAnyOrder(
            tuple("rack", Matcher.Kind.REGEX),
            tuple("gone", Matcher.Kind.EQUAL),
            tuple("room", Matcher.Kind.NOT_EQUAL));
    assertThat(scope.caller().tenant()).isEqualTo("a");
    assertThat(scope.caller().scope()).hasSize(5);
    assertThat(scope.caller().seesAllHosts()).isFalse();
  }

  @Test
  void theOperatorsRulesAndThoseOfATenantWithoutAScopeSeeAndWriteEverything() throws Exception {
    for (String tenant : List.of("", "all")) {
      TenantScope scope = TenantScope.of(access, tenant);
      assertThat(scope.labels()).isEqualTo(Labels.of());
      assertThat(scope.others()).isEmpty();
      assertThat(scope.caller().scope()).isEmpty();
      assertThat(scope.caller().seesAllHosts()).isTrue();
      assertThat(scope.caller().limits().strict()).isEqualTo(tenant.equals("all"));
    }
    assertThat(TenantScope.of(access, "").caller().tenant()).isEqualTo("(rules)");
    assertThatThrownBy(() -> TenantScope.of(access, "nobody"))
        .hasMessage("there is no tenant nobody in the tenants file");
  }
}
