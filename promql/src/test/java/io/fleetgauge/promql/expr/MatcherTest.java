package io.fleetgauge.promql.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MatcherTest {
  private static final String[] PIECES = {
    "a", "b", "ab", "|", ".*", ".+", "\\.", "\\|", "\\\\", "(", ")", "(?:", ".", "é", "\n", "*", "?"
  };

  /** The short cuts against the automaton, on whatever both take for an expression. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shortCutsMatchWhatTheAutomatonMatches(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int simple = 0;
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(6); i > 0; i--) {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
      String regex = text.toString();
      var pattern = SimplePattern.of(regex);
      if (pattern.isEmpty()) {
        continue;
      }
      simple++;
      Pattern automaton = Pattern.compile("^(?s:" + regex + ")$");
      for (String value : values(random)) {
        assertThat(pattern.get().matches(value))
            .as("%s on %s", regex, value)
            .isEqualTo(automaton.matcher(value).matches());
      }
    }
    assertThat(simple).isGreaterThan(2_000);
  }

  private static String[] values(SplittableRandom random) {
    String[] values = new String[12];
    String letters = "ab.|\\é\n";
    for (int i = 0; i < values.length; i++) {
      StringBuilder value = new StringBuilder();
      for (int j = random.nextInt(5); j > 0; j--) {
        value.append(letters.charAt(random.nextInt(letters.length())));
      }
      values[i] = value.toString();
    }
    return values;
  }

  @ParameterizedTest
  @CsvSource({
    "r1|r2, true",
    "(n1|n2|n3), true",
    "DCGM.*, true",
    ".*_total, true",
    ".+, true",
    "'', true",
    "10\\.0\\.0\\.1:9400, true",
    "n[12], false",
    "(?i)a, false",
    "a.*b, false",
    "(a)|(b), false",
    "\\d, false"
  })
  void whatDashboardsSendNeedsNoAutomaton(String regex, boolean simple) {
    assertThat(SimplePattern.of(regex).isPresent()).isEqualTo(simple);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "((((a{10}){10}){10}){10}){10}",
        "(x{1000}){2}",
        "((a{2}b{3}){20}c){26}",
        "x{1001}",
        "(a",
        "a)",
        "\\Z",
        "[",
        "*"
      })
  void whatRe2RefusesIsRefused(String regex) {
    assertThatThrownBy(() -> Matcher.of(Matcher.Kind.REGEX, "a", regex))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("error parsing regexp: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x{1000}",
        "((a{10}){10}){10}",
        "a{2}b{1000}",
        "[{9}]{999}",
        "\\Q({[\\E{5}",
        "x{,2}"
      })
  void whatRe2TakesIsTaken(String regex) {
    assertThat(Matcher.of(Matcher.Kind.REGEX, "a", regex).matches("zzz")).isFalse();
  }

  @Test
  void tooLongAndTooDeepExpressionsAreRefusedAtOnce() {
    assertThatThrownBy(() -> Matcher.of(Matcher.Kind.REGEX, "a", "[a-z]".repeat(20_000)))
        .hasMessage("a regular expression of 100000 characters is too long, allowed are 65536");
    assertThatThrownBy(
            () -> Matcher.of(Matcher.Kind.REGEX, "a", "(".repeat(1_001) + ")".repeat(1_001)))
        .hasMessage("error parsing regexp: expression nests too deeply");
  }
}
