package io.fleetgauge.promql.function;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrderingTest {
  @ParameterizedTest
  @CsvSource({
    "n9, n10",
    "n-2-b, n-10-a",
    "'', a",
    "a, a1",
    "1, a",
    "09, 10",
    "9, 09",
    "a1b2, a1b10",
    "10.0.0.9, 10.0.0.10",
    "99999999999999999998, 99999999999999999999",
    "A, a",
    "z, é"
  })
  void digitsCompareAsNumbersAndTheRestByItsBytes(String first, String second) {
    assertThat(Ordering.natural(first, second)).isTrue();
    assertThat(Ordering.natural(second, first)).isFalse();
    assertThat(Ordering.natural(first, first)).isFalse();
  }

  /** Sorting needs it: exactly one of two different texts comes first, and first of first is. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void theNaturalOrderIsAStrictTotalOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(5); j > 0; j--) {
        text.append("0019ab-é".charAt(random.nextInt(8)));
      }
      texts.add(text.toString());
    }
    for (String a : texts) {
      for (String b : texts) {
        boolean before = Ordering.natural(a, b);
        assertThat(before ^ Ordering.natural(b, a)).as("%s, %s", a, b).isEqualTo(!a.equals(b));
        for (String c : texts) {
          if (before && Ordering.natural(b, c)) {
            assertThat(Ordering.natural(a, c)).as("%s, %s, %s", a, b, c).isTrue();
          }
        }
      }
    }
  }
}
