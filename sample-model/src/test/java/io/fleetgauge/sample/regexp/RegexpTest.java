package io.fleetgauge.sample.regexp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegexpTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a**",
        "*a",
        "(?=a)",
        "(?<!a)",
        "\\1",
        "a{1001}",
        "(a{100}){11}",
        "a{3,2}",
        "[b-a]",
        "[a",
        "(a",
        "a)",
        "\\",
        "\\pX",
        "[[:foo:]]",
        "(?P<a>b)(?P<a>c)",
        "(?i",
        "(?P<>a)"
      })
  void whatIsNotAnExpressionOfRe2IsRefused(String text) {
    assertThatThrownBy(() -> Regexp.anchored(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anExpressionMatchesWholeTextsAndItsDotEveryCharacter() {
    assertThat(Regexp.anchored("a.c").matches("a\nc")).isTrue();
    assertThat(Regexp.anchored("a|b").matches("ab")).isFalse();
    assertThat(Regexp.anchored("").matches("")).isTrue();
    assertThat(Regexp.anchored("").matches("a")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "a{* a{{",
        "a{,2} a{,2}",
        "{ {",
        "a{b}+ a{b}}",
        "[{]{2} {{",
        "a{2}{ aa{",
        "{\\p{Lu}+\\x{41} {XA"
      })
  void aBraceThatBeginsNoRepetitionStandsForItself(String expression, String text) {
    assertThat(Regexp.anchored(expression).matches(text)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "${1}x bx",
        "$1x <>",
        "$1-$2 b-",
        "$$1 $1",
        "$ $",
        "${1 ${1",
        "$n+ b+",
        "${n}n bn",
        "$01 <>",
        "${} ${}",
        "a$- a$-"
      })
  void aTemplateIsFilledInAsGoDoesIt(String template, String expected) {
    Match match = Regexp.anchored("a(?P<n>b)").match("ab").orElseThrow();
    assertThat(match.expand(template)).isEqualTo(expected.equals("<>") ? "" : expected);
  }

  @Test
  void aTemplateThatGrowsTooLongEndsEarly() {
    Match match = Regexp.anchored("(.*)").match("x".repeat(1_000)).orElseThrow();
    assertThat(match.expand("$1".repeat(1_000), 5_000)).hasSizeBetween(5_001, 10_000);
  }

  @Test
  void noExpressionTakesExponentialTime() {
    String text = "a".repeat(2_000) + "b";
    Regexp nested = Regexp.anchored("(a|aa)*(a*)*(a?){100}c");
    assertTimeoutPreemptively(
        Duration.ofMinutes(2), () -> assertThat(nested.matches(text)).isFalse());
  }

  @Test
  void anyTextIsAnExpressionOrRefused() {
    SplittableRandom random = new SplittableRandom(20_261_124);
    String pieces = "ab0.*+?{}[](),|^$\\-:<>=!PpLidswbBQEz1é";
    int accepted = 0;
    for (int i = 0; i < 100_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(12); length > 0; length--) {
        text.append(pieces.charAt(random.nextInt(pieces.length())));
      }
      try {
        Regexp.anchored(text.toString()).match("abab0");
        accepted++;
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageMatching("(?s)[a-z].*");
      }
    }
    assertThat(accepted).isBetween(10_000, 90_000);
  }
}
