package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class XidCountsTest {
  private static final String GPU = "00000000:3B:00.0";

  private long now = 1_000_000;
  private final XidCounts counts = new XidCounts(() -> now);

  @Test
  void anErrorThatIsToldTwiceWithinTwoSecondsCountsOnce() {
    assertThat(counts.count(GPU, 79)).isTrue();
    now += 1_999;
    assertThat(counts.count(GPU, 79)).isFalse();
    assertThat(counts.count(GPU, 48)).as("another code").isTrue();
    assertThat(counts.count("00000000:3C:00.0", 79)).as("another GPU").isTrue();
    now += 1;
    assertThat(counts.count(GPU, 79)).as("two seconds after the first").isTrue();
    assertThat(counts.all())
        .contains(new XidCounts.Seen(GPU, 79, 2, now), new XidCounts.Seen(GPU, 48, 1, now - 1));
  }

  @Test
  void anErrorFromBeforeTheStartIsRememberedAndNotCounted() {
    counts.remember(GPU, 119, now - 60_000);
    counts.remember(GPU, 31, now - 90_000);
    assertThat(counts.last(GPU)).isEqualTo(119);
    assertThat(counts.all())
        .containsExactly(
            new XidCounts.Seen(GPU, 31, 0, now - 90_000),
            new XidCounts.Seen(GPU, 119, 0, now - 60_000));
    counts.count(GPU, 45);
    assertThat(counts.last(GPU)).isEqualTo(45);
  }

  @Test
  void anOlderErrorIsNotTheLastOneAndDoesNotChangeWhenACodeWasSeen() {
    assertThat(counts.last(GPU)).isZero();
    counts.count(GPU, 45);
    counts.remember(GPU, 45, now - 60_000);
    counts.remember(GPU, 31, now - 1);
    assertThat(counts.last(GPU)).isEqualTo(45);
    assertThat(counts.all()).contains(new XidCounts.Seen(GPU, 45, 1, now));
    counts.remember(GPU, 31, now);
    assertThat(counts.last(GPU)).as("of two at one time the one that came last").isEqualTo(31);
  }

  @Test
  void aClockThatIsSetBackDoesNotHideErrors() {
    counts.count(GPU, 79);
    now -= XidCounts.SAME_MILLIS - 1;
    assertThat(counts.count(GPU, 79)).isFalse();
    now -= 1;
    assertThat(counts.count(GPU, 79)).isTrue();
  }

  @Test
  void whatIsCountedIsToldAsItHappensAndNothingElse() {
    List<String> told = new ArrayList<>();
    XidCounts listened =
        new XidCounts(
            () -> now, (address, code, time) -> told.add(address + " " + code + " " + time));
    listened.remember(GPU, 79, now);
    listened.count(GPU, 79);
    listened.count(GPU, 79);
    assertThat(told).containsExactly(GPU + " 79 " + now);
  }

  @Test
  void devicesAndCodesAreBoundedAndWhatIsTooManyIsCounted() {
    for (int code = 1; code <= 300; code++) {
      counts.count(GPU, code);
    }
    assertThat(counts.all()).hasSize(256);
    for (int i = 0; i < 600; i++) {
      counts.count("0000%04X:00:00.0".formatted(i), 79);
    }
    assertThat(counts.all()).hasSize(256 + 511);
    assertThat(counts.overflows()).isEqualTo(300 - 256 + 600 - 511);
    assertThat(counts.count(GPU, 999)).as("what is not counted is not told").isFalse();
    counts.remember(GPU, 999, now);
    assertThat(counts.overflows()).isEqualTo(300 - 256 + 600 - 511 + 2);
    assertThat(counts.count(GPU, 1)).as("within two seconds").isFalse();
    now += XidCounts.SAME_MILLIS;
    assertThat(counts.count(GPU, 1)).as("what has a place goes on").isTrue();
  }
}
