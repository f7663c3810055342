package io.fleetgauge.promql.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Errors of the parts of the language that a stock server has not, and of selectors and series that
 * are parsed by themselves. Those of stock queries are in {@link WrongQueriesTest}.
 */
class ParserErrorsTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "a @ 1 [5m] -> 1:7: parse error: no @ modifiers allowed before range",
        "a and fill(1) b -> 1:7: parse error: no fill allowed for \"and\" operation",
        "a + fill(1) fill_left(2) b -> 1:13: parse error: a side may not be filled twice",
        "a + fill_right(1) fill_right(2) b -> 1:19: parse error: a side may not be filled twice",
        "a + fill(x) b -> 1:10: parse error: unexpected identifier \"x\" in fill, expected number",
        "a + fill_left(-'1') b -> 1:16: parse error: unexpected string \"1\" in fill_left, expected"
            + " number",
        "a + fill(1 b -> 1:12: parse error: unexpected identifier \"b\" in fill, expected \")\"",
        "1 + fill(1) a -> 1:1: parse error: vector matching only allowed between instant vectors",
        "sum(a) anchored -> 1:1: parse error: anchored modifier must be preceded by an instant"
            + " vector selector or range vector selector",
        "a[5m:1m] smoothed -> 1:1: parse error: smoothed modifier must be preceded by an instant"
            + " vector selector or range vector selector",
        "a[5m] anchored smoothed -> 1:1: parse error: smoothed modifier must be preceded by an"
            + " instant vector selector or range vector selector",
        "a smoothed anchored -> 1:1: parse error: anchored modifier must be preceded by an instant"
            + " vector selector or range vector selector",
        "1 smoothed -> 1:1: parse error: smoothed modifier must be preceded by an instant vector"
            + " selector or range vector selector",
        "info(a, b, c) -> 1:1: parse error: expected at most 2 argument(s) in call to \"info\", got"
            + " 3",
        "info(a, abs(b)) -> 1:9: parse error: expected label selectors only",
        "info({}, b) -> 1:6: parse error: vector selector must contain at least one non-empty"
            + " matcher",
        "a[1 / 0] -> 1:5: parse error: division by zero in duration",
        "a[1 % (2 - 2)] -> 1:5: parse error: modulo by zero in duration",
        "a[1 - 1] -> 1:3: parse error: duration must be greater than 0",
        "a[-(1m)] -> 1:3: parse error: duration must be greater than 0",
        "a[2 ^ 99] -> 1:3: parse error: duration out of range",
        "a[(1m] -> 1:6: parse error: unexpected \"]\" in duration, expected \")\"",
        "a[1m + 'b'] -> 1:8: parse error: unexpected string \"b\" in duration, expected number or"
            + " duration",
        "a[step] -> 1:7: parse error: unexpected \"]\" in step, expected \"(\"",
        "a[range(1)] -> 1:9: parse error: unexpected number \"1\" in range, expected \")\"",
        "a[min_of(1m)] -> 1:12: parse error: unexpected \")\" in min_of, expected \",\"",
        "a[max_of(1m, 2m] -> 1:16: parse error: unexpected \"]\" in max_of, expected \")\"",
        "a[1m == 2m] -> 1:6: parse error: unexpected <op:==> in range selector, expected \"]\"",
        "a offset 1m + 2m offset 3m -> 1:15: parse error: offset modifier must be preceded by an"
            + " instant vector selector or range vector selector or a subquery",
        "a offset (1m + b) -> 1:16: parse error: unexpected identifier \"b\" in duration, expected"
            + " number or duration",
      })
  void anErrorBeyondTheStockLanguageHasItsPositionAndReason(String query, String error) {
    assertThatThrownBy(() -> Parser.parse(query, ParserTest.ALL))
        .isInstanceOf(ParseException.class)
        .hasMessage(error);
  }

  @Test
  void aModifierIsRefusedOnEveryOtherKindOfExpressionAtTheExpression() throws Exception {
    for (String query :
        new String[] {
          "1", "'a'", "abs(a)", "sum(a)", "(-a)", "(a + b)", "(a)", "time()", "-(a)", "5m"
        }) {
      int column = query.startsWith("-") ? 2 : 1;
      for (String modifier : new String[] {"offset 5m", "@ 5", "@ start()"}) {
        assertThatThrownBy(() -> Parser.parse(query + " " + modifier))
            .as("%s %s", query, modifier)
            .hasMessage(
                "1:"
                    + column
                    + ": parse error: "
                    + modifier.split(" ")[0]
                    + " modifier must be preceded by an instant vector selector or range vector"
                    + " selector or a subquery");
      }
    }
    for (String query : new String[] {"a", "{b='c'}", "a[5m]", "a[5m:]", "sum(a)[5m:1m]"}) {
      assertThat(Parser.parse(query + " @ 5 offset 5m"))
          .isEqualTo(Parser.parse(query + " offset 5m @ 5"));
    }
  }

  @Test
  void theDeepestDurationIsReadAndADeeperOneRefused() throws Exception {
    String deepest = "a[" + "(".repeat(99) + "1" + ")".repeat(99) + "]";
    assertThat(((Expr.Window) Parser.parse(deepest, ParserTest.ALL)).range()).isEqualTo(1_000);
    String deeper = "a[" + "(".repeat(100) + "1" + ")".repeat(100) + "]";
    assertThatThrownBy(() -> Parser.parse(deeper, ParserTest.ALL))
        .hasMessage("1:103: parse error: the duration nests deeper than 100 levels");
  }

  @Test
  void theDeepestAndTheLongestExpressionsAreReadAndOneMoreIsRefused() throws Exception {
    int deep = Parser.MAX_DEPTH - 1;
    assertThat(Parser.parse("(".repeat(deep) + "a" + ")".repeat(deep))).isNotNull();
    assertThatThrownBy(() -> Parser.parse("(".repeat(deep + 1) + "a" + ")".repeat(deep + 1)))
        .hasMessage("1:251: parse error: the expression nests deeper than 250 levels");
    String longest = "a" + "+a".repeat(Parser.MAX_OPERATORS);
    assertThat(Parser.parse(longest)).isNotNull();
    assertThatThrownBy(() -> Parser.parse(longest + "+a"))
        .hasMessage("1:4002: parse error: the query has more than 2000 operators");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "a[5m] -> 1:2: parse error: unexpected \"[\"",
        "a offset 5m -> 1:3: parse error: unexpected <offset>",
        "a @ 5 -> 1:3: parse error: unexpected \"@\"",
        "sum(a) -> 1:1: parse error: a series selector is expected",
        "(a) -> 1:1: parse error: a series selector is expected",
        "5 -> 1:1: parse error: a series selector is expected",
        "'a' -> 1:1: parse error: a series selector is expected",
        "{} -> 1:1: parse error: vector selector must contain at least one non-empty matcher",
        "a{b=~'('} -> 1:3: parse error: error parsing regexp: missing closing ): `(`",
      })
  void whatIsNoSelectorIsRefusedAndSaidAsItsProblem(String text, String error) {
    assertThatThrownBy(() -> Parser.parseSelector(text)).hasMessage(error);
    assertThat(Parser.selectorProblem(text)).isEqualTo(error);
  }

  @Test
  void aSelectorByItselfIsItsMatchers() throws Exception {
    assertThat(Parser.parseSelector("a{b!='c'}"))
        .containsExactly(
            Matcher.of(Matcher.Kind.NOT_EQUAL, "b", "c"), Matcher.equal("__name__", "a"));
    assertThat(Parser.selectorProblem("a{b!='c'}")).isEmpty();
  }

  @Test
  void aSeriesIsANameAndLabelsInAnyOfItsNotations() throws Exception {
    Labels wanted = Labels.of("__name__", "a", "b", "c", "é", "");
    assertThat(Parser.parseSeries("a{b='c',\"é\"=''}")).isEqualTo(wanted);
    assertThat(Parser.parseSeries("{'a',b=\"c\"}")).isEqualTo(wanted);
    assertThat(Parser.parseSeries("sum")).isEqualTo(Labels.of("__name__", "sum"));
    assertThat(Parser.parseSeries("{}")).isEqualTo(Labels.EMPTY);
    assertThat(Parser.parseSeries("")).isEqualTo(Labels.EMPTY);
    assertThatThrownBy(() -> Parser.parseSeries("a{b=~'c'}"))
        .hasMessage(
            "unknown position: parse error: a series has labels and no matchers: a{b=~'c'}");
    assertThatThrownBy(() -> Parser.parseSeries("a{b='c',b='d'}"))
        .isInstanceOf(ParseException.class)
        .hasMessageEndingWith(": a{b='c',b='d'}");
    assertThatThrownBy(() -> Parser.parseSeries("a b"))
        .hasMessage("1:3: parse error: unexpected identifier \"b\"");
  }
}
