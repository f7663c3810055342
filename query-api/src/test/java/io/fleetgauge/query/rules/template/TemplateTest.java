package io.fleetgauge.query.rules.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
