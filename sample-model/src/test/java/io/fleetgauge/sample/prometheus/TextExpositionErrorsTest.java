package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.TextExposition.Family;
import io.fleetgauge.sample.prometheus.TextExpositionReader.BadLine;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Exposition;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Comments, escapes and limits of the text format, and where each error is. */
class TextExpositionErrorsTest {
  private static Labels only(String text) throws BadLine {
    Exposition page = TextExpositionReader.read(text);
    assertThat(page.samples()).hasSize(1);
    return page.samples().getFirst().labels();
  }

  static Stream<Arguments> badPages() {
    return Stream.of(
        Arguments.of("a", "line 1, character 2: expected is a value, found is \"\""),
        Arguments.of("ok 1\n\n  a b", "line 3, character 6: expected is a value, found is \"b\""),
        Arguments.of("a 1_000", "line 1, character 8: expected is a value, found is \"1_000\""),
        Arguments.of("a 0x1p4", "line 1, character 8: expected is a value, found is \"0x1p4\""),
        Arguments.of(
            "a 1 2.5", "line 1, character 8: expected is a timestamp in ms, found is \"2.5\""),
        Arguments.of("a 1 2 3", "line 1, character 7: expected is the end of the line"),
        Arguments.of("a{b}", "line 1, character 4: expected is = behind the label b"),
        Arguments.of("a{\"b\"} 1", "line 1, character 6: expected is = behind the label b"),
        Arguments.of("a{b= c}", "line 1, character 6: expected is a quoted value of the label b"),
        Arguments.of("a{b=\"c", "line 1, character 7: a quoted text does not end"),
        Arguments.of("a{b=\"c\n\"} 1", "line 1, character 7: a quoted text does not end"),
        Arguments.of("a{b=\"c\\", "line 1, character 8: a quoted text does not end"),
        Arguments.of("a{b=\"1\" c", "line 1, character 9: expected is , or } behind a label"),
        Arguments.of("a{b=\"1\"", "line 1, character 8: expected is , or } behind a label"),
        Arguments.of("a{b=\"1\",b=\"2\"} 1", "line 1, character 16: the label \"b\" occurs twice"),
        Arguments.of("a{\"\"=\"1\"} 1", "line 1, character 11: a label has an empty name"),
        Arguments.of("{} 1", "line 1, character 4: there is no metric name"),
        Arguments.of("{\"\"} 1", "line 1, character 6: there is no metric name"),
        Arguments.of("{\"a\",\"b\"} 1", "line 1, character 9: expected is = behind the label b"),
        Arguments.of("a{9=\"1\"} 1", "line 1, character 3: expected is a name"),
        Arguments.of("a{b:c=\"1\"} 1", "line 1, character 4: expected is = behind the label b"),
        Arguments.of("a{,} 1", "line 1, character 3: expected is a name"),
        Arguments.of("é 1", "line 1, character 1: expected is a name"),
        Arguments.of("a.b 1", "line 1, character 4: expected is a value, found is \".b\""),
        Arguments.of(
            "# TYPE a gauge\n# TYPE a counter",
            "line 2, character 17: the type of a is said twice"),
        Arguments.of("# HELP \"a", "line 1, character 10: a quoted text does not end"));
  }

  @ParameterizedTest
  @MethodSource("badPages")
  void anErrorHasLineCharacterAndWhatIsWrong(String text, String message) {
    assertThatThrownBy(() -> TextExpositionReader.read(text))
        .isInstanceOf(BadLine.class)
        .hasMessage(message);
  }

