package io.fleetgauge.runtime.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** For every type: the values that it reads, the values that it rejects, and what it prints. */
class KeyTypeTest {
  private enum Colour {
    DARK_RED,
    BLUE
  }

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** What reading one value gives: the value, or the problems. */
  private record Read<T>(Optional<T> value, List<String> problems) {}

  private static <T> Read<T> read(KeyType<T> type, String yaml) {
    try {
      ConfigReader in = new ConfigReader("f", "key: " + yaml);
      Optional<T> value = in.find(Key.optional("key", type, "A key."));
      try {
        in.finish();
        return new Read<>(value, List.of());
      } catch (ConfigException e) {
        return new Read<>(value, e.problems());
      }
    } catch (ConfigException e) {
      throw new AssertionError(e); // the test's own YAML is wrong
    }
  }

  private static Arguments good(KeyType<?> type, String yaml, Object value) {
    return Arguments.of(type, yaml, value);
  }

  private static Stream<Arguments> allowedValues() {
    return Stream.of(
        good(KeyType.text(), "a b", "a b"),
        good(KeyType.text(), "7", "7"),
        good(KeyType.path(), "/no/such/folder", Path.of("/no/such/folder")),
        good(KeyType.pattern(), "'DCGM_.*|up'", "DCGM_.*|up"),
        good(KeyType.integer(-3, 7), "-3", -3),
        good(KeyType.integer(-3, 7), "7", 7),
        good(KeyType.integer(0L, 1L << 40), "1099511627776", 1L << 40),
        good(KeyType.port(), "0", 0),
        good(KeyType.port(), "65535", 65_535),
        good(KeyType.size(1, 4096), "1B", 1),
        good(KeyType.size(1, 4096), "4KiB", 4096),
        good(KeyType.size(1L, 1L << 40), "1TiB", 1L << 40),
        good(KeyType.duration(MINUTE, Duration.ofHours(1)), "1m", MINUTE),
        good(KeyType.duration(MINUTE, Duration.ofHours(1)), "60s", MINUTE),
        good(KeyType.duration(MINUTE, Duration.ofHours(1)), "1h", Duration.ofHours(1)),
        good(KeyType.flag(), "true", true),
        good(KeyType.flag(), "false", false),
        good(KeyType.choice(Colour.class), "dark_red", Colour.DARK_RED),
        good(KeyType.listOf(KeyType.port(), 1), "[1, 2, 1]", List.of(1, 2, 1)),
        good(KeyType.listOf(KeyType.port(), 0), "[]", List.of()),
        good(KeyType.labels(), "{_a1: x, B: 7}", Map.of("_a1", "x", "B", "7")),
        good(KeyType.labels(), "{}", Map.of()));
  }

  @ParameterizedTest
  @MethodSource("allowedValues")
  <T> void aValueThatIsAllowedIsRead(KeyType<T> type, String yaml, T value) {
    assertThat(read(type, yaml)).isEqualTo(new Read<>(Optional.of(value), List.of()));
  }

