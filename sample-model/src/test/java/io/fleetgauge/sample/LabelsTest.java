package io.fleetgauge.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LabelsTest {
  @Test
  void theOrderOfTheArgumentsDoesNotMatter() {
    assertThat(Labels.of("b", "2", "a", "1")).isEqualTo(Labels.of("a", "1", "b", "2"));
    assertThat(Labels.of("b", "2", "a", "1")).hasSameHashCodeAs(Labels.of("a", "1", "b", "2"));
  }

  @Test
  void anEmptyValueIsNoLabel() {
    assertThat(Labels.of("a", "", "b", "2")).isEqualTo(Labels.of("b", "2"));
    assertThat(Labels.of("a", "1").with("a", "")).isSameAs(Labels.EMPTY);
  }

  @Test
  void labelsThatTwoSetsHaveInCommonHaveTheSameValuesInBoth() {
    Labels one = Labels.of("a", "1", "b", "2", "c", "3");
    assertThat(one.common(Labels.of("a", "1", "b", "9", "d", "3"))).isEqualTo(Labels.of("a", "1"));
    assertThat(one.common(Labels.of("b", "2", "a", "1", "c", "3"))).isSameAs(one);
    assertThat(one.common(Labels.EMPTY)).isSameAs(Labels.EMPTY);
  }

  @Test
  void aNameThatStandsTwiceIsAnErrorThatNamesIt() {
    assertThatThrownBy(() -> Labels.of("job", "1", "a", "x", "job", "2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"job\"");
  }

  @Test
  void groupingKeepsOrDropsWhatPromqlKeepsOrDrops() {
    Labels labels = Labels.of(Labels.NAME, "up", "job", "j", "rack", "r");
    assertThat(labels.only(Set.of("rack", "absent"))).isEqualTo(Labels.of("rack", "r"));
    assertThat(labels.without(List.of("rack"))).isEqualTo(Labels.of("job", "j"));
    assertThat(labels.without("rack")).isEqualTo(Labels.of(Labels.NAME, "up", "job", "j"));
    assertThat(labels.with(Labels.of("job", "k", "x", "y")))
        .isEqualTo(Labels.of(Labels.NAME, "up", "job", "k", "rack", "r", "x", "y"));
  }

  @Test
  void stringsAreOrderedByTheirUtf8Bytes() {
    SplittableRandom random = new SplittableRandom(7);
    int[] points = {'a', 'z', 0xe9, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x1f600, 0x10ffff};
    for (int round = 0; round < 20_000; round++) {
      String a = text(random, points);
      String b = text(random, points);
      int bytes =
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
      assertThat(Integer.signum(Utf8Order.compare(a, b)))
          .as("%s and %s", a, b)
          .isEqualTo(Integer.signum(bytes));
    }
  }

  private static String text(SplittableRandom random, int[] points) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }
}