  @Test
  void asManyLabelsAsTheLimitAreReadAndMoreAreRefused() throws BadLine {
    StringBuilder labels = new StringBuilder();
    for (int i = 1; i < TextExpositionReader.MAX_LABELS; i++) {
      labels.append("l").append(i).append("=\"x\",");
    }
    assertThat(only("a{" + labels + "} 1").size()).isEqualTo(TextExpositionReader.MAX_LABELS);
    assertThatThrownBy(() -> TextExpositionReader.read("a{" + labels + "more=\"x\"} 1"))
        .isInstanceOf(BadLine.class)
        .hasMessageEndingWith(": a sample has more than 256 labels");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "   \t\r\n", "#", "# ", "#a 1", "# EOF\n", "# UNIT a s\n\n"})
  void emptyLinesAndOtherCommentsAreSkipped(String text) throws BadLine {
    Exposition page = TextExpositionReader.read(text);
    assertThat(page.samples()).isEmpty();
    assertThat(page.families()).isEmpty();
  }

  @Test
  void carriageReturnsAndTabsAreBlanks() throws BadLine {
    Exposition page =
        TextExpositionReader.read("# TYPE\ta gauge\r\na\t{\tb\t=\t\"1\"\t}\t2\t3\r\nc 4\r");
    assertThat(page.samples())
        .containsExactly(
            new TextExpositionReader.Sample(
                Labels.of(Labels.NAME, "a", "b", "1"), 2, OptionalLong.of(3)),
            new TextExpositionReader.Sample(Labels.of(Labels.NAME, "c"), 4, OptionalLong.empty()));
    assertThat(page.families()).containsOnly(Map.entry("a", new Family("gauge", "")));
  }

  @Test
  void helpWithoutATypeIsUntypedAndTheLastHelpCounts() throws BadLine {
    Exposition page =
        TextExpositionReader.read(
            """
            # HELP a first
            # HELP a second\\\\third\\nfourth\\x\\
            # TYPE b counter
            # HELP "c.d"  quoted name\s
            # TYPE "c.d" gauge
            """);
    assertThat(page.families())
        .containsOnly(
            Map.entry("a", new Family("untyped", "second\\third\nfourth\\x\\")),
            Map.entry("b", new Family("counter", "")),
            Map.entry("c.d", new Family("gauge", "quoted name")));
  }

  @Test
  void escapesOfAValueAreReadAndOthersStayAsTheyAre() throws BadLine {
    assertThat(only("a{b=\"\\\\ \\\" \\n \\t # } ,\"} 1").value("b"))
        .isEqualTo("\\ \" \n \\t # } ,");
  }

  @Test
  void anEmptyValueIsNoLabelAndLabelsNeedNoCommaAtTheEnd() throws BadLine {
    assertThat(only("a{b=\"\",c=\"1\"} 1")).isEqualTo(Labels.of(Labels.NAME, "a", "c", "1"));
    assertThat(only("a{c=\"1\",} 1")).isEqualTo(Labels.of(Labels.NAME, "a", "c", "1"));
    assertThat(only("a{} 1")).isEqualTo(Labels.of(Labels.NAME, "a"));
    assertThat(only("{__name__=\"a\"} 1")).isEqualTo(Labels.of(Labels.NAME, "a"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "-1",
        "+1",
        ".5",
        "5.",
        "1e3",
        "1E-3",
        "NaN",
        "nan",
        "inf",
        "-INF",
        "+Infinity"
      })
  void aValueIsANumberByTheRulesOfTheExposition(String number) throws BadLine {
    assertThat(TextExpositionReader.read("a " + number).samples().getFirst().value())
        .isEqualTo(Double.valueOf(Numbers.parse(number).orElseThrow()));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedTextIsAPageOrABadLine(long seed) {
    String good =
        """
        # HELP a.b Some \\n help.
        # TYPE a_b counter
        a_b{x="1\\"2",y="\\n"} 1.5 1700000000000
        {"a.b","é"="x"} NaN
        up 1
        """;
    SplittableRandom random = new SplittableRandom(seed);
    String characters = "\"\\{}=,# \n\tn1eé😀_";
    int bad = 0;
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder(good);
      for (int hits = 1 + random.nextInt(4); hits > 0; hits--) {
        text.setCharAt(
            random.nextInt(text.length()), characters.charAt(random.nextInt(characters.length())));
      }
      text.setLength(random.nextInt(text.length() + 1));
      try {
        TextExpositionReader.read(text.toString());
      } catch (BadLine e) {
        assertThat(e.getMessage()).matches("(?s)line [1-6], character \\d+: .+");
        bad++;
      }
    }
    assertThat(bad).isGreaterThan(5_000);
  }
}