  private static Stream<Arguments> rejectedValues() {
    KeyType<Duration> duration = KeyType.duration(MINUTE, Duration.ofHours(1));
    return Stream.of(
        Arguments.of(KeyType.text(), "' '", " "),
        Arguments.of(KeyType.text(), "{a: b}", "{\"a\":\"b\"}"),
        Arguments.of(KeyType.path(), "[a]", "[\"a\"]"),
        Arguments.of(KeyType.pattern(), "'('", "("),
        Arguments.of(KeyType.integer(-3, 7), "-4", "-4"),
        Arguments.of(KeyType.integer(-3, 7), "8", "8"),
        Arguments.of(KeyType.integer(-3, 7), "1.0", "1.0"),
        Arguments.of(KeyType.integer(-3, 7), "'1'", "1"),
        Arguments.of(KeyType.integer(0L, 1L << 40), "18446744073709551617", "18446744073709551617"),
        Arguments.of(KeyType.port(), "65536", "65536"),
        Arguments.of(KeyType.port(), "-1", "-1"),
        Arguments.of(KeyType.size(1, 4096), "0B", "0B"),
        Arguments.of(KeyType.size(1, 4096), "4097B", "4097B"),
        Arguments.of(KeyType.size(1, 4096), "1", "1"),
        Arguments.of(duration, "59s", "59s"),
        Arguments.of(duration, "3601s", "3601s"),
        Arguments.of(duration, "60", "60"),
        Arguments.of(KeyType.flag(), "'true'", "true"),
        Arguments.of(KeyType.flag(), "1", "1"),
        Arguments.of(KeyType.choice(Colour.class), "DARK_RED", "DARK_RED"),
        Arguments.of(KeyType.choice(Colour.class), "green", "green"),
        Arguments.of(KeyType.file(), "' '", " "),
        Arguments.of(KeyType.file(), "[a]", "[\"a\"]"),
        Arguments.of(KeyType.listOf(KeyType.port(), 1), "[]", "[]"),
        Arguments.of(KeyType.listOf(KeyType.port(), 0), "1", "1"),
        Arguments.of(KeyType.labels(), "[a]", "[\"a\"]"));
  }

  @ParameterizedTest
  @MethodSource("rejectedValues")
  void aValueThatIsNotAllowedIsNamedWithItsKeyAndWhatIsAllowed(
      KeyType<?> type, String yaml, String shown) {
    Read<?> read = read(type, yaml);
    assertThat(read.value()).isEmpty();
    assertThat(read.problems())
        .containsExactly("key: " + shown + " is not allowed; allowed is " + type.allowed());
  }

  private static Stream<Arguments> descriptions() {
    KeyType<Integer> port = KeyType.port();
    return Stream.of(
        Arguments.of(KeyType.text(), "text", "", "text that is not blank"),
        Arguments.of(KeyType.path(), "path", "", "a path"),
        Arguments.of(KeyType.pattern(), "regular expression", "", "a regular expression"),
        Arguments.of(port, "integer", "0 to 65535", "a whole number from 0 to 65535"),
        Arguments.of(
            KeyType.size(1 << 10, 3 << 20),
            "size",
            "1KiB to 3MiB",
            "a size from 1KiB to 3MiB in B, KiB, MiB, GiB or TiB, such as 64MiB"),
        Arguments.of(
            KeyType.duration(MINUTE, Duration.ofDays(2)),
            "duration",
            "1m to 2d",
            "a duration from 1m to 2d in ms, s, m, h or d, such as 15s"),
        Arguments.of(KeyType.flag(), "boolean", "true or false", "true or false"),
        Arguments.of(
            KeyType.choice(Colour.class), "word", "dark_red, blue", "one of dark_red, blue"),
        Arguments.of(KeyType.file(), "file", "a readable file", "a readable file"),
        Arguments.of(
            KeyType.listOf(port, 1),
            "list of integer",
            "0 to 65535",
            "a list, each item a whole number from 0 to 65535"),
        Arguments.of(
            KeyType.labels(),
            "map of labels",
            "label names of letters, digits and underscores",
            "a map of labels"));
  }

  @ParameterizedTest
  @MethodSource("descriptions")
  void aTypeDescribesItselfForThePageAndForErrors(
      KeyType<?> type, String name, String range, String allowed) {
    assertThat(type.name()).isEqualTo(name);
    assertThat(type.range()).isEqualTo(range);
    assertThat(type.allowed()).isEqualTo(allowed);
  }

