package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.http.Guard;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The places that the queries of a process have. */
@ExtendWith(VertxExtension.class)
class QuerierPartTest {
  private static final String TOKEN = "{t: {sha256: " + "%064x".formatted(1) + "}}";
  private static final String OTHER = "{t: {sha256: " + "%064x".formatted(2) + "}}";

  private QuerierPart part;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    Path tenants = folder.resolve("tenants.yaml");
    Files.writeString(
        tenants,
        """
        tenants:
          own: {limits: {running: 1, queued: 2}, tokens: %s}
          usual: {tokens: %s}
        """
            .formatted(TOKEN, OTHER));
    QueryConfig config =
        QueryConfig.read(
            "the test",
            """
            http: {host: 127.0.0.1, port: 0}
            tenants: {file: '%s'}
            query: {maxParallel: 20, maxHeavy: 3, limits: {running: 2, queued: 1}}
            """
                .formatted(tenants));
    Guard guard =
        Guard.open(
            vertx,
            config.http(),
            config.tenants(),
            config.trust(),
            config.limits(),
            Parser::selectorProblem,
            System::currentTimeMillis);
    part =
        new QuerierPart(vertx, config, guard, () -> ClusterView.EMPTY, ClusterShare.WHOLE, () -> 0);
    part.start();
  }

  @AfterEach
  void stop() {
    part.close();
  }

  private Future<Admission.Slot> enter(String tenant) {
    return part.admission()
        .enter(
            tenant,
            new Cost(1, 1, 1),
            System.nanoTime() + TimeUnit.HOURS.toNanos(1),
            new Cancellation());
  }

  /** As many queries as may run and wait, and the failure of one more. */
  private String refusal(String tenant, int running, int queued) {
    for (int i = 0; i < running; i++) {
      assertThat(enter(tenant).succeeded()).isTrue();
    }
    for (int i = 0; i < queued; i++) {
      assertThat(enter(tenant).isComplete()).isFalse();
    }
    assertThat(part.admission().uses())
        .isEqualTo(Map.of(tenant, new Admission.Use(running, queued)));
    QueryFailure refusal = (QueryFailure) enter(tenant).cause();
    assertThat(refusal.kind()).isEqualTo(QueryFailure.Kind.LIMITED);
    return refusal.getMessage();
  }

  @Test
  void aTenantHasTheLimitsOfItsOwn() {
    assertThat(refusal("own", 1, 2)).contains("tenant own", "running 1 and queued 2");
  }

  @Test
  void aTenantWithoutLimitsOfItsOwnHasThoseOfTheConfiguration() {
    assertThat(refusal("usual", 2, 1)).contains("tenant usual", "running 2 and queued 1");
  }

  @Test
  void aCallerOfSeveralTenantsHasTheLeastOfTheirLimits() {
    assertThat(refusal("own|usual", 1, 1)).contains("running 1 and queued 1");
  }

  @Test
  void heavyQueriesHaveThePlacesThatTheConfigurationGivesThem() {
    for (String tenant : List.of("usual", "own")) {
      for (int i = 0; i < 2; i++) {
        part.admission()
            .enter(
                tenant,
                Cost.bound(1L << 40),
                System.nanoTime() + TimeUnit.HOURS.toNanos(1),
                new Cancellation());
      }
    }
    assertThat(part.admission().running()).isEqualTo(3);
    assertThat(enter("usual").isComplete()).as("two of it run").isFalse();
  }
}
