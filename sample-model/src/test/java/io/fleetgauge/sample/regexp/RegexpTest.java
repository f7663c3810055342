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
  private static String groups(String expression, String text) {
    Match match = Regexp.compile(expression).match(text);
    return match == null ? "none" : match.expand("$0|$1|$2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "(a|ab)(c|bcd)? abcd abcd|a|bcd",
        "(a+?)(a*) aaa aaa|a|aa",
        "(?U)(a+)(a*) aaa a|a|",
        "(a*)*b aab aab|aa|",
        "(|a)* aa |||",
        "x{2,3}(x*) xxxxx xxxxx|xx|",
        "x{,3} ax{,3} x{,3}||",
        "(?i)gpu-(\\pL+) xGPU-Äß GPU-Äß|Äß|",
        "[^[:alpha:]\\d]+ a1-_b -_||",
        "\\bb\\B a-bc b||",
        "(?P<x>a)|(b) b b||b",
        "[a\\]-]+ x]a-] ]a-]||",
        "\\x41\\x{42}\\103 xABC ABC||",
        "\\Qa.b\\E+ a.bb a.bb||",
        "[k] K none",
        "(?i)[k] \u212a \u212a||",
        "(?i)[^k] \u212a none",
        "(?i)i \u0131 none",
        "\\p{Greek}+ aλμb λμ||",
        "\\p{^Lu}+ ABcd cd||",
      })
  void theLeftmostMatchIsTheOneThatABacktrackingSearchFindsFirst(
      String expression, String text, String expected) {
    assertThat(groups(expression, text)).isEqualTo(expected.equals("|||") ? "||" : expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a**", "*a", "a|*", "(?=a)", "(?<!a)", "\\1", "a{1001}", "(a{100}){11}", "a{3,2}", "[b-a]",
        "[a", "(a", "a)", "\\", "\\pX", "\\p{greek}", "[[:foo:]]", "(?P<a>b)(?P<a>c)", "(?i", "\\C",
        "(?P<>a)", "(?-)", "(?i-:a)", "\\x{110000}", "\\8", "a*+", "\\Z"
      })
  void whatIsNotAnExpressionOfRe2IsRefused(String text) {
    assertThatThrownBy(() -> Regexp.compile(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAnchoredExpressionMatchesWholeTextsAndItsDotEveryCharacter() {
    assertThat(Regexp.anchored("a.c").finds("a\nc")).isTrue();
    assertThat(Regexp.anchored("a|b").finds("ab")).isFalse();
    assertThat(Regexp.anchored("").finds("")).isTrue();
    assertThat(Regexp.anchored("").finds("a")).isFalse();
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
    Match match = Regexp.compile("a(?P<n>b)").match("ab");
    assertThat(match.expand(template)).isEqualTo(expected.equals("<>") ? "" : expected);
  }

  @Test
  void everyMatchIsReplaced() {
    assertThat(Regexp.compile("a*").replaceAll("baac", "x")).isEqualTo("xbxcx");
    assertThat(Regexp.compile("(.)b").replaceAll("abéb", "$1")).isEqualTo("aé");
  }

  @Test
  void noExpressionTakesExponentialTime() {
    String text = "a".repeat(2_000) + "b";
    Regexp nested = Regexp.anchored("(a|aa)*(a*)*(a?){100}c");
    assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> assertThat(nested.finds(text)).isFalse());
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
        Regexp.compile(text.toString()).match("abab0");
        accepted++;
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageMatching("(?s)[a-z].*");
      }
    }
    assertThat(accepted).isBetween(10_000, 90_000);
  }
}
