package io.fleetgauge.runtime.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ReplayWindowsTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long SKEW = 60_000;

  private final ReplayWindows seen = new ReplayWindows(4, ReplayWindows.MAX_WORDS, SKEW);

  private boolean isNew(long number) {
    return seen.add(1, number, NOW, NOW).isEmpty();
  }

  @Test
  void noNumberIsAcceptedTwiceAndEachIsAcceptedOnce() {
    Set<Long> accepted = new HashSet<>();
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 300_000; i++) {
      long number = Math.max(0, i - random.nextInt(200));
      boolean isNew = isNew(number);
      assertThat(isNew && !accepted.add(number)).as("accepted twice: %d", number).isFalse();
      if (!isNew) {
        // Early numbers may be lost while the window is small.
        assertThat(accepted.contains(number) || number < 10_000).as("%d", number).isTrue();
      }
    }
    assertThat(isNew(0)).isFalse();
    assertThat(isNew(Long.MAX_VALUE - 1)).isTrue();
    assertThat(isNew(300_001)).isFalse();
  }

  @Test
  void aRequestThatIsLateByThousandsOfOthersIsStillAcceptedOnce() {
    for (long number = 0; number < 200_000; number++) {
      if (number != 150_000) {
        assertThat(isNew(number)).isTrue();
      }
    }
    assertThat(isNew(150_000)).isTrue();
    assertThat(isNew(150_000)).isFalse();
    assertThat(isNew(199_999 - (1 << 16))).isFalse();
    assertThat(seen.words()).as("8 KiB").isEqualTo(ReplayWindows.MAX_WORDS_OF_SENDER);
  }

  @Test
  void afterAJumpTheNumbersThatWereLeftOutAreNewAndOlderOnesAreNot() {
    for (long number = 0; number < 4_096; number++) {
      assertThat(isNew(number)).isTrue();
    }
    assertThat(isNew(100_000)).isTrue();
    assertThat(isNew(99_999)).isTrue();
    assertThat(isNew(99_999)).isFalse();
    assertThat(isNew(100_000 - 4_095)).isTrue();
    assertThat(isNew(100_000 - 8_192)).as("before the window").isFalse();
  }

  @Test
  void numbersBeforeTheFirstThatArrivedAreNewToo() {
    assertThat(isNew(5)).isTrue();
    assertThat(isNew(4)).isTrue();
    assertThat(isNew(0)).isTrue();
    assertThat(isNew(4)).isFalse();
    assertThat(isNew(5)).isFalse();
  }

  @Test
  void aSenderWithFewRequestsTakesHalfAKibibyte() {
    for (int i = 0; i < 10_000; i++) {
      long time = NOW + i * 15_000L;
      assertThat(seen.add(1, i, time, time)).isEmpty();
    }
    assertThat(seen.words()).isEqualTo(64);
  }

  @Test
  void memoryIsBoundedAndSmallWindowsRejectWhatTheyForgot() {
    ReplayWindows bounded = new ReplayWindows(50, 9_000, SKEW);
    for (long number = 0; number < 20_000; number++) {
      for (int sender = 0; sender < 50; sender++) {
        assertThat(bounded.add(sender, number, NOW, NOW)).isEmpty();
        assertThat(bounded.words()).isBetween(64, 9_000);
      }
    }
    assertThat(bounded.words())
        .as("used up to what one more window would take")
        .isGreaterThan(8_000);
    for (int sender = 0; sender < 50; sender++) {
      for (long number = 0; number < 20_000; number += 7) {
        assertThat(bounded.add(sender, number, NOW, NOW)).contains(RejectionReason.REPEATED);
      }
    }
    assertThat(bounded.add(50, 0, NOW, NOW)).contains(RejectionReason.SENDERS);
    long later = NOW + SKEW + 1;
    assertThat(bounded.add(50, 0, later, later)).isEmpty();
    assertThat(bounded.senders()).isEqualTo(1);
    assertThat(bounded.words()).as("all others are forgotten").isEqualTo(64);
  }

  @Test
  void aSenderIsRememberedForAsLongAsItsRequestsAreAccepted() {
    ReplayWindows one = new ReplayWindows(1, 64, SKEW);
    assertThat(one.add(1, 0, NOW, NOW)).isEmpty();
    assertThat(one.add(2, 0, NOW + SKEW, NOW + SKEW)).contains(RejectionReason.SENDERS);
    assertThat(one.add(1, 0, NOW, NOW + SKEW)).contains(RejectionReason.REPEATED);
    assertThat(one.add(2, 0, NOW + SKEW + 1, NOW + SKEW + 1)).isEmpty();
  }
}
