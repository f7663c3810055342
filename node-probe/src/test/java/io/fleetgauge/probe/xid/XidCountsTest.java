package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;

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
  }
}
