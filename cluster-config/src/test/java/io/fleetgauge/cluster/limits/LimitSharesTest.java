package io.fleetgauge.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.limits.SimulatedApis.Api;
import io.fleetgauge.cluster.peers.PeerMachine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of tenants hold for all query APIs together. */
class LimitSharesTest {
  private static final int SETTLED = 1_000;

  /** How many times a story is played in each test of it. */
  private static final int SEEDS = Integer.getInteger("fleetgauge.simulation.usage", 5);

  private static final int LONGEST_QUERY = 3_500;

  /** After so long what was lent to one that fell silent is used again, ms. */
  private static final long CHANGED = LimitShares.RECLAIM_MILLIS + SETTLED;

  @Test
  void aLoneQueryApiHasTheWholeLimitAtOnce() {
    SimulatedApis cluster = new SimulatedApis(1, 20);
    Api only = cluster.start().wants(50);
    cluster.runFor(10);
    assertThat(only.running()).isEqualTo(20);
  }

  @Test
  void aLoneQueryApiReportsNothingUntilThereIsAnother() {
    SimulatedApis cluster = new SimulatedApis(1, 20);
    Api only = cluster.start().wants(50);
    cluster.runFor(10_000);
    assertThat(only.sent()).isZero();
    Api newcomer = cluster.start().wants(50);
    cluster.runFor(PeerMachine.BEAT_MILLIS);
    assertThat(only.sent()).isPositive();
    assertThat(newcomer.sent()).isPositive();
    newcomer.stop(true);
    cluster.runFor(SETTLED);
    long before = only.sent();
    cluster.runFor(10_000);
    assertThat(only.sent()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"2, 20", "3, 20", "3, 7", "5, 20", "10, 20", "3, 1", "5, 3", "4, 10000"})
  void oneTenantThatAsksAllQueryApisAtOnceNeverRunsMoreThanItsLimitAndAllOfIt(int apis, int limit) {
    for (long seed = 1; seed <= 5; seed++) {
      SimulatedApis cluster = new SimulatedApis(seed, limit);
      cluster.start(apis).forEach(api -> api.wants(2 * limit));
      cluster.runFor(SETTLED);
      long[] total = {0, 0};
      cluster.runFor(
          5_000,
          () -> {
            cluster.assertNeverMoreThan(limit);
            total[0] += cluster.running();
            total[1]++;
          });
      if (limit >= apis) {
        assertThat(cluster.running()).isEqualTo(limit);
      }
      // Where the query APIs take turns, a place is empty while it changes hands.
      assertThat((double) total[0] / total[1])
          .isGreaterThan(limit >= apis ? limit - 1 : limit / 3.0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whereThereAreFewerPlacesThanQueryApisEachGetsItsTurn(int limit) {
    SimulatedApis cluster = new SimulatedApis(3, limit);
    List<Api> apis = cluster.start(5);
    apis.forEach(api -> api.wants(10));
    int[] turns = new int[5];
    cluster.runFor(SETTLED);
    cluster.runFor(
        20_000,
        () -> {
          cluster.assertNeverMoreThan(limit);
          apis.forEach(api -> turns[api.index] += api.running());
        });
    assertThat(Arrays.stream(turns)).allMatch(turn -> turn > 0);
  }

  @Test
  void whoeverIsAskedAloneGetsWhatTheOthersDoNotUseWithinOneSecond() {
    SimulatedApis cluster = new SimulatedApis(4, 20);
    List<Api> apis = cluster.start(3);
    cluster.runFor(2_000);
    apis.get(2).wants(20);
    cluster.runFor(SETTLED, () -> cluster.assertNeverMoreThan(20));
    assertThat(apis.get(2).running()).isEqualTo(20);
    apis.get(2).wants(0);
    apis.get(0).wants(15);
    apis.get(1).wants(3);
    cluster.runFor(2 * SETTLED, () -> cluster.assertNeverMoreThan(20));
    assertThat(apis.get(0).running()).isEqualTo(15);
    assertThat(apis.get(1).running()).isEqualTo(3);
  }

  @Test
  void aLimitThatNobodyUsesIsDividedEvenlyAgain() {
    SimulatedApis cluster = new SimulatedApis(5, 20);
    List<Api> apis = cluster.start(3);
    apis.getFirst().wants(20);
    cluster.runFor(2_000);
    assertThat(apis.getFirst().allowed()).isEqualTo(20);
    apis.getFirst().wants(0);
    cluster.runFor(8_000);
    assertThat(apis.stream().map(Api::allowed)).containsExactly(7, 7, 6);
  }

  @Test
  void aNewcomerWaitsForItsShareAndNobodyRunsMoreThanTheLimitMeanwhile() {
    SimulatedApis cluster = new SimulatedApis(6, 20);
    cluster.start(2).forEach(api -> api.wants(40));
    cluster.runFor(3_000);
    Api newcomer = cluster.start().wants(40);
    cluster.runFor(SETTLED, () -> cluster.assertNeverMoreThan(20));
    assertThat(newcomer.running()).isBetween(5, 8);
  }

  @Test
  void whoSaysGoodbyeLeavesItsShareToTheOthers() {
    SimulatedApis cluster = new SimulatedApis(7, 20);
    List<Api> apis = cluster.start(3);
    apis.forEach(api -> api.wants(40));
    cluster.runFor(2_000);
    apis.getFirst().stop(true);
    cluster.runFor(SETTLED);
    assertThat(cluster.running()).isEqualTo(20);
  }

  @Test
  void whoFallsSilentKeepsItsShareForTwoMinutes() {
    SimulatedApis cluster = new SimulatedApis(8, 20);
    List<Api> apis = cluster.start(3);
    apis.forEach(api -> api.wants(40));
    cluster.runFor(2_000);
    apis.getFirst().stop(false);
    cluster.runFor(CHANGED + 4_000, () -> cluster.assertNeverMoreThan(20));
    assertThat(cluster.running()).isEqualTo(13);
    cluster.runFor(PeerMachine.COUNTED_MILLIS);
    assertThat(cluster.running()).isEqualTo(20);
  }

  @ParameterizedTest
  @CsvSource({"3, 20, 6", "3, 2, 1", "5, 20, 4", "2, 7, 3"})
  void eachKeepsAnEvenShareWhileTheBusIsSilentAndNeverMore(int count, int limit, int share) {
    SimulatedApis cluster = new SimulatedApis(9, limit);
    List<Api> apis = cluster.start(count);
    apis.getFirst().wants(2 * limit);
    cluster.runFor(2_000);
    apis.forEach(api -> api.wants(2 * limit));
    cluster.silence();
    cluster.runFor(CHANGED);
    cluster.runFor(60_000, () -> assertThat(apis).allMatch(api -> api.running() == share));
    cluster.heal();
    cluster.runFor(2 * SETTLED);
    cluster.runFor(5_000, () -> cluster.assertNeverMoreThan(limit));
    assertThat(cluster.running()).isEqualTo(Math.max(limit, 1));
  }

  @Test
  void theSidesOfASplitTogetherRunNoMoreThanTheLimit() {
    SimulatedApis cluster = new SimulatedApis(10, 20);
    List<Api> apis = cluster.start(3);
    apis.forEach(api -> api.wants(40));
    cluster.runFor(2_000);
    cluster.split(api -> api.index == 0);
    cluster.runFor(CHANGED, () -> cluster.assertNeverMoreThan(20));
    cluster.runFor(60_000, () -> cluster.assertNeverMoreThan(20));
    assertThat(apis.getFirst().running()).isEqualTo(6);
    assertThat(apis.get(1).running() + apis.get(2).running()).isEqualTo(13);
    cluster.heal();
    cluster.runFor(CHANGED, () -> cluster.assertNeverMoreThan(20));
    cluster.runFor(2_000, () -> cluster.assertNeverMoreThan(20));
    assertThat(cluster.running()).isEqualTo(20);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 35, 65, 95, 125, 155, 185, 215, 245, 275})
  void whoBeginsToAskSoonAfterASplitHasHealedMakesNoMoreRunThanTheLimit(int millis) {
    for (long seed = 1; seed <= 5; seed++) {
      SimulatedApis cluster = new SimulatedApis(seed, 30);
      List<Api> apis = cluster.start(3);
      cluster.split(api -> api.index == 2);
      apis.get(0).wants(60);
      apis.get(1).wants(60);
      cluster.runFor(LimitShares.FRESH_MILLIS + SETTLED);
      cluster.heal();
      cluster.runFor(millis);
      apis.get(2).wants(60);
      cluster.runFor(SETTLED, () -> cluster.assertNeverMoreThan(30));
    }
  }

  @Test
  void whoHearsNobodyThoughTheClusterHasOthersTakesAnEvenShare() {
    SimulatedApis cluster = new SimulatedApis(11, 20);
    List<Api> apis = cluster.start(4);
    cluster.silence();
    apis.forEach(api -> api.wants(40));
    cluster.runFor(LimitShares.JOIN_MILLIS - 100);
    assertThat(cluster.running()).isZero();
    cluster.runFor(200);
    assertThat(apis).allMatch(api -> api.running() == 5);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20_261_123})
  void demandThatComesAndGoesNeverMakesMoreRunThanTheLimitHoweverLateMessagesAre(long seed) {
    SimulatedApis cluster = new SimulatedApis(seed, 20);
    List<Api> apis = cluster.start(4);
    cluster.delays(200);
    cluster.loses(0.02);
    cluster.runFor(3_000);
    for (int round = 0; round < 100; round++) {
      for (Api api : apis) {
        if (cluster.random().nextInt(3) == 0) {
          api.wants(cluster.random().nextInt(40)).queriesTake(1 + cluster.random().nextInt(900));
        }
      }
      cluster.runFor(cluster.random().nextInt(1_000), () -> cluster.assertNeverMoreThan(20));
    }
  }

  // --- networks that are broken in part, and lenders that go ---

  /**
   * Who is asked changes all the time, and each may ask for more than its share. Queries end before
   * anybody else takes the place of one that is out of sight.
   */
  private static void ask(SimulatedApis cluster, List<Api> apis) {
    for (Api api : apis) {
      if (api.isUp() && cluster.random().nextInt(3) == 0) {
        int most = cluster.random().nextBoolean() ? 300 : LONGEST_QUERY;
        api.wants(cluster.random().nextInt(40)).queriesTake(1 + cluster.random().nextInt(most));
      }
    }
  }

  private static void play(SimulatedApis cluster, List<Api> apis, int seconds) {
    for (int i = 0; i < 2 * seconds; i++) {
      ask(cluster, apis);
      cluster.runFor(500, () -> cluster.assertNeverMoreThan(20));
    }
  }

  /** Of four query APIs two do not hear each other; all others do. */
  @ParameterizedTest
  @CsvSource({"0, 1", "0, 2", "0, 3", "1, 2", "1, 3", "2, 3"})
  void whileOneLinkIsCutAndWhenItHealsNeverMoreRunThanTheLimit(int one, int other) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SimulatedApis cluster = new SimulatedApis(seed, 20);
      List<Api> apis = cluster.start(4);
      cluster.delays(1 + cluster.random().nextInt(100));
      play(cluster, apis, 3);
      cluster.cut(apis.get(one), apis.get(other));
      play(cluster, apis, 20);
      cluster.heal();
      play(cluster, apis, 20);
      apis.forEach(api -> api.wants(40).queriesTake(200));
      cluster.runFor(2 * CHANGED, () -> cluster.assertNeverMoreThan(20));
      assertThat(cluster.running()).as("seed %s", seed).isEqualTo(20);
    }
  }

  /** It takes back what it had lent; what the others lend goes where it was. */
  @Test
  void whoIsCutOffFromOneOfTheOthersHasItsEvenShareAndTheOthersDivideTheRest() {
    SimulatedApis cluster = new SimulatedApis(13, 20);
    List<Api> apis = cluster.start(4);
    apis.get(2).wants(40);
    cluster.runFor(3_000);
    assertThat(apis.get(2).running()).isEqualTo(20);
    cluster.cut(apis.get(0), apis.get(1));
    apis.get(1).wants(40);
    cluster.runFor(2 * CHANGED, () -> cluster.assertNeverMoreThan(20));
    assertThat(apis.get(1).running()).isEqualTo(5);
    assertThat(apis.get(2).running()).isEqualTo(15);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 80, 87, 101, 161})
  void whicheverLinksBreakAndHealNeverMoreRunThanTheLimit(long seed) {
    for (long each = seed * SEEDS; each < (seed + 1) * SEEDS; each++) {
      SimulatedApis cluster = new SimulatedApis(each, 20);
      List<Api> apis = new ArrayList<>(cluster.start(4));
      cluster.delays(1 + cluster.random().nextInt(200));
      cluster.loses(cluster.random().nextBoolean() ? 0 : 0.02);
      play(cluster, apis, 3);
      for (int change = 0; change < 10; change++) {
        Api one = apis.get(cluster.random().nextInt(apis.size()));
        Api other = apis.get(cluster.random().nextInt(apis.size()));
        switch (cluster.random().nextInt(5)) {
          case 0 -> cluster.heal();
          case 1 -> cluster.cutOneWay(one, other);
          case 2 -> {
            if (one.isUp()) {
              one.stop(cluster.random().nextBoolean());
              apis.add(cluster.start(one.name()));
            }
          }
          default -> cluster.cut(one, other);
        }
        play(cluster, apis, 1 + cluster.random().nextInt(10));
      }
    }
  }

  /** Queries go on in places that one had lent which is gone, or was started again. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whenALenderLeavesDiesOrIsStartedAgainNeverMoreRunThanTheLimit(long seed) {
    SimulatedApis cluster = new SimulatedApis(seed, 20);
    List<Api> apis = new ArrayList<>(cluster.start(4));
    cluster.delays(1 + cluster.random().nextInt(100));
    play(cluster, apis, 5);
    for (int change = 0; change < 5; change++) {
      Api lender = apis.stream().filter(Api::isUp).findFirst().orElseThrow();
      lender.stop(cluster.random().nextBoolean());
      play(cluster, apis, cluster.random().nextInt(8));
      apis.add(cluster.random().nextBoolean() ? cluster.start(lender.name()) : cluster.start());
      play(cluster, apis, 2 + cluster.random().nextInt(8));
    }
  }

  @Test
  void whenALenderSaysGoodbyeItsPlacesAreUsedSoonAndNeverMoreThanTheLimit() {
    for (long seed = 1; seed <= 20; seed++) {
      SimulatedApis cluster = new SimulatedApis(seed, 20);
      List<Api> apis = cluster.start(4);
      apis.get(1 + (int) seed % 3).wants(40).queriesTake(900);
      play(cluster, List.of(), 3);
      apis.getFirst().stop(true);
      apis.forEach(api -> api.wants(api.isUp() ? 40 : 0).queriesTake(900));
      cluster.runFor(3 * SETTLED, () -> cluster.assertNeverMoreThan(20));
      assertThat(cluster.running()).isEqualTo(20);
      assertThat(apis.subList(1, 4)).allMatch(api -> api.running() >= 6);
    }
  }
}
