package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.query.answer.VisibleHosts.Seen;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which hosts the callers of tenants a and b see; gateway g1 has n1 and n2, g2 has n3. */
@ExtendWith(VertxExtension.class)
class VisibleHostsTest {
  private static final Caller A = caller("a");
  private static final Caller B = caller("b");

  private final MemoryFleet fleet =
      new MemoryFleet().host("n1", "g1").host("n2", "g1").host("n3", "g2");
  private long nanoTime = -5;
  private MemoryShards shards;
  private VisibleHosts visible;

  @BeforeEach
  void start(Vertx vertx) {
    fleet.with(up("n1", "a"), up("n2", "b"), up("n3", "a"));
    shards = new MemoryShards(vertx, fleet);
    visible = new VisibleHosts(shards, () -> nanoTime);
  }

  private static Caller caller(String tenant) {
    return new Caller(
        tenant,
        List.of(Matcher.of(Matcher.Kind.EQUAL, "tenant", tenant)),
        false,
        TenantLimits.DEFAULT);
  }

  private static Series up(String host, String tenant) {
    Labels labels = Labels.of(Labels.NAME, "up", "Hostname", host, "tenant", tenant);
    return new Series(labels, new long[] {5_000}, new double[] {1});
  }

  private Future<Optional<Seen>> ask(Caller caller) {
    return visible.of(caller, new Load("red", 3, 1L << 40));
  }

  private Seen seen(Caller caller) throws Exception {
    return ask(caller).await(120, TimeUnit.SECONDS).orElseThrow();
  }

  private void pass(long seconds) {
    nanoTime += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void aCallerSeesTheHostsThatHaveASeriesInItsScope() throws Exception {
    assertThat(seen(A).hosts()).containsExactlyInAnyOrder("n1", "n3");
    assertThat(seen(A).unknown()).isEmpty();
    assertThat(seen(B).hosts()).containsExactly("n2");
    assertThat(shards.reads())
        .as("once a scope, and never heavy")
        .containsExactly("hosts", "hosts");
  }

  @Test
  void afterTenSecondsTheHostsAreAskedAgain() throws Exception {
    seen(A);
    fleet.with(up("n2", "a"));
    pass(10);
    nanoTime--;
    assertThat(seen(A).hosts()).doesNotContain("n2");
    assertThat(shards.count("hosts")).isEqualTo(1);
    nanoTime++;
    assertThat(seen(A).hosts()).containsExactlyInAnyOrder("n1", "n2", "n3");
    assertThat(seen(A).hosts()).contains("n2");
    assertThat(shards.count("hosts")).isEqualTo(2);
  }

  @Test
  void callersOfOneScopeThatAskAtOnceAreAnsweredByOneRead() throws Exception {
    shards.hold("hosts");
    Future<Optional<Seen>> first = ask(A);
    Future<Optional<Seen>> second = ask(A);
    assertThat(shards.count("hosts")).isEqualTo(1);
    assertThat(second.isComplete()).isFalse();
    shards.release();
    assertThat(second.await(120, TimeUnit.SECONDS)).isEqualTo(first.await(120, TimeUnit.SECONDS));
  }

  @Test
  void aHostThatCannotBeAskedAnyMoreIsStillSeen() throws Exception {
    seen(A);
    fleet.stop("g1");
    pass(10);
    assertThat(seen(A).hosts()).containsExactlyInAnyOrder("n1", "n3");
    assertThat(seen(A).unknown()).as("n2 had no series in the scope").isEmpty();
    pass(10);
    assertThat(seen(A).hosts()).contains("n1");
  }

  @Test
  void aHostThatCouldNeverBeAskedIsUnknownUntilItCan() throws Exception {
    fleet.stop("g1");
    assertThat(seen(A)).isEqualTo(new Seen(set("n3"), set("n1", "n2"), nanoTime));
    pass(10);
    assertThat(seen(A).unknown()).containsExactlyInAnyOrder("n1", "n2");
    fleet.host("n1", "g2").host("n2", "g2");
    pass(10);
    assertThat(seen(A)).isEqualTo(new Seen(set("n1", "n3"), set(), nanoTime));
  }

  @Test
  void aHostThatComesLaterAndCannotBeAskedIsNotSeen() throws Exception {
    seen(A);
    fleet.stop("g1");
    fleet.host("n4", "g1").with(up("n4", "a"));
    pass(10);
    assertThat(seen(A)).isEqualTo(new Seen(set("n1", "n3"), set(), nanoTime));
  }

  @Test
  void whileNoGatewayCanBeAskedWhatWasSeenLastIsSeenAndNothingBefore() throws Exception {
    seen(A);
    fleet.leave("g1");
    fleet.leave("g2");
    pass(60);
    assertThat(seen(A).hosts()).containsExactlyInAnyOrder("n1", "n3");
    assertThat(ask(B).await(120, TimeUnit.SECONDS)).isEmpty();
    assertThat(ask(B).await(120, TimeUnit.SECONDS)).isEmpty();
    assertThat(shards.count("hosts")).as("it is tried each time").isEqualTo(4);
  }

  private static Set<String> set(String... hosts) {
    return Set.of(hosts);
  }
}
