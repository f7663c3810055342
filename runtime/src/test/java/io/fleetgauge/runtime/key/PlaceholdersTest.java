package io.fleetgauge.runtime.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.relabel.Relabelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlaceholdersTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("HOST", "10.1.2.3", "PORT", "9500", "FLAG", "true", "AGE", "15s", "EMPTY", "");

  private static final Key<String> TEXT = Key.optional("text", KeyType.text(), "A text.");
  private static final Key<List<String>> TEXTS =
      Key.optional("texts", KeyType.listOf(KeyType.text(), 0), "Texts.");
  private static final Key<Integer> PORT = Key.optional("a.port", KeyType.port(), "A port.");
  private static final Key<Boolean> FLAG = Key.optional("flag", KeyType.flag(), "A flag.");
  private static final Key<Map<String, String>> LABELS =
      Key.optional("labels", KeyType.labels(), "Labels.");
  private static final Key<Duration> AGE =
      Key.optional("age", KeyType.duration(Duration.ofSeconds(1), Duration.ofHours(1)), "An age.");

  @TempDir private Path folder;

  private static ConfigReader reader(String yaml) throws ConfigException {
    return new ConfigReader("f", yaml, name -> Optional.ofNullable(ENVIRONMENT.get(name)));
  }

  private static String text(String value) throws ConfigException {
    ConfigReader in = reader("text: '" + value + "'");
    String text = in.find(TEXT).orElse("");
    in.finish();
    return text;
  }

  private static List<String> problems(String yaml, Key<?> key) throws ConfigException {
    ConfigReader in = reader(yaml);
    in.find(key);
    return catchThrowableOfType(ConfigException.class, in::finish).problems();
  }

  @ParameterizedTest
  @CsvSource({
    "http://${HOST}:${PORT}, http://10.1.2.3:9500",
    "$${HOST}, ${HOST}",
    "$$${HOST}, $${HOST}",
    "a$HOST, a$HOST",
    "^a.*$, ^a.*$",
    "${1}-${2}, ${1}-${2}",
    "x${EMPTY}y, xy",
  })
  void aVariableStandsForItsValueInAnyText(String written, String value) throws ConfigException {
    assertThat(text(written)).isEqualTo(value);
  }

  @Test
  void rulesOfRelabellingNameGroupsAsPrometheusDoes() throws ConfigException {
    Key<Relabelling> rules = Key.optional("a.relabel", KeyType.relabelling(), "Rules.");
    String rule = "{source_labels: [a], regex: '(?P<HOST>.*)', target_label: b, replacement: %s}";
    String named = "a: {relabel: [" + rule.formatted("'${HOST}-${1}'") + "]}";
    ConfigReader in = reader(named);
    Relabelling read = in.find(rules).orElseThrow();
    in.finish();
    assertThat(read.apply(Labels.of("a", "x"))).contains(Labels.of("a", "x", "b", "x-x"));
  }

  @Test
  void everyTypeOfKeyTakesPlaceholders() throws ConfigException {
    ConfigReader in =
        reader(
            """
            texts: ["${HOST}", b]
            a: {port: "${PORT}"}
            flag: ${FLAG}
            age: ${AGE}
            labels: {rack: "r-${PORT}"}
            """);
    assertThat(in.find(TEXTS)).contains(List.of("10.1.2.3", "b"));
    assertThat(in.find(PORT)).contains(9500);
    assertThat(in.find(FLAG)).contains(true);
    assertThat(in.find(AGE)).contains(Duration.ofSeconds(15));
    assertThat(in.find(LABELS)).contains(Map.of("rack", "r-9500"));
    in.finish();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "${NOPE}|text: ${NOPE} is not allowed; the environment has no variable NOPE",
        "${A-b}|text: ${A-b} is not allowed; allowed is ${NAME} with a variable of the environment,"
            + " ${file:/path}, or $${ for the two characters themselves",
        "a${HOST|text: ${HOST is not allowed; allowed is ${NAME} with a variable of the"
            + " environment, ${file:/path}, or $${ for the two characters themselves",
        "${}|text: ${} is not allowed; allowed is ${NAME} with a variable of the environment,"
            + " ${file:/path}, or $${ for the two characters themselves",
        "${file:a}|text: ${file:a} is not allowed; the path of the file has to begin with /",
        "${file:/no/such}|text: ${file:/no/such} is not allowed; there is no such file",
        "${file:/proc}|text: ${file:/proc} is not allowed; it is not a file",
      })
  void whatCannotBeReplacedIsRefusedWithKeyValueAndReason(String written, String problem)
      throws ConfigException {
    assertThat(problems("text: '" + written + "'", TEXT)).containsExactly(problem);
  }

  @Test
  void everyPlaceholderThatCannotBeReplacedIsAProblemOfItsOwn() throws ConfigException {
    assertThat(problems("texts: ['${A}', '${HOST}', '${B}${C}']", TEXTS))
        .containsExactly(
            "texts[0]: ${A} is not allowed; the environment has no variable A",
            "texts[2]: ${B} is not allowed; the environment has no variable B",
            "texts[2]: ${C} is not allowed; the environment has no variable C");
  }

  @ParameterizedTest
  @CsvSource({"'s3cret\n', s3cret", "'s3cret\r\n', s3cret", "'s3cret\n\n', 's3cret\n'", "s3, s3"})
  void oneNewlineAtTheEndOfAFileIsLeftOut(String contents, String value) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), contents);
    assertThat(text("${file:" + file + "}")).isEqualTo(value);
  }

  @Test
  void whatIsInAFileIsNotSearchedForPlaceholders() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "${HOST}");
    assertThat(text("${file:" + file + "}")).isEqualTo("${HOST}");
  }

  @Test
  void aFileThatIsTooLongOrNotTextIsRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("long"), "a".repeat((64 << 10) + 1));
    assertThat(problems("text: ${file:" + file + "}", TEXT).getFirst())
        .endsWith("the file is longer than 64KiB");
    Files.write(file, new byte[] {'a', (byte) 0xff});
    assertThat(problems("text: ${file:" + file + "}", TEXT).getFirst())
        .endsWith("the file is not text in UTF-8");
  }

  @Test
  void messagesNeverShowWhatIsInAFile() throws IOException, ConfigException {
    Path file = Files.writeString(folder.resolve("secret"), "s3cret");
    String secret = "${file:" + file + "}";
    assertThat(problems("a: {port: '" + secret + "'}", PORT))
        .containsExactly(
            "a.port: " + secret + " is not allowed; allowed is a whole number from 0 to 65535");
    assertThat(problems("text: {a: ['" + secret + "']}", TEXT).toString())
        .contains(secret)
        .doesNotContain("s3cret");
    assertThat(problems("other: '" + secret + "'", TEXT).toString()).doesNotContain("s3cret");
  }

  @Test
  void messagesShowTheValueOfAVariable() throws ConfigException {
    assertThat(problems("a: {port: '${HOST}'}", PORT))
        .containsExactly(
            "a.port: 10.1.2.3 (from ${HOST}) is not allowed; allowed is a whole number from 0 to"
                + " 65535");
  }
}
