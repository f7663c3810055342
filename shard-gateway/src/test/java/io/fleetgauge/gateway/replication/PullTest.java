package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.Pull.Effect;
import io.fleetgauge.gateway.replication.Pull.Event;
import io.fleetgauge.gateway.replication.Pull.Slot;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PullTest {
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
    assertThat(compared()).isEqualTo(new Effect.End(true, true));
  }

  @Test
  void whatOnlyThisSideHasIsNotFetchedForEver() {
    pull.on(new Event.Begin());
    slot(mine, 0, 1);
    slot(theirs, 0, 2);
    assertThat(compared()).isEqualTo(new Effect.Fetch(0, 10));
    pull.on(new Event.Taken(10));
    slot(mine, 0, 3);
    assertThat(compared()).as("the union of both").isEqualTo(new Effect.End(true, false));
  }

  @Test
  void aPullEndsWhenTheOtherCannotBeReachedOrDoesNotComeToRest() {
    Pull failing = new Pull();
    failing.on(new Event.Begin());
    assertThat(failing.on(new Event.Failed())).isEqualTo(new Effect.End(false, false));
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
    assertThat(effect).isEqualTo(new Effect.End(false, false));
  }

  private Effect compared() {
    return pull.on(new Event.Compared(new TreeMap<>(mine), new TreeMap<>(theirs)));
  }

  private static void slot(TreeMap<Long, Slot> slots, long from, long hash) {
    slots.put(from, new Slot(from + 10, 1, hash));
  }
}
