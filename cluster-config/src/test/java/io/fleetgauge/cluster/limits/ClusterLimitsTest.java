package io.fleetgauge.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.peers.LinkedQueryApi;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Query APIs that send each other heartbeats over loopback. */
@ExtendWith(VertxExtension.class)
class ClusterLimitsTest {
  private static final String TENANT = "a";
  private static final int LIMIT = 20;

  private final List<Api> apis = new ArrayList<>();

  /** A query API of which one tenant always wants to run some queries at once. */
  private static final class Api implements LocalQueries {
    final LinkedQueryApi linked;
    private final Random random;
    private final List<Long> ends = new ArrayList<>();
    private final ClusterLimits limits;
    private int wanted;
    private long runs;

    Api(Vertx vertx, String name, int members) throws Exception {
      random = new Random(name.hashCode());
      linked = new LinkedQueryApi(vertx, name);
      linked.link.start(name, () -> members);
      limits = ClusterLimits.start(linked.link, this, tenant -> LIMIT, 100);
    }

    synchronized void wants(int queries) {
      wanted = queries;
    }

    /** Ends what is done and starts what is allowed. */
    synchronized void run() {
      runs++;
      ends.removeIf(end -> end <= runs);
      while (ends.size() < Math.min(wanted, limits.running(TENANT, LIMIT))) {
        ends.add(runs + 1 + random.nextInt(20));
      }
    }

    synchronized int count() {
      return ends.size();
    }

    @Override
    public synchronized Map<String, Use> uses() {
      return wanted == 0 && ends.isEmpty()
          ? Map.of()
          : Map.of(TENANT, new Use(ends.size(), Math.max(0, wanted - ends.size())));
    }

    @Override
    public synchronized Use all() {
      return new Use(ends.size(), 0);
    }

    @Override
    public void sharesChanged() {}
  }

  @AfterEach
  void stop() throws Exception {
    for (Api each : apis) {
      each.linked.close();
    }
  }

  private List<Api> start(Vertx vertx, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      apis.add(new Api(vertx, "q" + i, count));
    }
    LinkedQueryApi.meet(apis.stream().map(each -> each.linked).toList());
    return apis;
  }

  /** Runs the load of all once; how many queries run then together. */
  private static int total(List<Api> of) {
    of.forEach(Api::run);
    return of.stream().mapToInt(Api::count).sum();
  }

  /** Runs the load of all, again and again, until a total holds. */
  private static void until(List<Api> of, IntPredicate holds) {
    await()
        .atMost(Duration.ofMinutes(10))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> holds.test(total(of)));
  }

  @Test
  void threeQueryApisThatAreAskedAtOnceRunNoMoreThanTheLimitTogether(Vertx vertx) throws Exception {
    List<Api> all = start(vertx, 3);
    all.forEach(api -> api.wants(2 * LIMIT));
    // Each has its share, and what ran before has ended.
    until(all, total -> total == LIMIT && all.stream().allMatch(api -> api.count() >= LIMIT / 3));
    List<Integer> totals = new CopyOnWriteArrayList<>();
    until(all, total -> totals.add(total) && totals.size() == 600);
    assertThat(totals).allMatch(total -> total <= LIMIT).contains(LIMIT);
    all.get(1).wants(0);
    all.get(2).wants(0);
    until(all, total -> all.getFirst().count() == LIMIT);
  }

  /** One that has fallen silent would be counted for two minutes. */
  @Test
  void theShareOfAQueryApiThatStopsIsFreeForTheOthersSoon(Vertx vertx) throws Exception {
    // The membership of this test does not change.
    Api stays = new Api(vertx, "q0", 1);
    Api goes = new Api(vertx, "q1", 1);
    apis.addAll(List.of(stays, goes));
    LinkedQueryApi.meet(List.of(stays.linked, goes.linked));
    apis.forEach(api -> api.wants(2 * LIMIT));
    until(apis, total -> stays.count() == LIMIT / 2 && goes.count() == LIMIT / 2);
    goes.linked.close();
    until(List.of(stays), total -> total == LIMIT);
  }
}
