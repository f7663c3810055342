package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.rollup.RollupPage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When the rollups of hosts are computed. */
class ReduceTest extends MaintainedLanes {
  @Test
  void allRollupsOfAllHostsAreComputed() throws Exception {
    recover();
    List<String> hosts = List.of("n1", hostOfOtherThread("n1"), "n3", "n4");
    for (String host : hosts) {
      take(host, 0, 10 * BLOCK);
    }
    reduce();
    for (String host : hosts) {
      assertThat(lastStep(host)).as(host).isEqualTo(10 * BLOCK - MINUTE);
    }
    take("n3", 10 * BLOCK, 10 * BLOCK + 10 * MINUTE);
    reduce();
    assertThat(lastStep("n3")).isEqualTo(10 * BLOCK + 9 * MINUTE);
  }

  @Test
  void noRollupIsComputedOfHalfThePast() throws Exception {
    recover();
    take("n1", 0, 10 * MINUTE);
    close();
    start();
    maintenance.reduce();
    threads.of("n1").call(hosts -> true).get(20, TimeUnit.SECONDS);
    recover();
    assertThat(store.lane("n1").rollups(POWER, 0, Long.MAX_VALUE / 2)).isEmpty();
    reduce();
    assertThat(lastStep("n1")).isEqualTo(9 * MINUTE);
  }

  @Test
  void aHostThatIsRemovedMeanwhileDoesNotHoldUpTheRollupsOfOthers() throws Exception {
    recover();
    List<String> hosts = hostsOfThread(threads.of("n1"), 3);
    for (String host : hosts) {
      take(host, 0, 10 * MINUTE);
    }
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    maintenance.reduce();
    List<String> order = new ArrayList<>();
    lane.run(() -> order.addAll(lane.hosts().names()));
    lane.run(
        () -> {
          for (String host : hosts) {
            if (!host.equals(order.getLast())) {
              maintenance.remove(lane, host);
            }
          }
        });
    busy.countDown();
    await().until(() -> !lane.reducing.get());
    assertThat(store.hosts()).containsExactly(order.getLast());
    assertThat(lastStep(order.getLast())).isEqualTo(9 * MINUTE);
  }

  private void reduce() {
    maintenance.reduce();
    await().until(() -> threads.all().stream().noneMatch(thread -> thread.reducing.get()));
  }

  private long lastStep(String host) {
    long last = -1;
    for (RollupPage page : store.lane(host).rollups(POWER, 0, Long.MAX_VALUE / 2)) {
      last = Math.max(last, page.end(STEP) - STEP);
    }
    return last;
  }
}
