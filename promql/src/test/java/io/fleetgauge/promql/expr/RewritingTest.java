package io.fleetgauge.promql.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code label_replace} expands its template as Go's regexp.Expand does. */
class RewritingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "(.*) | $1 | node-7 | node-7",
        "(.*)-(.*) | $2.$1 | node-7 | 7.node",
        "(.*)-(.*) | ${2}x${1} | node-7 | 7xnode",
        "(.*)-(.*) | $1x | node-7 | ~~",
        "(?P<name>.*)-.* | $name | node-7 | node",
        "(?P<name>.*)-.* | ${name}! | node-7 | node!",
        "(.*) | $0 | ab | ab",
        "(.*) | $$1 | ab | $1",
        "(.*) | $ | ab | $",
        "(.*) | a$ | ab | a$",
        "(.*) | ${1 | ab | ${1",
        "(.*) | ${} | ab | ${}",
        "(.*) | $- | ab | $-",
        "(.*) | $9 | ab | ~~",
        "(.*) | $01 | ab | ~~",
        "(.*) | $none | ab | ~~",
        "a(x)?b | [$1] | ab | []",
        "(.*) | fixed | ~~ | fixed",
      })
  void aTemplateIsExpandedWithTheGroups(String regex, String template, String text, String result) {
    assertThat(new Rewriting(regex, template).apply(text, 1_000)).contains(result);
  }

  @Test
  void aTextThatDoesNotMatchAsAWholeIsNotRewritten() {
    assertThat(new Rewriting("node", "x").apply("node-7", 1_000)).isEmpty();
    assertThat(new Rewriting("a|b", "x").apply("ab", 1_000)).isEmpty();
  }

  @Test
  void anInvalidRegularExpressionIsRefused() {
    assertThatThrownBy(() -> new Rewriting("(", "x")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTextThatBecomesLongerThanWantedEndsEarly() {
    Rewriting rewriting = new Rewriting("(.*)", "$1".repeat(10_000) + " end");
    assertThat(rewriting.apply("x".repeat(100), 1_000))
        .hasValueSatisfying(text -> assertThat(text).hasSizeBetween(1_001, 25_000));
    assertThat(rewriting.apply("", 1_000)).contains(" end");
  }
}
