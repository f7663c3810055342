package io.fleetgauge.query.rules.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.rules.template.Answers.Unanswered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private static String expand(String text) throws TemplateFailure, Unanswered {
    return Template.expand("t", text, DATA, query -> List.of());
  }

  @ParameterizedTest
  @CsvSource({
    "{{ .Partial }} {{ completeness }}, true without host n7",
    "{{ externalURL }}, http://here:9090/path",
    "{{ pathPrefix }}, /path",
    "{{ now | printf `%.1f` }}, 1700000000.5",
    "{{ toDuration 90.5 }}, 1m30.5s",
    "{{ (toDuration 90.5).Seconds }}, 90.5",
    "{{ urlQueryEscape `a b` }}, a+b"
  })
  void whatPromtoolOfThisReleaseLacksIsExpanded(String text, String expected) throws Exception {
    assertThat(expand(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{ range 1000000000 }}{{ end }}",
        "{{ range 100000 }}0123456789{{ end }}",
        "{{ define `x` }}{{ template `x` }}{{ end }}{{ template `x` }}",
        "{{ $s := `0123456789` }}{{ range 60 }}{{ $s = print $s $s }}{{ end }}",
        "{{ printf `%999999d` 1 }}"
      })
  void anExpansionEnds(String text) {
    assertThatThrownBy(() -> expand(text))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageMatching("(?s).*(more than|exceeded).*");
  }

  static List<String> templatesOfTextsThatFitInNoMemory() {
    String longText = "{{ $s := printf `%0200000d` 1 }}";
    return List.of(
        "{{ printf `" + "%999999[1]d".repeat(3_000) + "` 1 }}",
        "{{ printf `" + "%.999999[1]f".repeat(3_000) + "` 1.0 }}",
        "{{ printf `%.*f` 999999 1.0 }}",
        longText + "{{ printf `" + "%[1]s".repeat(12_000) + "` $s }}",
        longText + "{{ printf `%d`" + " $s".repeat(12_000) + " }}",
        longText + "{{ print" + " $s".repeat(12_000) + " }}",
        longText + "{{ println" + " $s".repeat(12_000) + " }}",
        longText + "{{ html 1" + " $s".repeat(12_000) + " }}",
        longText + "{{ $a := args" + " $s".repeat(200) + " }}{{ print (args $a $a $a $a $a) }}",
        "{{ $a := args 1 1 }}{{ range 40 }}{{ $a = args $a $a }}{{ end }}{{ $a }}",
        "{{ $a := args 1 1 }}{{ range 40 }}{{ $a = args $a $a }}{{ end }}{{ printf `%s` $a }}",
        "{{ $t := toTime 1700000000 }}{{ $s := `1` }}{{ range 40 }}{{ $s = $t.Format $s }}{{ end"
            + " }}",
        longText + "{{ $a := args }}{{ range 20000 }}{{ $a = args $a (print $s .) }}{{ end }}");
  }

  @ParameterizedTest
  @MethodSource
  void templatesOfTextsThatFitInNoMemory(String text) {
    assertThatThrownBy(() -> expand(text))
        .isInstanceOf(TemplateFailure.class)
        .hasMessageMatching("(?s).*(more than).*");
  }

  @Test
  void aTextOfTheGreatestLengthCanBeMade() throws Exception {
    assertThat(expand("{{ printf `%262144d` 1 }}")).hasSize(Execution.MAX_OUTPUT);
    assertThatThrownBy(() -> expand("{{ printf `%262144d%d` 1 2 }}"))
        .hasMessageContaining("more than 262144 characters");
  }

  @Test
  void theMessageOfAFailureIsNotLongerThanAnAnnotationShouldBe() {
    assertThatThrownBy(() -> expand("{{ printf `%0200000d` 1 | printf `%sx` | toTime }}"))
        .isInstanceOf(TemplateFailure.class)
        .extracting(Throwable::getMessage)
        .satisfies(message -> assertThat(message).hasSizeLessThan(17_000));
    assertThatThrownBy(() -> expand("{{ printf `%0200000d` 1 | printf `%sx` | parseDuration }}"))
        .isInstanceOf(TemplateFailure.class)
        .extracting(Throwable::getMessage)
        .satisfies(message -> assertThat(message).hasSizeLessThan(17_000));
  }

  static List<String> templatesWhoseCallsNestDeeply() {
    String each = "{{ define `x` }}%s{{ template `x` }}%s{{ end }}{{ template `x` }}";
    return List.of(
        each.formatted("{{ if 1 }}".repeat(240), "{{ end }}".repeat(240)),
        each.formatted("{{ range 2 }}".repeat(240), "{{ end }}".repeat(240)),
        each.formatted("{{ with 0 }}{{ else }}".repeat(240), "{{ end }}".repeat(240)),
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
            + "{{ end }}".repeat(240),
        "{{ $a := args }}{{ range 40000 }}{{ $a = args $a }}{{ end }}{{ $a }}",
        "{{ $a := args }}{{ range 40000 }}{{ $a = args $a }}{{ end }}{{ printf `%s` $a }}");
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
        .satisfies(message -> assertThat(message).matches("(?s).*(more than|exceeded).*"));
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
                    "t",
                    "{{ query `up` }}",
                    DATA,
                    query -> {
                      throw new Unanswered(query);
                    }))
        .isInstanceOfSatisfying(Unanswered.class, open -> assertThat(open.query()).isEqualTo("up"));
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
      } catch (TemplateFailure | Unanswered e) {
        assertThat(e.getMessage()).isNotEmpty();
      } catch (RuntimeException e) {
        throw new AssertionError("expanding " + text, e);
      }
    }
    assertThat(expanded).isPositive();
  }
}
