package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.discovery.DiscoveryMachine.Effect;
import io.fleetgauge.runtime.discovery.DiscoveryMachine.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DiscoveryMachineTest {
  private static final long REFRESH = 5_000;
  private static final List<String> TWO = List.of("10.0.0.1:5701", "10.0.0.2:5701");
  private static final List<String> THREE =
      List.of("10.0.0.1:5701", "10.0.0.2:5701", "10.0.0.3:5701");

  private final DiscoveryMachine machine = new DiscoveryMachine(REFRESH, new SplittableRandom(1));

  private List<Effect> on(Event event) {
    List<Effect> effects = new ArrayList<>();
    machine.on(event, effects::add);
    return effects;
  }

  private static Event answered(List<String> addresses, long at) {
    return new Event.Answered(addresses, Optional.empty(), at);
  }

  private static long millis(List<Effect> effects) {
    return effects.getLast() instanceof Effect.Wait pause ? pause.millis() : -1;
  }

  @Test
  void aGoodAnswerIsUsedAndKept() {
    assertThat(on(new Event.Due())).containsExactly(new Effect.Ask());
    List<Effect> effects = on(answered(TWO, 1_000));
    assertThat(effects).hasSize(3).startsWith(new Effect.Use(TWO), new Effect.Keep(TWO, 1_000));
    assertThat(millis(effects)).isBetween(4_500L, REFRESH);
    assertThat(machine.used()).isEqualTo(TWO);
    assertThat(machine.usedAt()).isEqualTo(1_000);
    assertThat(machine.isAnswered()).isTrue();
  }

  @Test
  void theSameAnswerChangesOnlyItsAge() {
    on(answered(TWO, 1_000));
    assertThat(on(answered(TWO, 6_000))).hasSize(1);
    assertThat(machine.usedAt()).isEqualTo(6_000);
  }

  @Test
  void theFileIsWrittenAgainOnceAnHour() {
    on(answered(TWO, 1_000));
    assertThat(on(answered(TWO, 3_600_999))).hasSize(1);
    assertThat(on(answered(TWO, 3_601_000))).contains(new Effect.Keep(TWO, 3_601_000)).hasSize(2);
    assertThat(on(answered(TWO, 3_700_000))).hasSize(1);
  }

  @Test
  void aFailureNeverChangesTheAddresses() {
    on(answered(TWO, 1_000));
    for (int i = 0; i < 1_000; i++) {
      assertThat(on(new Event.Failed("broken"))).hasSize(1);
      assertThat(machine.used()).isEqualTo(TWO);
      assertThat(machine.usedAt()).isEqualTo(1_000);
    }
    assertThat(machine.trouble()).contains("broken");
    assertThat(on(answered(THREE, 9_000))).contains(new Effect.Use(THREE));
    assertThat(machine.trouble()).isEmpty();
  }

  @Test
  void pausesAfterFailuresDoubleUpToALimit() {
    List<Long> pauses =
        IntStream.range(0, 100).mapToObj(i -> millis(on(new Event.Failed("broken")))).toList();
    assertThat(pauses.getFirst()).isBetween(450L, 500L);
    assertThat(pauses.get(1)).isBetween(900L, 1_000L);
    assertThat(pauses.subList(5, 100)).allMatch(pause -> pause >= 9_000 && pause <= 10_000);
    on(answered(TWO, 1));
    assertThat(millis(on(new Event.Failed("broken")))).isBetween(450L, 500L);
  }

  @Test
  void addressesOfAnEarlierRunAreUsedUntilThereIsAnAnswer() {
    assertThat(on(new Event.Cached(TWO, 500))).containsExactly(new Effect.Use(TWO));
    assertThat(machine.isFromCache()).isTrue();
    assertThat(machine.usedAt()).isEqualTo(500);
    on(new Event.Failed("away"));
    assertThat(machine.used()).isEqualTo(TWO);
    assertThat(machine.isAnswered()).isFalse();
    assertThat(on(answered(THREE, 1_000)))
        .contains(new Effect.Use(THREE), new Effect.Keep(THREE, 1_000));
    assertThat(machine.isFromCache()).isFalse();
  }

  @Test
  void theFileOfAnEarlierRunDoesNotReplaceAnAnswer() {
    on(answered(THREE, 1_000));
    assertThat(on(new Event.Cached(TWO, 500))).isEmpty();
    assertThat(machine.used()).isEqualTo(THREE);
  }

  @Test
  void oneQuestionIsAskedAtATime() {
    on(new Event.Due());
    assertThat(on(new Event.Due())).isEmpty();
    on(new Event.Failed("broken"));
    assertThat(on(new Event.Due())).containsExactly(new Effect.Ask());
  }

  /** Whatever happens: what is used is the last good answer, and one thing is under way. */
  @Test
  void ofManyEventsTheLastGoodAnswerIsUsed() {
    lastGoodAnswerIsUsed(10_000);
  }

  /**
   * @see #ofManyEventsTheLastGoodAnswerIsUsed
   */
  @Tag("slow")
  @Test
  void ofAMillionEventsTheLastGoodAnswerIsUsed() {
    lastGoodAnswerIsUsed(1_000_000);
  }

  private void lastGoodAnswerIsUsed(int events) {
    SplittableRandom random = new SplittableRandom(20_261_124);
    List<String> last = List.of();
    boolean asks = false;
    for (int i = 0; i < events; i++) {
      if (!asks) {
        assertThat(on(new Event.Due()).getFirst()).isInstanceOf(Effect.Ask.class);
        asks = true;
      } else {
        List<Effect> effects;
        if (random.nextInt(3) == 0) {
          last = random.nextBoolean() ? TWO : THREE;
          effects = on(answered(last, i));
        } else {
          effects = on(new Event.Failed("broken"));
        }
        asks = false;
        if (millis(effects) < 1 || millis(effects) > 10_000 || !machine.used().equals(last)) {
          assertThat(machine.used()).as("event %s, %s", i, effects).isEqualTo(last);
          assertThat(millis(effects)).isBetween(1L, 10_000L);
        }
      }
    }
  }
}
