package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProcessSlotsTest {
  @Test
  void aNumberStaysWithItsHolderAndIsUsedAgainAfterwards() {
    ProcessSlots slots = new ProcessSlots(3);
    assertThat(slots.of(List.of("a", "b"))).isEqualTo(Map.of("a", 0, "b", 1));
    assertThat(slots.of(List.of("c", "b"))).isEqualTo(Map.of("b", 1, "c", 0));
    assertThat(slots.of(List.of("d", "e", "b"))).isEqualTo(Map.of("b", 1, "d", 0, "e", 2));
    assertThat(slots.of(List.of("f", "d", "e", "b")))
        .as("none is free")
        .isEqualTo(Map.of("b", 1, "d", 0, "e", 2));
    assertThat(slots.of(List.of())).isEmpty();
  }

  @Test
  void howeverManyComeAndGoTheNumbersAreThoseOfTheMostAtOnce() {
    Random random = new Random(7);
    ProcessSlots slots = new ProcessSlots(64);
    List<String> there = new ArrayList<>();
    Set<Integer> used = new HashSet<>();
    Map<String, Integer> before = Map.of();
    int most = 0;
    for (int i = 0; i < 5_000; i++) {
      if (random.nextBoolean() && there.size() < 20) {
        there.add("process " + i);
      } else if (!there.isEmpty()) {
        there.remove(random.nextInt(there.size()));
      }
      most = Math.max(most, there.size());
      Map<String, Integer> now = slots.of(there);
      assertThat(now.keySet()).containsExactlyInAnyOrderElementsOf(there);
      assertThat(new HashSet<>(now.values())).hasSameSizeAs(there);
      before.forEach((key, slot) -> assertThat(now.getOrDefault(key, slot)).isEqualTo(slot));
      before = now;
      used.addAll(now.values());
    }
    assertThat(used).hasSizeLessThanOrEqualTo(most);
  }
}
