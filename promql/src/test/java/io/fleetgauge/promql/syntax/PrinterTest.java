package io.fleetgauge.promql.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.PrettyPrinter;
import io.fleetgauge.promql.expr.TextSpan;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Random trees of the whole grammar: {@code parse(print(e))} is {@code e}. */
class PrinterTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 20_261_121})
  void whatIsPrintedParsesBackToTheSameTree(long seed) throws ParseException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      Expr expr = RandomTrees.any(random);
      assertThat(Parser.parse(expr.toString(), ParserTest.ALL)).as(expr.toString()).isEqualTo(expr);
    }
  }

  /** Without the parentheses that the text needs, the printer adds them. */
  @ParameterizedTest
  @ValueSource(longs = {7, 8, 9})
  void aTreeWithoutItsParenthesesStillPrintsItsMeaning(long seed) throws ParseException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      Expr bare = RandomTrees.bare(random, 4);
      assertThat(ParserTest.withoutParens(Parser.parse(bare.toString())))
          .as(bare.toString())
          .isEqualTo(bare);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void aPrettyTextParsesBackToTheSameTreeAndFormatsToItself(long seed) throws ParseException {
    SplittableRandom random = new SplittableRandom(seed);
    int broken = 0;
    for (int round = 0; round < 3_000; round++) {
      Expr expr = RandomTrees.any(random);
      String pretty = PrettyPrinter.print(expr);
      Expr again = Parser.parse(pretty, ParserTest.ALL);
      assertThat(again).as(pretty).isEqualTo(expr);
      assertThat(PrettyPrinter.print(again)).isEqualTo(pretty);
      broken += pretty.contains("\n") ? 1 : 0;
    }
    assertThat(broken).isGreaterThan(500);
  }

  @ParameterizedTest
  @ValueSource(ints = {98, 99, 100, 101, 102})
  void aLineOfMoreThanOneHundredCharactersIsBroken(int length) throws ParseException {
    String name = "x".repeat(length - "abs()".length());
    String line = "abs(" + name + ")";
    assertThat(PrettyPrinter.print(Parser.parse(line)))
        .isEqualTo(length <= 100 ? line : "abs(\n  " + name + "\n)");
  }

  @Test
  void partsOfABrokenExpressionAreIndentedByLevel() throws ParseException {
    String a = "a".repeat(60);
    String b = "b".repeat(60);
    assertThat(PrettyPrinter.print(Parser.parse("sum by (x) (" + a + " + on (x) " + b + ")")))
        .isEqualTo("sum by (x) (\n    " + a + "\n  + on (x)\n    " + b + "\n)");
    assertThat(PrettyPrinter.print(Parser.parse("-(" + a + " > bool " + b + ")")))
        .isEqualTo("-(\n    " + a + "\n  > bool\n    " + b + "\n)");
    assertThat(PrettyPrinter.print(Parser.parse("clamp(" + a + ", 1, scalar(" + b + "))")))
        .isEqualTo("clamp(\n  " + a + ",\n  1,\n  scalar(" + b + ")\n)");
  }

  /** A string as it is printed: what is not printable is escaped as Go does. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      value = {
        "0x07 | \\a",
        "0x08 | \\b",
        "0x0c | \\f",
        "0x0a | \\n",
        "0x0d | \\r",
        "0x09 | \\t",
        "0x0b | \\v",
        "0x00 | \\x00",
        "0x7f | \\x7f",
        "0x22 | \\\"",
        "0x5c | \\\\",
        "0x27 | '",
        "0x85 | \\u0085",
        "0xa0 | \\u00a0",
        "0x200b | \\u200b",
        "0x2028 | \\u2028",
        "0xe000 | \\ue000",
        "0xe9 | é",
        "0x1f600 | 😀",
        "0xe0001 | \\U000e0001"
      })
  void aCharacterThatCannotBePrintedIsEscaped(String point, String printed) throws Exception {
    String text = Character.toString(Integer.decode(point));
    String quoted = new Expr.Text(text, TextSpan.NONE).toString();
    assertThat(quoted).isEqualTo("\"" + printed + "\"");
    assertThat(((Expr.Text) Parser.parse(quoted)).value()).isEqualTo(text);
  }
}
