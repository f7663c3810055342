package io.fleetgauge.sample.decimal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DigitsTest {
  private final byte[] out = new byte[40];

  private String put(long whole, int at) {
    Arrays.fill(out, (byte) '#');
    int end = Digits.put(whole, out, at);
    for (int i = 0; i < at; i++) {
      assertThat(out[i]).as("the byte before").isEqualTo((byte) '#');
    }
    return new String(out, at, end - at, StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 9, 10, Integer.MAX_VALUE, 1L << 53, Long.MAX_VALUE})
  void someNumbersHaveTheDigitsOfLong(long whole) {
    assertThat(put(whole, 3)).isEqualTo(Long.toString(whole));
  }

  @Test
  void numbersAroundThePowersOfTenHaveTheDigitsOfLong() {
    for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10) {
      for (long near = Math.max(0, power - 2); near <= power + 2; near++) {
        assertThat(put(near, 0)).isEqualTo(Long.toString(near));
        assertThat(put(9 * power + near, 0)).isEqualTo(Long.toString(9 * power + near));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void numbersOfAnyLengthHaveTheDigitsOfLong(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 100_000; round++) {
      long whole = random.nextLong(Long.MAX_VALUE) >> random.nextInt(63);
      assertThat(put(whole, random.nextInt(8))).isEqualTo(Long.toString(whole));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "10, 1",
    "100000000, 1",
    "1000000000000000, 1",
    "0, 1",
    "00, 1",
    "12345678, 12345678",
    "123000, 123",
    "100000001, 100000001",
    "9000000000, 9",
    "1010, 101",
    "00000000000000000, 1"
  })
  void zerosAtTheEndAreLeftOutButNotTheFirstDigit(String digits, String left) {
    for (int at = 0; at < 20; at++) {
      byte[] bytes = new byte[at + digits.length()];
      Arrays.fill(bytes, 0, at, (byte) '0');
      System.arraycopy(digits.getBytes(), 0, bytes, at, digits.length());
      int kept = digits.startsWith("0") ? 1 : left.length();
      assertThat(Digits.withoutZeros(bytes, at, bytes.length)).isEqualTo(at + kept);
    }
  }

  @Test
  void movingMakesPlaceForAPoint() {
    byte[] bytes = "1234567890abcdefghij".getBytes();
    Digits.moveBehindPoint(bytes, 2);
    assertThat(new String(bytes)).isEqualTo("12.34567890abcdefghj");
  }
}
