package io.fleetgauge.query.rules.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.rules.template.Answers.UnknownAnswer;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TemplateTest {
  private static final TemplateData DATA =
      new TemplateData(
          Map.of("node", "n1"),
          Map.of("region", "eu"),
          "http://here:9090/path",
          1.5,
          null,
          1_700_000_000_500L,
          "without host n7",
          true);

  /** The answer to all queries: there is nothing else that a range could repeat. */
  private static final List<Answer.Sample> SAMPLES =
      Collections.nCopies(100, new Answer.Sample(Labels.of("gpu", "0"), 1));

  private static final String HUNDREDFOLD = "{{ range query `gpu` }}";

  /** Sets {@code $s} to 100,000 characters. */
  private static final String LONG_TEXT =
      "{{ $s := `0123456789` }}" + "{{ $s = print $s $s $s $s $s $s $s $s $s $s }}".repeat(4);

  private static String expand(String text) throws TemplateFailure, UnknownAnswer {
    return Template.expand(text, DATA, query -> SAMPLES);
  }

  @ParameterizedTest
  @CsvSource({
    "{{ .Partial }} {{ completeness }}, true without host n7",
    "{{ externalURL }}, http://here:9090/path",
    "{{ pathPrefix }}, /path",
    "{{ now | printf `%.1f` }}, 1700000000.5",
    "{{ urlQueryEscape `a b` }}, a+b"
  })
  void whatPromtoolOfThisReleaseLacksIsExpanded(String text, String expected) throws Exception {
    assertThat(expand(text)).isEqualTo(expected);
  }

  static List<String> anExpansionEnds() {
    return List.of(
        HUNDREDFOLD.repeat(4) + "{{ end }}".repeat(4),
        HUNDREDFOLD.repeat(3) + "0123456789{{ end }}{{ end }}{{ end }}",
        "{{ define `x` }}{{ template `x` }}{{ end }}{{ template `x` }}",
        "{{ $s := `0123456789` }}" + HUNDREDFOLD + "{{ $s = print $s $s }}{{ end }}");
  }

  @ParameterizedTest
  @MethodSource
  void anExpansionEnds(String text) {
    assertThatThrownBy(() -> expand(text))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageMatching("(?s).*more than.*");
  }

  static List<String> templatesOfTextsThatFitInNoMemory() {
    return List.of(
        "{{ printf `" + "%1000d".repeat(3_000) + "`" + " 1".repeat(3_000) + " }}",
        "{{ printf `" + "%.1000f".repeat(3_000) + "`" + " 1.0".repeat(3_000) + " }}",
        LONG_TEXT + "{{ printf `" + "%s".repeat(12_000) + "`" + " $s".repeat(12_000) + " }}",
        LONG_TEXT + "{{ printf `%d`" + " $s".repeat(12_000) + " }}",
        LONG_TEXT + "{{ print" + " $s".repeat(12_000) + " }}",
        LONG_TEXT + "{{ urlquery 1" + " $s".repeat(12_000) + " }}",
        "{{ $t := toTime 1700000000 }}{{ $s := `1` }}"
            + HUNDREDFOLD
            + "{{ $s = $t.Format $s }}{{ end }}",
        LONG_TEXT
            + "{{ $a := args }}"
            + HUNDREDFOLD.repeat(2)
            + "{{ $a = args $a (print $s .Value) }}{{ end }}{{ end }}");
  }

  @ParameterizedTest
  @MethodSource
  void templatesOfTextsThatFitInNoMemory(String text) {
    assertThatThrownBy(() -> expand(text))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageMatching("(?s).*more than.*");
  }

  @Test
  void aTextOfTheGreatestLengthCanBeMade() throws Exception {
    String doubled = "{{ $s := `0123456789abcdef` }}" + "{{ $s = print $s $s }}".repeat(14);

    assertThat(expand(doubled + "{{ $s }}")).hasSize(TemplateRun.MAX_OUTPUT);
    assertThatThrownBy(() -> expand(doubled + "{{ print $s `1` }}"))
        .hasMessageContaining("more than 262144 characters");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      value = {
        "{{ index `abc` 1 }} => index: needs labels or the result of a query, not the text \"abc\"",
        "{{ args 1 2 }} => args have no text; use .arg0",
        "{{ query `up` }} => a result has no text; use range or first",
        "{{ printf `%v` (query `up` | first) }} => printf: %v does not support a sample",
        "{{ printf `%9s` $labels }} => printf: %s does not support labels",
        "{{ printf `%q` 65 }} => printf: %q does not support the whole number 65",
        "{{ printf `%x` 1.5 }} => printf: %x does not support the number 1.5",
        "{{ printf (print `%` `T`) 1 }} => printf: %T is not supported; use %d %v %f %g %e %x %s %q"
            + " or %t, and %% for %",
        "{{ with toTime 0 }}{{ .Month }}{{ end }} => a time has no Month here; use .Format"
            + " \"2006-01-02 15:04:05\""
      })
  void whatPrometheusExpandsAndWeDoNotFailsWithAMessage(String text, String message) {
    assertThatThrownBy(() -> expand(text))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageEndingWith(": " + message);
  }

  @Test
  void theMessageOfAFailureIsNotLongerThanAnAnnotationShouldBe() {
    assertThatThrownBy(() -> expand(LONG_TEXT + "{{ toTime $s }}"))
        .isInstanceOf(TemplateFailure.class)
        .extracting(Throwable::getMessage)
        .satisfies(message -> assertThat(message).hasSizeLessThan(1_100));
    assertThatThrownBy(() -> expand(LONG_TEXT + "{{ parseDuration $s }}"))
        .isInstanceOf(TemplateFailure.class)
        .extracting(Throwable::getMessage)
        .satisfies(message -> assertThat(message).hasSizeLessThan(1_100));
  }

  static List<String> templatesWhoseCallsNestDeeply() {
    String each = "{{ define `x` }}%s{{ template `x` }}%s{{ end }}{{ template `x` }}";
    return List.of(
        each.formatted("{{ if 1 }}".repeat(240), "{{ end }}".repeat(240)),
        each.formatted(HUNDREDFOLD.repeat(240), "{{ end }}".repeat(240)),
        each.formatted("{{ with `` }}{{ else }}".repeat(240), "{{ end }}".repeat(240)),
        "{{ define `x` }}"
            + "{{ template `x` "
            + "(print ".repeat(240)
            + "."
            + ")".repeat(240)
            + " }}{{ end }}{{ template `x` 1 }}",
        "{{ define `x` }}"
            + "{{ if 1 }}".repeat(235)
            + "{{ template `x` }}"
            + "{{ end }}".repeat(235)
            + "{{ end }}"
            + "{{ if 1 }}".repeat(240)
            + "{{ template `x` }}"
            + "{{ end }}".repeat(240));
  }

  @ParameterizedTest
  @MethodSource
  void templatesWhoseCallsNestDeeply(String text) throws Exception {
    List<Throwable> thrown = new ArrayList<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                expand(text);
              } catch (Throwable e) {
                thrown.add(e);
              }
            },
            "small stack",
            768 << 10);
    thread.start();
    thread.join();
    assertThat(thrown)
        .singleElement()
        .isInstanceOf(TemplateFailure.class)
        .extracting(Throwable::getMessage)
        .satisfies(message -> assertThat(message).matches("(?s).*more than.*"));
  }

  @Test
  void aTemplateSeesItsOwnVariablesOnly() throws Exception {
    assertThat(
            expand(
                "{{ define `x` }}{{ $a := print $ 1 }}{{ $a }}{{ end }}"
                    + "{{ $a := 5 }}{{ template `x` 7 }}{{ $a }}"))
        .isEqualTo("7 15");
  }

  @Test
  void templatesThatNestTooDeeplyAreRefused() {
    assertThatThrownBy(() -> expand("{{ " + "(".repeat(10_000) + "1" + ")".repeat(10_000) + " }}"))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageContaining("nests deeper than 250");
    assertThatThrownBy(() -> expand("{{ if 1 }}".repeat(10_000) + "{{ end }}".repeat(10_000)))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageContaining("nests deeper than 250");
  }

  @Test
  void aQueryWhoseAnswerIsNotKnownIsToldToTheCaller() {
    assertThatThrownBy(
            () ->
                Template.expand(
                    "{{ query `up` }}",
                    DATA,
                    query -> {
                      throw new UnknownAnswer(query);
                    }))
        .isInstanceOfSatisfying(
            UnknownAnswer.class, open -> assertThat(open.query()).isEqualTo("up"));
  }

  /** Pieces of templates in random order: each is expanded or fails, and nothing else. */
  @Test
  void anyTextIsExpandedOrRefused() {
    String[] pieces = {
      "{{",
      "}}",
      "{{-",
      "-}}",
      " ",
      "if",
      "else",
      "end",
      "range",
      "with",
      "define",
      "template",
      "block",
      "break",
      "$x",
      ":=",
      "=",
      "|",
      "(",
      ")",
      ".",
      ".Labels",
      ".node",
      "$labels",
      "1",
      "1.5",
      "-3",
      "0x",
      "'a'",
      "\"s\"",
      "`r`",
      "\"%d %s\"",
      "printf",
      "index",
      "slice",
      "len",
      "eq",
      "lt",
      "and",
      "nil",
      "true",
      ",",
      "query",
      "first",
      "humanize",
      "title",
      "args",
      "\n",
      "/*",
      "*/",
      "é",
      "\u0000",
      "toTime",
      ".Format",
      "{{ end }}",
      "{{ if true }}"
    };
    Random random = new Random(20_261_124);
    int expanded = 0;
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder("{{ ");
      for (int length = 1 + random.nextInt(9); length > 0; length--) {
        text.append(pieces[random.nextInt(pieces.length)]).append(random.nextBoolean() ? " " : "");
      }
      text.append(" }}");
      try {
        expand(text.toString());
        expanded++;
      } catch (TemplateFailure | UnknownAnswer e) {
        assertThat(e.getMessage()).isNotEmpty();
      } catch (RuntimeException e) {
        throw new AssertionError("expanding " + text, e);
      }
    }
    assertThat(expanded).isPositive();
  }
}
