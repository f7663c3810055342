package io.fleetgauge.promql.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairQueueTest {
  private static final long HEAVY = 3_000_001;

  private final FairQueue<String> queue = new FairQueue<>();

  private FairQueue.Item<String> add(String tenant, int weight, long work) {
    FairQueue.Item<String> item =
        new FairQueue.Item<>(new Load(tenant, weight, work), tenant + queue.waiting());
    queue.add(item);
    return item;
  }

  private Optional<FairQueue.Item<String>> next() {
    return queue.next((tenant, heavy) -> true);
  }

  private List<String> servedOneByOne(int count) {
    List<String> served = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FairQueue.Item<String> item = next().orElseThrow();
      served.add(item.load().tenant());
      queue.ended(item);
    }
    return served;
  }

  @Test
  void workIsHeavyAboveThreeMillionSamples() {
    assertThat(new Load("a", 1, 3_000_000).isHeavy()).isFalse();
    assertThat(new Load("a", 1, HEAVY).isHeavy()).isTrue();
    assertThat(Load.OWN.isHeavy()).isFalse();
    assertThat(new Load("a", 3, 150_001).withoutRollups()).isEqualTo(new Load("a", 3, 3_000_020));
    assertThat(Load.withoutRollups(Long.MAX_VALUE / 2)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aTenantIsServedInTheOrderInWhichItAsked() {
    List<FairQueue.Item<String>> asked = List.of(add("a", 1, 3), add("a", 1, 2), add("a", 1, 1));
    List<FairQueue.Item<String>> served = new ArrayList<>();
    for (Optional<FairQueue.Item<String>> one = next(); one.isPresent(); one = next()) {
      served.add(one.get());
    }
    assertThat(served).isEqualTo(asked);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void tenantsThatAlwaysWaitAreServedWorkInProportionToTheirWeights(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TreeMap<String, Double> served = new TreeMap<>();
    for (int i = 0; i < 5; i++) {
      add("a", 1, 1 + random.nextInt(100));
      add("b", 2, 1 + random.nextInt(1_000));
      add("c", 5, 1 + random.nextInt(10));
    }
    for (int i = 0; i < 30_000; i++) {
      FairQueue.Item<String> item = next().orElseThrow();
      served.merge(item.load().tenant(), (double) item.load().work(), Double::sum);
      queue.ended(item);
      int most = item.load().weight() == 1 ? 100 : item.load().weight() == 2 ? 1_000 : 10;
      add(item.load().tenant(), item.load().weight(), 1 + random.nextInt(most));
    }
    double share = served.get("a");
    assertThat(served.get("b") / share).isBetween(1.9, 2.1);
    assertThat(served.get("c") / share).isBetween(4.9, 5.1);
  }

  @Test
  void aTenantThatWasAwayHasNotSavedUpTurns() {
    for (int i = 0; i < 100; i++) {
      add("a", 1, 1);
    }
    servedOneByOne(50);
    for (int i = 0; i < 20; i++) {
      add("b", 1, 1);
    }
    assertThat(servedOneByOne(20).stream().filter("b"::equals).count()).isBetween(9L, 11L);
  }

  @Test
  void lightWorkGoesFirstAndHeavyWorkOnlyWhereItMay() {
    add("a", 1, HEAVY);
    FairQueue.Item<String> light = add("b", 1, 1);
    assertThat(next()).contains(light);
    assertThat(queue.next((tenant, heavy) -> !heavy)).isEmpty();
    assertThat(queue.next((tenant, heavy) -> !tenant.equals("a"))).isEmpty();
    FairQueue.Item<String> heavy = next().orElseThrow();
    assertThat(heavy.load().tenant()).isEqualTo("a");
    assertThat(queue.running()).isEqualTo(2);
    assertThat(queue.heavyRunning()).isEqualTo(1);
    assertThat(queue.running("a")).isEqualTo(1);
    queue.ended(heavy);
    queue.ended(light);
    assertThat(queue.running()).isZero();
    assertThat(queue.heavyRunning()).isZero();
    assertThat(queue.tenants()).isEmpty();
  }

  @Test
  void whatIsTakenOutIsNotServed() {
    FairQueue.Item<String> first = add("a", 1, 1);
    FairQueue.Item<String> second = add("a", 1, HEAVY);
    assertThat(queue.waitingWork("a", true)).isEqualTo(HEAVY);
    assertThat(queue.remove(first)).isTrue();
    assertThat(queue.remove(first)).isFalse();
    assertThat(queue.waiting("a", false)).isZero();
    assertThat(queue.waiting("a")).isEqualTo(1);
    assertThat(next()).contains(second);
    assertThat(queue.remove(second)).as("it is executed already").isFalse();
    assertThat(queue.remove(new FairQueue.Item<>(new Load("z", 1, 1), "z"))).isFalse();
  }

  @Test
  void whoHasMostGivesUpItsLastHeavyWorkForWhoHasLess() {
    add("a", 1, HEAVY);
    add("a", 1, HEAVY);
    add("b", 1, HEAVY);
    FairQueue.Item<String> last = add("b", 1, HEAVY);
    add("b", 1, 1);
    Load newcomer = new Load("c", 1, 1);
    assertThat(queue.canDropFor(newcomer)).isTrue();
    assertThat(queue.dropFor(newcomer)).contains(last);
    assertThat(queue.canDropFor(new Load("a", 1, 1))).as("b has no more than a").isFalse();
    assertThat(queue.dropFor(new Load("b", 1, 1))).isEmpty();
    assertThat(queue.waiting()).isEqualTo(4);
  }
}
