package io.fleetgauge.sample.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireTest {
  private static final long[] EDGES = {
    0,
    1,
    -1,
    63,
    64,
    -64,
    -65,
    127,
    128,
    16_383,
    16_384,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  @ParameterizedTest
  @CsvSource({
    "0, 00",
    "1, 01",
    "127, 7f",
    "128, 8001",
    "300, ac02",
    "16384, 808001",
    "9223372036854775807, ffffffffffffffff7f",
    "-1, ffffffffffffffffff01"
  })
  void unsignedNumbersAreLeb128(long number, String hex) throws WireException {
    assertThat(hex(new WireWriter().uvar(number))).isEqualTo(hex);
    assertThat(reader(hex).uvar("n")).isEqualTo(number);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 00",
    "-1, 01",
    "1, 02",
    "-64, 7f",
    "64, 8001",
    "-9223372036854775808, ffffffffffffffffff01"
  })
  void signedNumbersAreZigzag(long number, String hex) throws WireException {
    assertThat(hex(new WireWriter().svar(number))).isEqualTo(hex);
    assertThat(reader(hex).svar("n")).isEqualTo(number);
  }

  @Test
  void fixedNumbersAreLittleEndian() {
    assertThat(hex(new WireWriter().u8(0x1ff).u32(0x01020304).u64(0x0102030405060708L)))
        .isEqualTo("ff" + "04030201" + "0807060504030201");
    assertThat(hex(new WireWriter().f64(1))).isEqualTo("000000000000f03f");
  }

  @Test
  void aStringIsItsLengthAndItsUtf8() throws WireException {
    for (String text : List.of("", "a", "Hostname", "é€😀", "\0", "\ud7ff\ue000")) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      byte[] written = new WireWriter().string(text).toBytes();
      assertThat(written).hasSize(1 + utf8.length).endsWith(utf8);
      assertThat(new WireReader(written).string("s")).isEqualTo(text);
    }
  }

  @Test
  void bytesThatAreNotUtf8AreRefusedWithTheirPlace() {
    WireReader in = reader("00" + "02c328");
    in.moveTo(1);
    assertThatThrownBy(() -> in.string("a name"))
        .isInstanceOf(WireException.class)
        .hasMessage("a name at byte 2 is not UTF-8");
  }

  /** Whatever is written in a row is read in a row, and nothing is left. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void whatIsWrittenIsReadBackInOrder(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Object> values = new ArrayList<>();
    WireWriter out = new WireWriter(1);
    for (int i = 0; i < 2_000; i++) {
      long number =
          random.nextInt(3) == 0
              ? EDGES[random.nextInt(EDGES.length)]
              : random.nextLong() >> random.nextInt(64);
      switch (random.nextInt(5)) {
        case 0 -> {
          out.uvar(number);
          values.add(new Number(0, number));
        }
        case 1 -> {
          out.svar(number);
          values.add(new Number(1, number));
        }
        case 2 -> {
          out.u64(number);
          values.add(new Number(2, number));
        }
        case 3 -> {
          out.u32((int) number);
          values.add(new Number(3, (int) number));
        }
        default -> {
          out.string("s" + number);
          values.add("s" + number);
        }
      }
    }
    WireReader in = new WireReader(out.toBytes());
    for (Object value : values) {
      if (value instanceof Number number) {
        long read =
            switch (number.form) {
              case 0 -> in.uvar("n");
              case 1 -> in.svar("n");
              case 2 -> in.u64("n");
              default -> in.u32("n");
            };
        assertThat(read).isEqualTo(number.value);
      } else {
        assertThat(in.string("s")).isEqualTo(value);
      }
    }
    in.end("all");
    assertThat(in.left()).isZero();
    assertThat(in.position()).isEqualTo(out.size());
  }

  private record Number(int form, long value) {}

  @Test
  void doublesKeepTheirBitsOneByOneAndTogether() throws WireException {
    double[] values = {
      0.0, -0.0, 1.5, Double.NaN, Double.longBitsToDouble(0x7ff0000000000002L), Double.MIN_VALUE
    };
    WireWriter together = new WireWriter(1).f64s(values, values.length);
    WireWriter oneByOne = new WireWriter(1);
    for (double value : values) {
      oneByOne.f64(value);
    }
    assertThat(together.toBytes()).isEqualTo(oneByOne.toBytes());
    double[] read = new double[values.length];
    new WireReader(together.toBytes()).f64s(read, read.length, "values");
    for (int i = 0; i < values.length; i++) {
      assertThat(Double.doubleToRawLongBits(read[i]))
          .isEqualTo(Double.doubleToRawLongBits(values[i]));
    }
  }

  @Test
  void differencesAreSignedNumbersFromOneToTheNext() throws WireException {
    double[] values = {5, 3, 3, 1_000_000, -9007199254740992.0, 9007199254740992.0};
    WireReader in = new WireReader(new WireWriter(1).differences(values, values.length).toBytes());
    long sum = 0;
    for (double value : values) {
      sum += in.svar("a difference");
      assertThat((double) sum).isEqualTo(value);
    }
    in.end("the differences");
  }

  @Test
  void everyCutOfANumberOrStringIsAnErrorThatNamesWhatAndWhere() {
    byte[] all =
        new WireWriter()
            .u8(1)
            .u32(2)
            .u64(3)
            .f64(4)
            .uvar(1L << 60)
            .svar(-5)
            .string("text")
            .toBytes();
    for (int end = 0; end < all.length; end++) {
      byte[] cut = Arrays.copyOf(all, end);
      assertThatThrownBy(
              () -> {
                WireReader in = new WireReader(cut);
                in.u8("the byte");
                in.u32("the word");
                in.u64("the long");
                in.f64("the double");
                in.uvar("the number");
                in.svar("the signed");
                in.string("the text");
              })
          .as("cut after %s bytes", end)
          .isInstanceOf(WireException.class)
          .hasMessageContaining("the ")
          .hasMessageContaining("byte");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ffffffffffffffffff02", "ffffffffffffffffffff01", "80808080808080808080" + "00"})
  void aNumberOfMoreThan64BitsIsRefused(String hex) {
    assertThatThrownBy(() -> reader(hex).uvar("a number"))
        .isInstanceOf(WireException.class)
        .hasMessage("a number at byte 0 is a varint of more than 64 bits");
  }

  @Test
  void aNumberAboveItsLimitIsRefusedWithTheLimit() throws WireException {
    assertThat(reader("05").uint(5, "a count")).isEqualTo(5);
    assertThatThrownBy(() -> reader("06").uint(5, "a count"))
        .hasMessage("a count at byte 0 is 6, allowed are 0 to 5");
    assertThatThrownBy(() -> reader("ffffffffffffffffff01").uint(5, "a count"))
        .hasMessage("a count at byte 0 is 18446744073709551615, allowed are 0 to 5");
  }

  /** A claimed count costs no memory unless as many bytes are there. */
  @Test
  void aCountThatTheRestCannotHoldIsRefused() throws WireException {
    assertThat(reader("02" + "00000000").count(2, "pairs")).isEqualTo(2);
    assertThatThrownBy(() -> reader("03" + "00000000").count(2, "pairs"))
        .hasMessageContaining("the number of pairs at byte 0 is 3, allowed are 0 to 2");
    assertThatThrownBy(() -> reader("ffffffff07").string("a text"))
        .hasMessageContaining("the length of a text");
    assertThatThrownBy(() -> reader("00").f64s(new double[0], 1 << 29, "values"))
        .isInstanceOf(WireException.class);
  }

  @Test
  void skippingGoesNoFurtherThanTheEnd() throws WireException {
    WireReader in = reader("0102030405");
    in.skip(4, "four");
    assertThat(in.u8("the last")).isEqualTo(5);
    in.moveTo(1);
    assertThat(in.raw(2, "two")).containsExactly(2, 3);
    assertThatThrownBy(() -> in.skip(3, "three")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> in.skip(-1, "none")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> in.skip(1L << 40, "many")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> in.raw(3, "three"))
        .hasMessage("three at byte 3 needs 3 bytes, 2 are left");
  }

  @Test
  void aFormOfAnotherVersionIsRefusedByName() throws WireException {
    new WireReader(new byte[] {1}).version(1, "a form");
    assertThatThrownBy(() -> new WireReader(new byte[] {2}).version(1, "a form"))
        .isInstanceOf(WireException.class)
        .hasMessage("a form of format version 2, this program reads 1");
  }

  @Test
  void aFlagIsOneOrZero() throws WireException {
    assertThat(new WireReader(new byte[] {1}).flag("it")).isTrue();
    assertThat(new WireReader(new byte[] {0}).flag("it")).isFalse();
    assertThatThrownBy(() -> new WireReader(new byte[] {2}).flag("it"))
        .isInstanceOf(WireException.class)
        .hasMessage("it is 2, allowed are 0 and 1");
  }

  @Test
  void bytesBehindTheEndOfAFormatAreAnError() throws WireException {
    WireReader in = reader("0102");
    in.u8("a byte");
    assertThatThrownBy(() -> in.end("the form"))
        .hasMessage("1 bytes are left after the form at byte 1");
  }

  @Test
  void aReaderOfAPartSeesNothingBesideIt() throws WireException {
    WireReader in = new WireReader(new byte[] {9, 1, 2, 9}, 1, 3);
    assertThat(in.left()).isEqualTo(2);
    assertThat(in.u8("a")).isEqualTo(1);
    assertThat(in.u8("b")).isEqualTo(2);
    assertThatThrownBy(() -> in.u8("c")).isInstanceOf(WireException.class);
  }

  @Test
  void aWriterCanBeUsedAgainAndMendedAndJoined() {
    WireWriter out = new WireWriter().u32(0).u8(7);
    out.setU32(0, out.size());
    assertThat(hex(out)).isEqualTo("0500000007");
    assertThat(out.toBytes(new WireWriter().u8(8))).containsExactly(5, 0, 0, 0, 7, 8);
    assertThat(out.clear().size()).isZero();
    assertThat(hex(out.raw(new byte[] {1, 2, 3}, 1, 2))).isEqualTo("0203");
    assertThat(out.array()).startsWith(2, 3);
  }

  private static String hex(WireWriter out) {
    return HexFormat.of().formatHex(out.toBytes());
  }

  private static WireReader reader(String hex) {
    return new WireReader(HexFormat.of().parseHex(hex));
  }

  @Test
  void aListComesBackAndOneThatDoesNotFitIsRefused() throws WireException {
    WireWriter out = new WireWriter();
    out.list(List.of("a", "bc"), out::string);
    byte[] bytes = out.toBytes();
    assertThat(new WireReader(bytes).list(1, "texts", each -> each.string("a text")))
        .containsExactly("a", "bc");
    assertThatThrownBy(
            () -> new WireReader(bytes).list(bytes.length, "texts", each -> each.string("a text")))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("the number of texts");
  }
}