  private static Stream<Arguments> valuesThatArePrinted() {
    return Stream.of(
        Arguments.of(KeyType.text(), "a", "a"),
        Arguments.of(KeyType.path(), Path.of("/data"), "/data"),
        Arguments.of(KeyType.pattern(), "a.*", "a.*"),
        Arguments.of(KeyType.port(), 9400, "9400"),
        Arguments.of(KeyType.size(0L, 1L << 40), 64L << 20, "64MiB"),
        Arguments.of(KeyType.duration(MINUTE, MINUTE), Duration.ofSeconds(90), "90s"),
        Arguments.of(KeyType.flag(), true, "true"),
        Arguments.of(KeyType.choice(Colour.class), Colour.DARK_RED, "dark_red"),
        Arguments.of(KeyType.file(), Path.of("a.pem"), "a.pem"),
        Arguments.of(KeyType.listOf(KeyType.port(), 0), List.of(1, 2), "[1, 2]"),
        Arguments.of(KeyType.labels(), Map.of("b", "2", "a", "1"), "{a=1, b=2}"));
  }

  @ParameterizedTest
  @MethodSource("valuesThatArePrinted")
  <T> void aValueIsPrintedAsItIsWrittenInAFile(KeyType<T> type, T value, String printed) {
    assertThat(type.print(value)).isEqualTo(printed);
  }

  @Test
  void everyWrongItemOfAListIsNamed() {
    Read<List<Integer>> read = read(KeyType.listOf(KeyType.port(), 1), "[1, x, 70000]");
    assertThat(read.value()).isEmpty();
    assertThat(read.problems())
        .containsExactly(
            "key: x is not allowed; allowed is a whole number from 0 to 65535",
            "key: 70000 is not allowed; allowed is a whole number from 0 to 65535");
  }

  @ParameterizedTest
  @CsvSource({"1a", "a-b", "a.b", "''", "ä"})
  void aWrongLabelNameIsNamedAsAKeyBelowTheMap(String name) {
    assertThat(read(KeyType.labels(), "{\"" + name + "\": x, good: y}").problems())
        .containsExactly(
            "key."
                + name
                + ": x is not allowed; allowed is a label name of letters, digits and underscores"
                + " with a text");
  }

  @Test
  void aLabelsValueIsATextAndNotAListOrAMap() {
    assertThat(read(KeyType.labels(), "{a: [x], b: {c: d}}").problems())
        .hasSize(2)
        .anyMatch(each -> each.startsWith("key.a: [\"x\"] is not allowed"))
        .anyMatch(each -> each.startsWith("key.b: {\"c\":\"d\"} is not allowed"));
  }

  @Test
  void aFileMustExistWhenTheConfigurationIsRead(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("cert.pem");
    assertThat(read(KeyType.file(), file.toString()))
        .isEqualTo(
            new Read<>(Optional.empty(), List.of("key: the file " + file + " cannot be read")));
    Files.writeString(file, "");
    assertThat(read(KeyType.file(), file.toString()).value()).contains(file);
  }

  @Test
  void aFormIsReadByItsOwnFunctionAndSaysWhatItsFormIs() {
    KeyType<Integer> even =
        KeyType.form(
            "even number",
            "a number that ends in 0",
            String::valueOf,
            text -> text.endsWith("0") ? Optional.of(Integer.valueOf(text)) : Optional.empty());
    assertThat(even.name()).isEqualTo("even number");
    assertThat(even.range()).isEqualTo("a number that ends in 0");
    assertThat(even.print(10)).isEqualTo("10");
    assertThat(read(even, "10").value()).contains(10);
    assertThat(read(even, "11").problems())
        .containsExactly("key: 11 is not allowed; allowed is a number that ends in 0");
  }

  @Test
  void anErrorNeverRepeatsASecret() {
    KeyType<String> secret = KeyType.secretForm("hash", "64 hex digits", text -> Optional.empty());
    assertThat(read(secret, "hunter2").problems())
        .containsExactly("key: the value is not allowed; allowed is 64 hex digits");
    assertThat(read(secret, "[hunter2]").problems())
        .containsExactly("key: the value is not allowed; allowed is 64 hex digits");
  }
}
