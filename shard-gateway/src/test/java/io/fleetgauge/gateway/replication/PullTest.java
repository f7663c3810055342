package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.Pull.Comparison;
import io.fleetgauge.gateway.replication.Pull.Effect;
import io.fleetgauge.gateway.replication.Pull.Event;
import io.fleetgauge.gateway.replication.Pull.Slot;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PullTest {
  private static final Effect FAILED = new Effect.End(false, Comparison.NOTHING);

  private final Pull pull = new Pull();
  private final TreeMap<Long, Slot> mine = new TreeMap<>();
  private final TreeMap<Long, Slot> theirs = new TreeMap<>();

  @Test
  void slotsThatDifferAreFetchedAndNeighboursTogether() {
    assertThat(pull.on(new Event.Begin())).isEqualTo(new Effect.Compare());
    slot(mine, 0, 1);
    slot(theirs, 0, 1);
    slot(theirs, 10, 2);
    slot(theirs, 20, 3);
    slot(theirs, 40, 4);
    assertThat(compared()).isEqualTo(new Effect.Fetch(10, 30));
    assertThat(pull.on(new Event.Taken(17))).as("a page").isEqualTo(new Effect.Fetch(17, 30));
    assertThat(pull.on(new Event.Taken(30))).isEqualTo(new Effect.Fetch(40, 50));
    assertThat(pull.on(new Event.Taken(50))).isEqualTo(new Effect.Compare());
    mine.putAll(theirs);
    assertThat(compared())
        .isInstanceOfSatisfying(
            Effect.End.class,
            end -> {
              assertThat(end.done()).isTrue();
              assertThat(end.compared().isEqual()).isTrue();
              assertThat(end.compared().isSameIn(0, 50)).isTrue();
              assertThat(end.compared().isSameIn(30, 40)).as("nobody has any").isFalse();
            });
  }

  @Test
  void whatOnlyThisSideHasIsNotFetchedForEver() {
    pull.on(new Event.Begin());
    slot(mine, 0, 1);
    slot(theirs, 0, 2);
    assertThat(compared()).isEqualTo(new Effect.Fetch(0, 10));
    pull.on(new Event.Taken(10));
    slot(mine, 0, 3);
    slot(mine, 10, 4);
    slot(theirs, 20, 5);
    slot(mine, 20, 5);
    assertThat(compared())
        .as("the union of both")
        .isInstanceOfSatisfying(
            Effect.End.class,
            end -> {
              assertThat(end.done()).isTrue();
              assertThat(end.compared().isEqual()).isFalse();
              assertThat(end.compared().isSameIn(9, 10)).isFalse();
              assertThat(end.compared().isSameIn(19, 21)).as("10 is here only").isFalse();
              assertThat(end.compared().isSameIn(20, 25)).isTrue();
            });
  }

  @Test
  void aPullEndsWhenTheOtherCannotBeReachedOrDoesNotComeToRest() {
    Pull failing = new Pull();
    failing.on(new Event.Begin());
    assertThat(failing.on(new Event.Failed())).isEqualTo(FAILED);
    pull.on(new Event.Begin());
    Effect effect = null;
    for (int round = 0; round <= Pull.MOST_ROUNDS; round++) {
      slot(theirs, 0, 100 + round);
      effect = compared();
      if (round < Pull.MOST_ROUNDS) {
        assertThat(effect).isEqualTo(new Effect.Fetch(0, 10));
        pull.on(new Event.Taken(10));
      }
    }
    assertThat(effect).isEqualTo(FAILED);
  }

  private Effect compared() {
    return pull.on(new Event.Compared(new TreeMap<>(mine), new TreeMap<>(theirs)));
  }

  private static void slot(TreeMap<Long, Slot> slots, long from, long hash) {
    slots.put(from, new Slot(from + 10, 1, hash));
  }
}
