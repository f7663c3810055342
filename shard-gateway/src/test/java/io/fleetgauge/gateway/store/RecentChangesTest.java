package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecentChangesTest {
  private final AtomicLong counter = new AtomicLong();
  private final RecentChanges changes = new RecentChanges(counter);

  @Test
  void aNewHostHasChangedAltogether() {
    assertThat(changes.since("n1", 0)).contains(new StoreChanges.OfHost("n1", true, List.of()));
    assertThat(changes.since("n1", counter.get())).isEmpty();
    assertThat(changes.isUnchanged(0, 0, 1)).isFalse();
  }

  @Test
  void aRangeIsOpenOnTheLeftAndClosedOnTheRight() {
    long before = counter.get();
    changes.at(10_000);
    assertThat(changes.since("n1", before))
        .contains(
            new StoreChanges.OfHost("n1", false, List.of(new StoreChanges.Range(5_000, 10_000))));
    assertThat(changes.isUnchanged(before, 0, 5_000)).isTrue();
    assertThat(changes.isUnchanged(before, 0, 5_001)).isFalse();
    assertThat(changes.isUnchanged(before, 9_999, 10_000)).isFalse();
    assertThat(changes.isUnchanged(before, 10_000, 20_000)).isTrue();
    changes.at(10_001);
    assertThat(changes.since("n1", before + 1))
        .contains(
            new StoreChanges.OfHost("n1", false, List.of(new StoreChanges.Range(10_000, 15_000))));
  }

  @Test
  void everyChangeHasANumberOfItsOwn() {
    long before = counter.get();
    changes.at(1);
    changes.at(1);
    changes.at(2);
    assertThat(counter.get()).isEqualTo(before + 3);
    assertThat(changes.since("n1", before + 2)).isPresent();
    assertThat(changes.since("n1", before + 3)).isEmpty();
  }

  @Test
  void whenAllHasChangedThereAreNoRanges() {
    long before = counter.get();
    changes.at(1);
    changes.all();
    assertThat(changes.since("n1", before))
        .contains(new StoreChanges.OfHost("n1", true, List.of()));
    assertThat(changes.isUnchanged(before, 1_000_000, 2_000_000)).isFalse();
    assertThat(changes.firstSince(before, 1_000_000, 2_000_000)).hasValue(1_000_001);
    long after = counter.get();
    changes.at(1);
    assertThat(changes.since("n1", after))
        .contains(new StoreChanges.OfHost("n1", false, List.of(new StoreChanges.Range(0, 5_000))));
  }

  @Test
  void changesThatAreTooOldToBeDistinguishedCountAsAnyTime() {
    long before = counter.get();
    for (int i = 0; i < 1_024; i++) {
      changes.at(1 + i * 5_000L);
    }
    assertThat(changes.since("n1", before).orElseThrow().ranges()).hasSize(1_024);
    changes.at(1 + 1_024 * 5_000L);
    assertThat(changes.since("n1", before).orElseThrow().all()).isTrue();
    assertThat(changes.since("n1", before + 1).orElseThrow().ranges()).hasSize(1_024);
    assertThat(changes.isUnchanged(before, -5_000, 0)).isFalse();
    assertThat(changes.isUnchanged(before + 1, -5_000, 0)).isTrue();
  }

  /** Compared with a list of all changes: it never calls a changed time unchanged. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itSaysWhatAListOfAllChangesSays(long seed) {
    record Change(long number, long time) {}
    SplittableRandom random = new SplittableRandom(seed);
    List<Change> all = new ArrayList<>();
    long now = 1_000_000;
    for (int i = 0; i < 500; i++) {
      now += random.nextInt(3) * 1_000L;
      long time = now - (random.nextInt(4) == 0 ? random.nextInt(100_000) : 0);
      changes.at(time);
      all.add(new Change(counter.get(), time));
      long since = 1 + random.nextInt(i + 1);
      long after = now - random.nextInt(60_000);
      long to = after + random.nextInt(30_000);
      // Whole buckets of five seconds: what is near a change counts as changed.
      boolean changed =
          all.stream()
              .anyMatch(
                  each ->
                      each.number > since
                          && Math.floorDiv(each.time - 1, 5_000) >= Math.floorDiv(after, 5_000)
                          && Math.floorDiv(each.time - 1, 5_000) <= Math.floorDiv(to - 1, 5_000));
      assertThat(changes.isUnchanged(since, after, to)).isEqualTo(!changed);
      long first =
          all.stream()
              .filter(each -> each.number > since)
              .mapToLong(each -> Math.floorDiv(each.time - 1, 5_000) * 5_000)
              .filter(each -> each + 5_000 > after && each < to)
              .min()
              .orElse(Long.MAX_VALUE);
      assertThat(changes.firstSince(since, after, to))
          .isEqualTo(changed ? OptionalLong.of(Math.max(first, after) + 1) : OptionalLong.empty());
      List<StoreChanges.Range> expected =
          all.stream()
              .filter(each -> each.number > since)
              .map(each -> Math.floorDiv(each.time - 1, 5_000))
              .distinct()
              .map(bucket -> new StoreChanges.Range(bucket * 5_000, (bucket + 1) * 5_000))
              .toList();
      assertThat(changes.since("n1", since).map(StoreChanges.OfHost::ranges).orElse(List.of()))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
