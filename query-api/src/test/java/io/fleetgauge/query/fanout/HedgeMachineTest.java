package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fanout.HedgeMachine.Effect;
import io.fleetgauge.query.fanout.HedgeMachine.Event;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HedgeMachineTest {
  private static final URI OWNER = URI.create("http://owner:1");
  private static final URI FIRST = URI.create("http://first:1");
  private static final URI SECOND = URI.create("http://second:1");
  private static final QueryFailure TOO_MUCH =
      new QueryFailure(QueryFailure.Kind.EXECUTION, "over the budget");

  private int asksForReplicas;

  private HedgeMachine machine(boolean heavy, Map<URI, List<String>> replicas) {
    return new HedgeMachine(
        OWNER,
        List.of("n1", "n2"),
        () -> {
          asksForReplicas++;
          return replicas;
        },
        70,
        heavy);
  }

  private HedgeMachine machine() {
    return machine(false, new TreeMap<>(Map.of(FIRST, List.of("n1"), SECOND, List.of("n2"))));
  }

  private static FragmentAnswer answer(String... hosts) {
    return new FragmentAnswer(1, List.of(hosts), new Strings(List.of(hosts)));
  }

  private static Event answered(URI gateway, String... hosts) {
    return new Event.Answered(gateway, answer(hosts));
  }

  private static final Effect ASK_FIRST = new Effect.Ask(FIRST, List.of("n1"));
  private static final Effect ASK_SECOND = new Effect.Ask(SECOND, List.of("n2"));
  private static final Effect WATCH = new Effect.Watch(HedgeMachine.WATCH_MILLIS);

  @Test
  void theOwnerIsAskedForAllAndItsAnswerIsTaken() {
    HedgeMachine machine = machine();
    assertThat(machine.begin())
        .containsExactly(new Effect.Ask(OWNER, List.of("n1", "n2")), new Effect.Wait(70));
    assertThat(machine.on(answered(OWNER, "n1", "n2")))
        .containsExactly(new Effect.Finish(List.of(answer("n1", "n2")), false));
    assertThat(asksForReplicas).isZero();
  }

  @Test
  void anOwnerThatTakesLongIsHedgedAndWatched() {
    HedgeMachine machine = machine();
    machine.begin();
    assertThat(machine.on(new Event.PatienceOver())).containsExactly(ASK_FIRST, ASK_SECOND, WATCH);
    assertThat(asksForReplicas).isEqualTo(1);
  }

  @Test
  void theReplicasAnswersAreTakenOnlyWhenAllHostsAreInThem() {
    HedgeMachine machine = machine();
    machine.begin();
    machine.on(new Event.PatienceOver());
    assertThat(machine.on(answered(FIRST, "n1"))).isEmpty();
    assertThat(machine.on(answered(SECOND, "n2")))
        .containsExactly(new Effect.Finish(List.of(answer("n1"), answer("n2")), true));
  }

  @Test
  void anIncompleteHedgeWaitsForTheOwner() {
    HedgeMachine machine = machine();
    machine.begin();
    machine.on(new Event.PatienceOver());
    machine.on(answered(FIRST, "n1"));
    assertThat(machine.on(new Event.Failed(SECOND))).isEmpty();
    assertThat(machine.on(answered(OWNER, "n1", "n2")))
        .containsExactly(new Effect.Finish(List.of(answer("n1", "n2")), false));
  }

  @Test
  void anAnswerThatLacksAHostOfTheReplicaIsIncomplete() {
    HedgeMachine machine = machine(false, Map.of(FIRST, List.of("n1", "n2")));
    machine.begin();
    machine.on(new Event.PatienceOver());
    assertThat(machine.on(answered(FIRST, "n1"))).isEmpty();
    assertThat(machine.on(new Event.Failed(OWNER)))
        .containsExactly(new Effect.Finish(List.of(answer("n1")), true));
  }

  @Test
  void anOwnerThatFailsIsHedgedAtOnce() {
    HedgeMachine machine = machine();
    machine.begin();
    assertThat(machine.on(new Event.Failed(OWNER))).containsExactly(ASK_FIRST, ASK_SECOND);
    assertThat(machine.on(new Event.PatienceOver())).isEmpty();
    assertThat(machine.on(new Event.Failed(FIRST))).isEmpty();
    assertThat(machine.on(answered(SECOND, "n2")))
        .containsExactly(new Effect.Finish(List.of(answer("n2")), true));
    assertThat(asksForReplicas).isEqualTo(1);
  }

  @Test
  void withoutReplicasAFailureOfTheOwnerLeavesTheHostsMissing() {
    HedgeMachine machine = machine(false, Map.of());
    machine.begin();
    assertThat(machine.on(new Event.Failed(OWNER)))
        .containsExactly(new Effect.Finish(List.of(), true));
  }

  @Test
  void withoutReplicasASlowOwnerIsWaitedFor() {
    HedgeMachine machine = machine(false, Map.of());
    machine.begin();
    assertThat(machine.on(new Event.PatienceOver())).containsExactly(WATCH);
    assertThat(machine.on(answered(OWNER, "n1", "n2")))
        .containsExactly(new Effect.Finish(List.of(answer("n1", "n2")), false));
  }

  @Test
  void aHeavyReadIsNotHedgedForTakingLong() {
    HedgeMachine machine =
        machine(true, new TreeMap<>(Map.of(FIRST, List.of("n1"), SECOND, List.of("n2"))));
    machine.begin();
    assertThat(machine.on(new Event.PatienceOver())).containsExactly(WATCH);
    assertThat(machine.on(new Event.Watched(true))).containsExactly(WATCH);
    assertThat(asksForReplicas).isZero();
  }

  @Test
  void anOwnerThatLeavesTheClusterIsGivenUp() {
    HedgeMachine machine =
        machine(true, new TreeMap<>(Map.of(FIRST, List.of("n1"), SECOND, List.of("n2"))));
    machine.begin();
    machine.on(new Event.PatienceOver());
    assertThat(machine.on(new Event.Watched(false))).containsExactly(ASK_FIRST, ASK_SECOND);
    assertThat(machine.on(answered(FIRST, "n1"))).isEmpty();
    assertThat(machine.on(new Event.Failed(SECOND)))
        .containsExactly(new Effect.Finish(List.of(answer("n1")), true));
  }

  @Test
  void whenAHedgedOwnerLeavesTheReplicasAnswersSufficeAsTheyAre() {
    HedgeMachine machine = machine();
    machine.begin();
    machine.on(new Event.PatienceOver());
    machine.on(answered(FIRST, "n1"));
    machine.on(new Event.Failed(SECOND));
    assertThat(machine.on(new Event.Watched(false)))
        .containsExactly(new Effect.Finish(List.of(answer("n1")), true));
  }

  @Test
  void anOwnerThatHasFailedIsNotWatched() {
    HedgeMachine machine = machine();
    machine.begin();
    machine.on(new Event.PatienceOver());
    machine.on(new Event.Failed(OWNER));
    assertThat(machine.on(new Event.Watched(true))).isEmpty();
    assertThat(machine.on(new Event.Watched(false))).isEmpty();
  }

  @Test
  void whatTheOwnerRefusesEveryGatewayWouldRefuse() {
    HedgeMachine machine = machine();
    machine.begin();
    machine.on(new Event.PatienceOver());
    assertThat(machine.on(new Event.Refused(OWNER, TOO_MUCH)))
        .containsExactly(new Effect.Fail(TOO_MUCH));
  }

  @Test
  void aReplicaThatRefusesCountsAsFailed() {
    HedgeMachine machine = machine();
    machine.begin();
    machine.on(new Event.PatienceOver());
    assertThat(machine.on(new Event.Refused(FIRST, TOO_MUCH))).isEmpty();
    assertThat(machine.on(answered(SECOND, "n2"))).isEmpty();
    assertThat(machine.on(new Event.Failed(OWNER)))
        .containsExactly(new Effect.Finish(List.of(answer("n2")), true));
  }

  @Test
  void aCancelledReadFailsAndDoesNothingAfterwards() {
    HedgeMachine machine = machine();
    machine.begin();
    assertThat(machine.on(new Event.Cancelled()))
        .singleElement()
        .isInstanceOfSatisfying(
            Effect.Fail.class,
            fail -> {
              assertThat(fail.failure().kind()).isEqualTo(QueryFailure.Kind.CANCELED);
              assertThat(fail.failure()).hasMessage("query was canceled in expression evaluation");
            });
    for (Event event :
        List.of(
            answered(OWNER, "n1", "n2"),
            new Event.Failed(OWNER),
            new Event.PatienceOver(),
            new Event.Watched(false),
            new Event.Cancelled())) {
      assertThat(machine.on(event)).isEmpty();
    }
  }

  @Test
  void aReadThatIsCancelledBeforeItBeginsAsksNobody() {
    HedgeMachine machine = machine();
    assertThat(machine.on(new Event.Cancelled())).hasSize(1);
    assertThat(machine.begin()).isEmpty();
  }

  /** Whatever happens in whatever order: it ends once, and no host is in the answer twice. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_123})
  void noHostIsReadTwiceAndTheReadEndsOnce(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      Map<URI, List<String>> replicas = new TreeMap<>();
      if (random.nextInt(4) > 0) {
        replicas.put(FIRST, List.of("n1"));
      }
      if (random.nextInt(4) > 0) {
        replicas.put(SECOND, List.of("n2"));
      }
      HedgeMachine machine = machine(random.nextBoolean(), replicas);
      Map<URI, List<String>> underWay = new HashMap<>();
      List<Effect> ends = new ArrayList<>();
      note(machine.begin(), underWay, ends);
      for (int i = 0; i < 30 && ends.isEmpty(); i++) {
        note(machine.on(event(random, underWay)), underWay, ends);
      }
      // In the end everything that is under way fails.
      for (URI gateway : List.copyOf(underWay.keySet())) {
        note(machine.on(new Event.Failed(gateway)), underWay, ends);
      }
      for (URI gateway : List.copyOf(underWay.keySet())) {
        note(machine.on(new Event.Failed(gateway)), underWay, ends);
      }
      assertThat(ends).hasSize(1);
      if (ends.getFirst() instanceof Effect.Finish finish) {
        Set<String> hosts = new HashSet<>();
        for (FragmentAnswer answer : finish.answers()) {
          assertThat(answer.covered()).allMatch(hosts::add);
        }
        assertThat(finish.byReplicas() || hosts.equals(Set.of("n1", "n2"))).isTrue();
      }
    }
  }

  private static void note(
      List<Effect> effects, Map<URI, List<String>> underWay, List<Effect> ends) {
    for (Effect effect : effects) {
      switch (effect) {
        case Effect.Ask ask ->
            assertThat(underWay.put(ask.gateway(), ask.hosts())).as("asked once").isNull();
        case Effect.Finish finish -> ends.add(finish);
        case Effect.Fail fail -> ends.add(fail);
        case Effect.Wait wait -> {}
        case Effect.Watch watch -> {}
      }
    }
  }

  private static Event event(SplittableRandom random, Map<URI, List<String>> underWay) {
    List<URI> gateways = underWay.keySet().stream().sorted().toList();
    int choice = random.nextInt(10);
    if (choice < 6 && !gateways.isEmpty()) {
      URI gateway = gateways.get(random.nextInt(gateways.size()));
      List<String> hosts = underWay.remove(gateway);
      return choice < 3
          ? new Event.Failed(gateway)
          : new Event.Answered(gateway, answer(hosts.toArray(String[]::new)));
    }
    return switch (choice) {
      case 6, 7 -> new Event.PatienceOver();
      case 8 -> new Event.Watched(true);
      default -> new Event.Watched(false);
    };
  }
}
