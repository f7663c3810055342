package io.fleetgauge.query.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.delivery.Delivery.Counts;
import io.fleetgauge.query.delivery.Delivery.Effect;
import io.fleetgauge.query.delivery.Delivery.Event;
import io.fleetgauge.query.delivery.Delivery.Item;
import io.fleetgauge.sample.Labels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryTest {
  private final Delivery delivery = new Delivery(5, 3, 1_000, new SplittableRandom(1));

  private static Item alert(String name, String state) {
    return new Item(
        Labels.of("alertname", name), state.getBytes(StandardCharsets.UTF_8), () -> true);
  }

  private static Event offered(Item... alerts) {
    return new Event.Offered(List.of(alerts));
  }

  /** What is sent, as NAME=STATE; {@code wait} and {@code drop NAME} for other effects. */
  private static List<String> shown(List<Effect> effects) {
    List<String> shown = new ArrayList<>();
    for (Effect effect : effects) {
      switch (effect) {
        case Effect.Send send ->
            shown.add(
                String.join(
                    " ",
                    send.items().stream()
                        .map(
                            each ->
                                each.key().value("alertname")
                                    + "="
                                    + new String(each.json(), StandardCharsets.UTF_8))
                        .toList()));
        case Effect.Wait pause -> shown.add("wait");
        case Effect.Drop drop -> shown.add("drop " + drop.item().key().value("alertname"));
      }
    }
    return shown;
  }

  private List<String> on(Event event) {
    return shown(delivery.on(event));
  }

  @Test
  void oneRequestIsUnderWayAtATimeAndHasTheAlertsThatWaitInTheirOrder() {
    assertThat(on(offered(alert("a", "1")))).containsExactly("a=1");
    assertThat(on(offered(alert("b", "1"), alert("c", "1")))).isEmpty();
    assertThat(on(offered(alert("d", "1"), alert("e", "1")))).isEmpty();
    assertThat(on(new Event.Taken())).containsExactly("b=1 c=1 d=1");
    assertThat(on(new Event.Taken())).containsExactly("e=1");
    assertThat(on(new Event.Taken())).isEmpty();
    assertThat(delivery.isEmpty()).isTrue();
    assertThat(delivery.counts()).isEqualTo(new Counts(5, 0, 0, 0, 0, 0));
  }

  @Test
  void whatWaitedWhileAnotherProcessWentOnWithItsGroupIsNotSent() {
    boolean[] owns = {true};
    Item old = new Item(Labels.of("alertname", "a"), new byte[] {'1'}, () -> owns[0]);
    assertThat(on(offered(old, alert("b", "1")))).containsExactly("a=1 b=1");
    assertThat(on(new Event.Failed())).containsExactly("wait");
    owns[0] = false;
    assertThat(on(new Event.Due())).containsExactly("b=1");
    assertThat(on(new Event.Taken())).isEmpty();
    assertThat(on(offered(old))).isEmpty();
    assertThat(delivery.isEmpty()).isTrue();
    assertThat(delivery.counts().outdated()).isEqualTo(2);
  }

  @Test
  void theNewestStateOfEachAlertIsSentWhenAnAlertmanagerIsBack() {
    on(offered(alert("a", "firing"), alert("b", "firing")));
    assertThat(on(new Event.Failed())).containsExactly("wait");
    assertThat(on(offered(alert("a", "firing again"), alert("c", "firing")))).isEmpty();
    assertThat(on(offered(alert("a", "resolved")))).isEmpty();
    assertThat(on(new Event.Due())).containsExactly("a=resolved b=firing c=firing");
    assertThat(on(new Event.Taken())).isEmpty();
    assertThat(delivery.counts()).isEqualTo(new Counts(5, 2, 0, 0, 2, 0));
  }

  @Test
  void aStateThatCameWhileAnOlderOneWasUnderWayWinsOverItAfterAFailure() {
    on(offered(alert("a", "firing"), alert("b", "firing")));
    on(offered(alert("a", "resolved")));
    on(new Event.Failed());
    assertThat(on(new Event.Due())).containsExactly("b=firing a=resolved");
    assertThat(delivery.counts().replaced()).isEqualTo(1);
  }

  @Test
  void withMoreThanTheLimitThoseThatHaveWaitedLongestAreDroppedAndCounted() {
    on(offered(alert("z", "1")));
    for (String name : List.of("a", "b", "c", "d", "e", "f", "g")) {
      on(offered(alert(name, "1")));
    }
    assertThat(delivery.length()).isEqualTo(6);
    assertThat(on(new Event.Failed())).containsExactly("wait");
    assertThat(delivery.length()).isEqualTo(5);
    assertThat(delivery.counts().overflowed()).isEqualTo(3);
    assertThat(on(new Event.Due())).containsExactly("c=1 d=1 e=1");
  }

  @Test
  void anAlertThatIsRefusedIsFoundByHalvesAndDroppedAlone() {
    on(offered(alert("x", "1")));
    on(offered(alert("a", "1"), alert("bad", "1"), alert("c", "1"), alert("d", "1")));
    assertThat(on(new Event.Taken())).containsExactly("a=1 bad=1 c=1");
    assertThat(on(new Event.Refused())).containsExactly("a=1");
    assertThat(on(new Event.Taken())).containsExactly("bad=1 c=1");
    assertThat(on(new Event.Refused())).containsExactly("bad=1");
    assertThat(on(new Event.Refused())).containsExactly("drop bad", "c=1");
    assertThat(on(new Event.Taken())).containsExactly("d=1");
    assertThat(on(new Event.Taken())).isEmpty();
    assertThat(delivery.counts().refused()).isEqualTo(1);
    assertThat(delivery.isEmpty()).isTrue();
  }

  @Test
  void aFailureInAHalfPutsAllAlertsBackInTheirOrder() {
    on(offered(alert("x", "1")));
    on(offered(alert("a", "1"), alert("b", "1"), alert("c", "1"), alert("d", "1")));
    on(new Event.Taken());
    on(new Event.Refused());
    on(new Event.Failed());
    assertThat(on(new Event.Due())).containsExactly("a=1 b=1 c=1");
    assertThat(on(new Event.Taken())).containsExactly("d=1");
  }

  @Test
  void aRequestIsNoLongerThanItsLimitUnlessOneAlertIs() {
    on(offered(alert("x", "1")));
    on(
        offered(
            alert("a", "a".repeat(600)),
            alert("b", "b".repeat(600)),
            alert("c", "c".repeat(2_000))));
    for (String name : List.of("a", "b", "c")) {
      assertThat(on(new Event.Taken()))
          .singleElement()
          .asString()
          .startsWith(name + "=")
          .doesNotContain(" ");
    }
  }

  @Test
  void pausesGrowToHalfAMinuteAndEndWithASuccess() {
    on(offered(alert("a", "1")));
    long longest = 0;
    for (int i = 0; i < 12; i++) {
      Effect.Wait pause = (Effect.Wait) delivery.on(new Event.Failed()).getFirst();
      assertThat(pause.millis()).isBetween(longest * 9 / 10, Delivery.LONGEST_BACK_OFF_MILLIS);
      longest = Math.max(longest, pause.millis());
      on(new Event.Due());
    }
    assertThat(longest).isGreaterThan(Delivery.LONGEST_BACK_OFF_MILLIS * 8 / 10);
    on(new Event.Taken());
    on(offered(alert("a", "1")));
    Effect.Wait first = (Effect.Wait) delivery.on(new Event.Failed()).getFirst();
    assertThat(first.millis()).isLessThanOrEqualTo(Delivery.FIRST_BACK_OFF_MILLIS);
  }

  @Test
  void withoutChanceAPauseIsTwiceTheOneBefore() {
    Delivery plain = new Delivery(5, 3, 1_000, () -> 0);
    plain.on(offered(alert("a", "1")));
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      pauses.add(((Effect.Wait) plain.on(new Event.Failed()).getFirst()).millis());
      plain.on(new Event.Due());
    }
    assertThat(pauses)
        .containsExactly(500L, 1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 30_000L, 30_000L, 30_000L);
    plain.on(new Event.Refused());
    plain.on(offered(alert("b", "1")));
    assertThat(plain.on(new Event.Failed())).containsExactly(new Effect.Wait(500));
  }

  @Test
  void aRequestMayBeExactlyAsLongAsItsLimit() {
    on(offered(alert("x", "1")));
    on(offered(alert("a", "a".repeat(400)), alert("b", "b".repeat(600)), alert("c", "c")));
    assertThat(on(new Event.Taken()))
        .containsExactly("a=" + "a".repeat(400) + " b=" + "b".repeat(600));
    assertThat(on(new Event.Taken())).containsExactly("c=c");
  }

  @Test
  void whatWaitsIsCountedWhereverItIs() {
    on(offered(alert("a", "1"), alert("b", "1"), alert("c", "1")));
    on(offered(alert("d", "1")));
    assertThat(delivery.length()).isEqualTo(4);
    on(new Event.Refused());
    assertThat(delivery.length()).as("the halves of a refused request too").isEqualTo(4);
    assertThat(delivery.isEmpty()).isFalse();
    on(new Event.Failed());
    assertThat(delivery.length()).isEqualTo(4);
    assertThat(delivery.counts()).isEqualTo(new Counts(4, 4, 0, 0, 0, 0));
  }

  @Test
  void aPauseIsNotCutShortByAlertsThatCome() {
    on(offered(alert("a", "1")));
    on(new Event.Failed());
    assertThat(on(offered(alert("b", "1")))).isEmpty();
    assertThat(on(new Event.Due())).containsExactly("a=1 b=1");
  }

  @Test
  void whileTheProcessStopsWhatWaitsIsSentAtOnceAndPausesAreShort() {
    on(offered(alert("a", "1")));
    for (int i = 0; i < 8; i++) {
      on(new Event.Failed());
      on(new Event.Due());
    }
    on(new Event.Failed());
    assertThat(on(new Event.Closing())).containsExactly("a=1");
    Effect.Wait pause = (Effect.Wait) delivery.on(new Event.Failed()).getFirst();
    assertThat(pause.millis()).isLessThanOrEqualTo(Delivery.LONGEST_CLOSING_MILLIS);
  }

  /** Whatever an Alertmanager answers, in the end it knows the newest state of each alert. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anAlertmanagerThatAnswersAnythingKnowsTheNewestStateOfEachAlertInTheEnd(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Delivery one = new Delivery(100, 7, 1_000, random.split());
    Map<String, String> offered = new LinkedHashMap<>();
    Map<String, String> known = new LinkedHashMap<>();
    List<Effect> next = List.of();
    for (int i = 0; i < 5_000 || !one.isEmpty(); i++) {
      boolean calms = i >= 5_000;
      Event event = new Event.Due();
      List<Effect> due = next;
      if (!calms && random.nextInt(3) == 0) {
        String name = "a" + random.nextInt(40);
        offered.put(name, "" + i);
        event = offered(alert(name, "" + i));
      } else if (!due.isEmpty()) {
        next = List.of();
        if (due.getLast() instanceof Effect.Send send) {
          int fate = calms ? 0 : random.nextInt(4);
          // A single alert is refused only if it is wrong; here none is.
          if (fate <= 1 || fate == 2 && send.items().size() == 1) {
            send.items()
                .forEach(
                    each ->
                        known.put(
                            each.key().value("alertname"),
                            new String(each.json(), StandardCharsets.UTF_8)));
            event = new Event.Taken();
          } else {
            event = fate == 2 ? new Event.Refused() : new Event.Failed();
          }
        }
      }
      List<Effect> effects = one.on(event);
      next = effects.isEmpty() ? next : effects;
    }
    assertThat(known).containsExactlyInAnyOrderEntriesOf(offered);
    assertThat(one.counts().overflowed() + one.counts().refused()).isZero();
  }
}
