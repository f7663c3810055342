package io.fleetgauge.promql.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.expr.Printer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LexerTest {
  private static String kinds(String query) throws ParseException {
    return Lexer.tokens(query).stream()
        .map(token -> token.kind() + (token.text().isEmpty() ? "" : ":" + token.text()))
        .collect(Collectors.joining(" "));
  }

  private static Token only(String query) throws ParseException {
    List<Token> tokens = Lexer.tokens(query);
    assertThat(tokens).as(query).hasSize(2);
    assertThat(tokens.getLast().kind()).isEqualTo(Token.Kind.END);
    return tokens.getFirst();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "a:b{c=~'d'} -> WORD:a:b SYMBOL:{ WORD:c SYMBOL:=~ STRING:d SYMBOL:} END",
        "a[5m:30s] -> WORD:a SYMBOL:[ DURATION:5m SYMBOL:: DURATION:30s SYMBOL:] END",
        "a[b:c] -> WORD:a SYMBOL:[ WORD:b SYMBOL:: WORD:c SYMBOL:] END",
        ":a -> WORD::a END",
        "a!=b -> WORD:a SYMBOL:!= WORD:b END",
        "1+2 -> NUMBER:1 SYMBOL:+ NUMBER:2 END",
        "1e+2 -> NUMBER:1e+2 END",
        "1e2-3 -> NUMBER:1e2 SYMBOL:- NUMBER:3 END",
        "0x1e+2 -> NUMBER:0x1e SYMBOL:+ NUMBER:2 END",
        ".5 -> NUMBER:.5 END",
        "-1 -> SYMBOL:- NUMBER:1 END",
        "a<=b>=c==d -> WORD:a SYMBOL:<= WORD:b SYMBOL:>= WORD:c SYMBOL:== WORD:d END",
        "a<b -> WORD:a SYMBOL:< WORD:b END",
        "a@1 -> WORD:a SYMBOL:@ NUMBER:1 END",
        "(a -> SYMBOL:( WORD:a END:unclosed left parenthesis",
        "[a -> SYMBOL:[ WORD:a END:unclosed left bracket",
        "([a -> SYMBOL:( SYMBOL:[ WORD:a END:unclosed left bracket",
      })
  void aQueryIsCutIntoTokens(String query, String tokens) throws ParseException {
    assertThat(kinds(query)).isEqualTo(tokens);
  }

  @Test
  void commentsEndWithTheirLineAndAreNoCommentsInStrings() throws ParseException {
    assertThat(kinds("a # b\n+ # c ' \" `\nd#e")).isEqualTo("WORD:a SYMBOL:+ WORD:d END");
    assertThat(kinds("'a # b'")).isEqualTo("STRING:a # b END");
    assertThat(kinds("# only")).isEqualTo("END");
    assertThat(kinds("#\r\n\ta")).isEqualTo("WORD:a END");
  }

  /** However blanks and comments stand between tokens, each span is the token's own text. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void spansAreThePlacesOfTheTokensInTheText(long seed) throws ParseException {
    SplittableRandom random = new SplittableRandom(seed);
    String[] pieces = {
      "a", "rate", "x:y", "5m", "1.5", "0x1F", "'é\\n'", "\"q\"", "`raw\\`", "+", "==", "=~", "(",
      ")", "{", "}", "[", "]", ",", "@"
    };
    String[] blanks = {" ", "\n", "\t", " # note é\n", "\r\n"};
    for (int round = 0; round < 2_000; round++) {
      StringBuilder query = new StringBuilder();
      int count = random.nextInt(1, 12);
      String[] wanted = new String[count];
      for (int i = 0; i < count; i++) {
        String piece = pieces[random.nextInt(pieces.length)];
        // A colon is part of a name only outside braces and brackets.
        wanted[i] = piece.equals("x:y") ? "xy" : piece;
        query.append(wanted[i]).append(blanks[random.nextInt(blanks.length)]);
      }
      if (query.indexOf("{") >= 0) {
        query.append('}');
      }
      List<Token> tokens = Lexer.tokens(query.toString());
      for (int i = 0; i < count; i++) {
        assertThat(query.substring(tokens.get(i).span().start(), tokens.get(i).span().end()))
            .isEqualTo(wanted[i]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void aQuotedTextIsReadBackInEveryQuote(long seed) throws ParseException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(8); i > 0; i--) {
        int point = random.nextInt(random.nextBoolean() ? 0x80 : 0x11_0000);
        if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
          text.appendCodePoint(point);
        }
      }
      String value = text.toString();
      String quoted = Printer.quote(value);
      assertThat(only(quoted).text()).as(quoted).isEqualTo(value);
      String inner = quoted.substring(1, quoted.length() - 1);
      String single = "'" + inner.replace("\\\"", "\"").replace("'", "\\'") + "'";
      assertThat(only(single).text()).as(single).isEqualTo(value);
      String raw = value.replace("`", "").replace("\r", "");
      assertThat(only("`" + raw + "`").text()).isEqualTo(raw);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "'\\x41\\x7A' -> Az",
        "'\\101\\060' -> A0",
        "'\\u00e9\\u20AC' -> é€",
        "'\\U0001F600' -> 😀",
        "'\\xc3\\xa9' -> é",
        "'\\303\\251' -> é",
        "'\\'\"' -> '\"",
        "\"\\\"'\" -> \"'",
        "`\\n\\x41` -> \\n\\x41",
        "'#{}[]()' -> #{}[]()"
      })
  void escapesNameCharactersAndBytes(String query, String text) throws ParseException {
    assertThat(only(query).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "'\\q' -> 1:2: parse error: unknown escape sequence \\q",
        "'ab\\\"' -> 1:4: parse error: unknown escape sequence \\\"",
        "'\\x4' -> 1:2: parse error: illegal character in escape sequence",
        "'\\x4g' -> 1:2: parse error: illegal character in escape sequence",
        "'\\08' -> 1:2: parse error: illegal character in escape sequence",
        "'\\777' -> 1:2: parse error: escape sequence is out of range",
        "'\\U00110000' -> 1:2: parse error: escape sequence is out of range",
        "'\\udfff' -> 1:2: parse error: escape sequence is an invalid Unicode code point",
        "'é\\u12' -> 1:4: parse error: illegal character in escape sequence",
        "a + 'b -> 1:5: parse error: unterminated quoted string",
        "`b -> 1:1: parse error: unterminated raw string",
        "a{b='c' -> 1:8: parse error: unexpected end of input inside braces",
        "a{;} -> 1:3: parse error: unexpected character inside braces: ';'",
        "😀 -> 1:1: parse error: unexpected character: '😀'",
      })
  void whatIsNoTokenIsAnErrorWithItsPosition(String query, String error) {
    assertThatThrownBy(() -> Lexer.tokens(query))
        .isInstanceOf(ParseException.class)
        .hasMessage(error);
  }

  @Test
  void aStringInQuotesEndsWithItsLineAndARawOneDoesNot() throws ParseException {
    for (String quote : List.of("'", "\"")) {
      assertThatThrownBy(() -> Lexer.tokens(quote + "a\nb" + quote))
          .hasMessage("1:1: parse error: unterminated quoted string");
    }
    assertThat(only("`a\r\nb`").text()).isEqualTo("a\nb");
  }

  /** Whole numbers in each base that Go reads, with separators where Go allows them. */
  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void wholeNumbersAreReadInEachBase(long seed) throws ParseException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      long value = random.nextLong(1L << random.nextInt(1, 62));
      String separated = Long.toString(value).replaceAll("(?<=\\d)(?=(\\d{3})+$)", "_");
      for (String text :
          List.of(
              "" + value,
              separated,
              "0x" + Long.toHexString(value),
              "0X_" + Long.toHexString(value).toUpperCase(java.util.Locale.ROOT),
              "0" + Long.toOctalString(value))) {
        Token token = only(text);
        assertThat(token.kind()).as(text).isEqualTo(Token.Kind.NUMBER);
        assertThat(token.number()).as(text).isEqualTo(value);
      }
      double decimal = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(decimal)) {
        assertThat(only(Double.toString(Math.abs(decimal))).number()).isEqualTo(Math.abs(decimal));
      }
    }
  }

  @Test
  void aPrintedDurationIsADurationOfAsManyMilliseconds() throws ParseException {
    SplittableRandom random = new SplittableRandom(9);
    for (int round = 0; round < 5_000; round++) {
      long millis = 1 + random.nextLong(1L << random.nextInt(1, 43));
      Token token = only(Durations.print(millis));
      assertThat(token.kind()).isEqualTo(Token.Kind.DURATION);
      assertThat(token.number()).isEqualTo(millis);
    }
  }

  @Test
  void aQueryOfTheGreatestLengthIsReadAndALongerOneRefused() throws ParseException {
    assertThat(only("a".repeat(Lexer.MAX_LENGTH)).kind()).isEqualTo(Token.Kind.WORD);
    assertThatThrownBy(() -> Lexer.tokens("a".repeat(Lexer.MAX_LENGTH + 1)))
        .hasMessage(
            "unknown position: parse error: the query has 524289 characters, allowed are 524288");
  }
}
