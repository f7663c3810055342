package io.fleetgauge.runtime.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms of YAML that people write, of which nothing may be dropped in silence. */
class YamlTreeTest {
  private static String json(String yaml) throws BadYaml {
    return YamlTree.read(yaml).toString();
  }

  private static void refused(String yaml, String why) {
    assertThatThrownBy(() -> YamlTree.read(yaml)).isInstanceOf(BadYaml.class).hasMessage(why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "---\n", "# nothing\n", "~", "---\n---\n", "\ufeff"})
  void aTextWithoutAValueIsMissing(String yaml) throws BadYaml {
    assertThat(YamlTree.read(yaml).isMissingNode()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a: b",
        "---\na: b\n",
        "a: b\n...\n# nothing more\n",
        "a: b\n---\n",
        "a: b\n---\n# to be written\n",
        "%YAML 1.1\n---\na: b\n",
        "\ufeffa: b\n",
        "a: b\r\n",
        "{a: b}",
        "{\"a\": \"b\"}",
        "!!map {a: !!str b}"
      })
  void theSameDocumentInAnotherFormIsTheSame(String yaml) throws BadYaml {
    assertThat(json(yaml)).isEqualTo("{\"a\":\"b\"}");
  }

  @Test
  void aSecondDocumentIsRefusedWithItsLine() {
    refused("a: b\n---\nc: d\n", "line 3: a second document begins here; one is allowed");
    refused("---\n---\nc: d\n", "line 3: a second document begins here; one is allowed");
    refused("a: b\n---\n---\n- c\n", "line 4: a second document begins here; one is allowed");
    refused("a: b\n---\nc: [\n", "line 2: a second document begins here; one is allowed");
  }

  @Test
  void aKeyThatIsThereTwiceIsRefusedWithItsPlace() {
    refused("a: 1\nb: 2\na: 3\n", "line 3, column 1: the key a is there a second time in its map");
    refused("x: {a: 1, 'a': 2}", "line 1, column 11: the key a is there a second time in its map");
  }

  @Test
  void aliasesAndMergesAreResolvedAndTheOwnKeyOfAMapWins() throws BadYaml {
    assertThat(json("a: &x one\nb: *x\n")).isEqualTo("{\"a\":\"one\",\"b\":\"one\"}");
    assertThat(json("a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n"))
        .isEqualTo("{\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"p\":1}}");
    assertThat(json("[&x {p: 1}, &y {p: 2, r: 4}, {<<: [*x, *y]}]"))
        .isEqualTo("[{\"p\":1},{\"p\":2,\"r\":4},{\"p\":1,\"r\":4}]");
    refused("<<: text", "line 1, column 5: a merge (<<) needs a map or a list of maps");
  }

  @Test
  void anAnchorThatContainsItselfIsRefused() {
    refused("a: &x [*x]", "line 1, column 4: an anchor contains its own alias");
    refused("a: &x {<<: *x}", "line 1, column 4: an anchor contains its own alias");
    assertThatThrownBy(() -> YamlTree.read("a: *nobody"))
        .isInstanceOf(BadYaml.class)
        .hasMessageContaining("nobody");
  }

  @Test
  void aliasesOfAliasesCostNoMoreThanTheLimit() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 60; i++) {
      String alias = "*a" + (i - 1);
      bomb.append("a" + i + ": &a" + i + " [" + String.join(", ", List.of(alias, alias)) + "]\n");
    }
    assertThatThrownBy(() -> YamlTree.read(bomb.toString()))
        .isInstanceOf(BadYaml.class)
        .hasMessageContaining("with its aliases, the document has too many values");
    assertThatThrownBy(() -> YamlTree.read("[".repeat(100_000))).isInstanceOf(BadYaml.class);
  }

  /** As Prometheus reads the value of a label. */
  @ParameterizedTest
  @CsvSource({
    "1.10, 1.10",
    "007, 007",
    "1e3, 1e3",
    "0x10, 0x10",
    "1_000, 1_000",
    "yes, yes",
    "off, off",
    "2024-01-01, 2024-01-01",
    "12:30, 12:30",
    ".nan, .nan",
    "!!str 5, 5",
    "!unknown v, v"
  })
  void aScalarIsTheTextThatWasWritten(String written, String text) throws BadYaml {
    JsonNode value = YamlTree.read("a: " + written).get("a");
    assertThat(value.isTextual() || value.isNumber() && !value.isIntegralNumber()).isTrue();
    assertThat(value.asText()).isEqualTo(text);
  }

  @Test
  void wholeNumbersBooleansAndNothingAreThemselves() throws BadYaml {
    assertThat(json("[5, -7, 0, true, FALSE, ~, null, ]"))
        .isEqualTo("[5,-7,0,true,false,null,null]");
    assertThat(json("a:\nb: ''\n")).isEqualTo("{\"a\":null,\"b\":\"\"}");
  }

  @Test
  void aTabThatIndentsAndACharacterThatIsNoneAreNamed() {
    assertThatThrownBy(() -> YamlTree.read("a:\n\tb: 1\n"))
        .isInstanceOf(BadYaml.class)
        .hasMessageStartingWith("line 2, column 1: ");
    refused("a: 1\nb: \u0001\n", "line 2: the character U+0001 is not allowed");
  }

  /** Whatever the text is, it is a tree or {@link BadYaml}. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aDamagedTextIsATreeOrRefused(long seed) {
    String good =
        "---\n"
            + "a: &x {p: 1, q: [2, 'three', \"f\\u00e9\"]}\n"
            + "b:\n"
            + "  <<: *x\n"
            + "  c: |\n"
            + "    text\n"
            + "    more\n"
            + "  ? d\n"
            + "  : !!str 5\n"
            + "...\n";
    String pieces = "*&!|>-?:,[]{}#'\"%@`\n\r\t \ufeff\u0000x<";
    SplittableRandom random = new SplittableRandom(seed);
    int refused = 0;
    for (int i = 0; i < 5_000; i++) {
      char[] text = good.toCharArray();
      for (int hits = random.nextInt(1, 4); hits > 0; hits--) {
        text[random.nextInt(text.length)] = pieces.charAt(random.nextInt(pieces.length()));
      }
      try {
        YamlTree.read(new String(Arrays.copyOf(text, random.nextInt(text.length + 1))));
      } catch (BadYaml e) {
        assertThat(e.getMessage()).isNotBlank();
        refused++;
      }
    }
    assertThat(refused).isBetween(1_000, 4_500);
  }
}
