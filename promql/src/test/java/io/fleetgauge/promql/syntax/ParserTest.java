package io.fleetgauge.promql.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParserTest {
  static final ParseOptions ALL = new ParseOptions(Feature.ALL, 3_600_000, 60_000);

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      value = {
        ".5 | 0.5",
        "5. | 5",
        "1e3 | 1000",
        "1E-3 | 0.001",
        "0x1F | 31",
        "0x_1F | 31",
        "1_000 | 1000",
        "010 | 8",
        "08 | 8",
        "Inf | +Inf",
        "-iNf | -Inf",
        "NaN | NaN",
        "5m | 5m",
        "90m | 1h30m",
        "-5m | -5m",
        "+-1 | -1",
        "1ms | 1ms"
      })
  void numbersAndDurationsAreOneFamilyOfLiterals(String text, String value) throws Exception {
    assertThat(Parser.parse(text)).hasToString(value);
    assertThat(Parser.parse(text)).isInstanceOf(Expr.Number.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0b11",
        "0o17",
        "0x",
        "0x1.8p3",
        "1_",
        "1__0",
        "1e3s",
        "1e400",
        "1.5h",
        "1m1h",
        "1d1w",
        "1w1",
        "a[0s]",
        "a[-5m]",
        "a[5m:0s]",
        "a[]",
        "a[5m",
        "a @ NaN",
        "a @ Inf",
        "a @ 1e30",
        "(a+b) offset 5m",
        "sum(a) offset 5m",
        "a offset 1m [5m]",
        "a @ 1 [5m]",
        "sum(x)[5m]",
        "(x)[5m]",
        "a offset 5m offset 5m",
        "a @ 1 @ 2",
        "1 == 1",
        "a + bool b",
        "a and 1",
        "a and on(x) group_left b",
        "a + on(x) group_left(x) b",
        "1 + on(x) a",
        "a[5m] + 1",
        "\"a\" + 1",
        "{}",
        "{a=~\".*\"}",
        "{a!=\"x\"}",
        "{a=\"\"}",
        "z{__name__=\"z\"}",
        "z{\"z\"}",
        "{a:b=\"x\"}",
        "{a=\"x\",,}",
        "{a}",
        "{a=}",
        "{a=~\"(\"}",
        "a{b=~\"x{1001}\"}",
        "bool",
        "on",
        "ignoring",
        "group_left",
        "group_right",
        "sum(a,)",
        "sum()",
        "sum(a, b)",
        "topk(a)",
        "count_values(1, a)",
        "rate(a)",
        "rate(a[5m], 1)",
        "nosuch(a)",
        "time(1)",
        "round()",
        "clamp(a)",
        "label_replace(a, 1, \"a\", \"b\", \"c\")",
        "mad_over_time(a[5m])",
        "limitk(2, a)",
        "info(a)",
        "-\"a\"",
        "-a[5m]",
        "1[5m:]",
        "a[5m:][5m:]",
        "a b",
        "a,",
        "a)",
        "(a",
        "\"a",
        "'a\nb'",
        "\"\\q\"",
        "\"\\'\"",
        "\"\\ud800\"",
        "\"\\x4\"",
        "a{b=\"c\"",
        "a{b=\"c\" d=\"e\"}",
        "&",
        "a ! b",
        "é",
        "",
        " # nothing"
      })
  void whatIsNotPromqlIsAnError(String text) {
    assertThatThrownBy(() -> Parser.parse(text)).isInstanceOf(ParseException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      value = {
        "a+b*c | a + b * c | a + (b * c)",
        "-1^2 | -1 ^ 2 | -(1 ^ 2)",
        "2^3^2 | 2 ^ 3 ^ 2 | 2 ^ (3 ^ 2)",
        "2^-1 | 2 ^ -1 | 2 ^ (-1)",
        "-a*b | -a * b | (-a) * b",
        "a*b%c/d | a * b % c / d | ((a * b) % c) / d",
        "a or b and c | a or b and c | a or (b and c)",
        "a unless b and c | a unless b and c | (a unless b) and c",
        "a==b+c | a == b + c | a == (b + c)",
        "a atan2 b + c | a atan2 b + c | (a atan2 b) + c"
      })
  void operatorsBindAsInPrometheus(String text, String printed, String bracketed) throws Exception {
    Expr expr = Parser.parse(text);
    assertThat(withoutParens(expr)).isEqualTo(withoutParens(Parser.parse(bracketed)));
    assertThat(Parser.parse(expr.toString())).isEqualTo(expr);
    assertThat(expr).hasToString(printed);
  }

  /** Text to its printed form; where one column stands, it prints as it is. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      nullValues = "=",
      value = {
        "a | =",
        "a{} | a",
        "{__name__=\"a\"} | =",
        "{\"a\"} | {__name__=\"a\"}",
        "{\"metric.name\", \"label é\"=\"v\"} | {\"label é\"=\"v\",__name__=\"metric.name\"}",
        "a{b='c',} | a{b=\"c\"}",
        "a{b!=\"c\",d=~\"e|f\",g!~\"h.*\"} | =",
        "{a=\"b\"} | =",
        "{\"a\",\"b\"} | {__name__=\"a\",__name__=\"b\"}",
        "sum{by=\"x\"} | =",
        "offset | =",
        "start | =",
        "a:b:c | =",
        "a[5m] | =",
        "a[300] | a[5m]",
        "a[0.5] | a[500ms]",
        "a[1w1d] | a[8d]",
        "a[7d] | a[1w]",
        "a offset 1 | a offset 1s",
        "a offset -5m | =",
        "a[5m] offset 1m | =",
        "a offset 5m @ 10 | a @ 10.000 offset 5m",
        "a @ 1.2345 | a @ 1.235",
        "a @ start() | =",
        "a @ end() offset 1h | =",
        "a @ -5 | a @ -5.000",
        "sum(a)[5m:] offset 5m | =",
        "a[5m:1m] @ 3 | a[5m:1m] @ 3.000",
        "(a + b)[5m:] | =",
        "sum by (x, y) (a) | sum by (x, y) (a)",
        "sum(a) by (x,) | sum by (x) (a)",
        "SUM BY (\"é\") (a) | sum by (\"é\") (a)",
        "sum without () (a) | =",
        "sum by (a:b) (x) | sum by (\"a:b\") (x)",
        "topk(5, a) | =",
        "topk by (x) (5, a) | =",
        "count_values(\"v\", a) | =",
        "quantile(0.9, a) | =",
        "a + on(x) group_left(y) b | a + on (x) group_left (y) b",
        "a == bool ignoring() b | a == bool b",
        "a > bool 1 | =",
        "a * ignoring(by) group_right b | a * ignoring (by) group_right () b",
        "a and on() b | a and on () b",
        "time() | =",
        "clamp(a, 1, 2) | =",
        "label_replace(a, \"b\", \"$1\", \"c\", \"(.*)\") | =",
        "histogram_quantile(0.9, sum by (le) (rate(b[5m]))) | =",
        "\"a\\n\\\"b\\\\\" | =",
        "'\\x41\\101\\u00e9\\U0001F600' | \"AAé😀\"",
        "`a\\nb` | \"a\\\\nb\"",
        "-a | =",
        "+a | =",
        "- 5 | -5",
        "(1) | =",
        "a # comment | a"
      })
  void anExpressionPrintsAsPromql(String text, String printed) throws Exception {
    Expr expr = Parser.parse(text);
    assertThat(expr).hasToString(printed == null ? text : printed);
    assertThat(Parser.parse(expr.toString())).isEqualTo(expr);
  }

  @Test
  void experimentalFunctionsAreThereWhereTheFlagIsSet() throws Exception {
    for (String text :
        new String[] {
          "mad_over_time(a[5m])",
          "limitk(2, a)",
          "limit_ratio(0.5, a)",
          "info(a)",
          "info(a, {b=\"c\"})",
          "info(a, {b=~\".*\"})",
          "sort_by_label(a, \"b\", \"c\")",
          "double_exponential_smoothing(a[5m], 0.5, 0.5)",
          "ts_of_max_over_time(a[5m])"
        }) {
      assertThat(Parser.parse(text, ALL)).hasToString(text);
    }
  }

  @Test
  void everyFunctionOfTheLanguageIsKnown() {
    assertThat(Function.all().stream().filter(named -> !named.isNewer())).hasSize(80);
    assertThat(Function.all().stream().filter(named -> named.isExperimental() && !named.isNewer()))
        .hasSize(8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      value = {
        "sum(a | 1:6: parse error: unclosed left parenthesis",
        "a + & | 1:5: parse error: unexpected character: '&'",
        "{\"é\"=~\"(\"} | 1:2: parse error: error parsing regexp: missing closing )",
        "nosuch(a) | 1:1: parse error: unknown function with name \"nosuch\"",
        "a\\n"
            + " + rate(b) | 2:9: parse error: expected type range vector in call to function"
            + " \"rate\", got instant vector",
        "1 + 08x | 1:5: parse error: bad number or duration syntax: \"08x\""
      })
  void anErrorSaysLineAndColumnInBytes(String text, String start) {
    assertThatThrownBy(() -> Parser.parse(text.replace("\\n", "\n")))
        .isInstanceOf(ParseException.class)
        .hasMessageStartingWith(start);
  }

  @Test
  void anEmptyQueryHasNoPosition() {
    assertThatThrownBy(() -> Parser.parse("  "))
        .hasMessage("unknown position: parse error: no expression found in input");
  }

  @Test
  void deepAndLongQueriesAreRefusedBeforeTheStackEnds() {
    assertThatThrownBy(() -> Parser.parse("(".repeat(100_000) + "a" + ")".repeat(100_000)))
        .hasMessageContaining("nests deeper than 250");
    assertThatThrownBy(() -> Parser.parse("a" + " + a".repeat(100_000)))
        .hasMessageContaining("more than 2000 operators");
    assertThatThrownBy(() -> Parser.parse(" ".repeat(2_000_000)))
        .hasMessageContaining("allowed are 524288");
  }

  @Test
  void matchersAreRe2AndAnchored() {
    Matcher matcher = Matcher.of(Matcher.Kind.REGEX, "a", "b.*|c");
    assertThat(matcher.matches("bx\ny")).isTrue();
    assertThat(matcher.matches("xb")).isFalse();
    assertThat(matcher.matches("c")).isTrue();
    assertThat(matcher.matches("cc")).isFalse();
    assertThat(Matcher.of(Matcher.Kind.NOT_EQUAL, "a", "b").matches(Labels.EMPTY)).isTrue();
    assertThat(Matcher.equal("a", "").matches(Labels.of("b", "c"))).isTrue();
    assertThatThrownBy(() -> Matcher.of(Matcher.Kind.REGEX, "a", "(?=x)"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  static Expr withoutParens(Expr expr) {
    return switch (expr) {
      case Expr.Paren paren -> withoutParens(paren.inner());
      case Expr.Binary b ->
          new Expr.Binary(
              b.op(),
              withoutParens(b.left()),
              withoutParens(b.right()),
              b.bool(),
              b.matching(),
              b.span());
      case Expr.Unary u -> new Expr.Unary(u.minus(), withoutParens(u.input()), u.span());
      default -> expr;
    };
  }
}
