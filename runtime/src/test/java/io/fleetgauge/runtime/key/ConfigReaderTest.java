package io.fleetgauge.runtime.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
  private static final Key<Integer> PORT = Key.of("http.port", KeyType.port(), 9400, "The port.");
  private static final Key<String> NAME = Key.required("name", KeyType.text(), "The name.");
  private static final Key<String> ZONE = Key.optional("zone", KeyType.text(), "The zone.");
  private static final Key<Integer> QUEUE =
      Key.derived("queue", KeyType.integer(1, 100), "twice the cores", "The queue.");

  private static ConfigReader reader(String yaml) throws ConfigException {
    return new ConfigReader("a.yaml", yaml);
  }

  private static List<String> problems(ConfigReader in) {
    return catchThrowableOfType(ConfigException.class, in::finish).problems();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# only a comment", "---", "http:", "http: {port: }", "http: {}"})
  void aMissingOrEmptyKeyHasItsDefault(String yaml) throws ConfigException {
    ConfigReader in = reader(yaml);
    assertThat(in.get(PORT)).isEqualTo(9400);
    assertThat(in.get(QUEUE, 16)).isEqualTo(16);
    assertThat(in.find(ZONE)).isEmpty();
    assertThat(in.has(PORT)).isFalse();
    in.finish();
  }

  @Test
  void aKeyThatIsThereReplacesItsDefault() throws ConfigException {
    ConfigReader in = reader("{http: {port: 1}, name: n, zone: z, queue: 3}");
    assertThat(in.get(PORT)).isEqualTo(1);
    assertThat(in.get(NAME)).isEqualTo("n");
    assertThat(in.find(ZONE)).contains("z");
    assertThat(in.get(QUEUE, 16)).isEqualTo(3);
    assertThat(in.has(PORT)).isTrue();
    in.finish();
  }

  @Test
  void aMissingKeyThatIsRequiredIsAProblem() throws ConfigException {
    ConfigReader in = reader("");
    assertThat(in.find(NAME)).isEmpty();
    assertThat(problems(in))
        .containsExactly("name: the key is missing; text that is not blank is required");
  }

  @Test
  void aWrongValueIsAProblemAndReadingGoesOnWithTheDefault() throws ConfigException {
    ConfigReader in = reader("http: {port: 70000}");
    assertThat(in.get(PORT)).isEqualTo(9400);
    assertThat(in.has(PORT)).as("the key is there, although its value is wrong").isTrue();
    assertThat(problems(in)).singleElement().asString().startsWith("http.port: 70000 is not");
  }

  @Test
  void anotherKeyMayNarrowWhatIsAllowed() throws ConfigException {
    ConfigReader in = reader("queue: 50");
    assertThat(in.get(QUEUE, KeyType.integer(1, 50), 7)).isEqualTo(50);
    assertThat(in.get(QUEUE, KeyType.integer(1, 49), 7)).isEqualTo(7);
    assertThat(problems(in))
        .containsExactly("queue: 50 is not allowed; allowed is a whole number from 1 to 49");
  }

  @Test
  void oneReadingFindsEveryProblemAndTheMessageCountsAndListsThem() throws ConfigException {
    ConfigReader in = reader("{http: {port: x, hots: y}, colour: red, zone: ' '}");
    in.get(PORT);
    in.find(ZONE);
    in.find(NAME);
    in.problem("queue and zone exclude each other");
    assertThat(problems(in)).hasSize(6);
    assertThatThrownBy(in::finish)
        .hasMessageStartingWith("a.yaml has ")
        .hasMessageContaining("\n  - ");
  }

  @Test
  void aSingleProblemIsCountedInTheSingular() throws ConfigException {
    ConfigReader in = reader("");
    in.problem("it is wrong");
    assertThatThrownBy(in::finish).hasMessage("a.yaml has 1 problem:\n  - it is wrong");
  }

  @Test
  void anUnknownKeyIsNamedWithTheKeysThatAreKnownBesideIt() throws ConfigException {
    ConfigReader in = reader("{http: {hots: x}, zoen: y}");
    in.get(PORT);
    in.find(ZONE);
    in.names("tenants", "NAME");
    assertThat(problems(in))
        .containsExactly(
            "http.hots: no such key; known here are port",
            "zoen: no such key; known here are http, tenants, zone");
  }

  @Test
  void aSectionThatIsNotAMapIsAProblem() throws ConfigException {
    ConfigReader in = reader("http: 80");
    assertThat(in.get(PORT)).isEqualTo(9400);
    assertThat(problems(in)).containsExactly("http: 80 is not allowed; allowed is a map of keys");
  }

  @Test
  void theNamesOfASectionAreSortedAndTheKeysBelowThemAreRead() throws ConfigException {
    ConfigReader in = reader("tenants: {b: {zone: x}, a: {zone: y, other: z}}");
    List<String> names = in.names("tenants", "NAME");
    assertThat(names).containsExactly("a", "b");
    assertThat(names.stream().map(name -> in.find(ZONE.in("tenants." + name)).orElse("")))
        .containsExactly("y", "x");
    assertThat(problems(in)).containsExactly("tenants.a.other: no such key; known here are zone");
    assertThat(reader("").names("tenants", "NAME")).isEmpty();
  }

  @Test
  void aSectionOfNamesBelowAnotherIsKnownAlthoughItIsEmpty() throws ConfigException {
    ConfigReader in = reader("a: {names: }");
    assertThat(in.names("a.names", "NAME")).isEmpty();
    in.finish();
  }

  @ParameterizedTest
  @ValueSource(strings = {"- a", "text", "7", "true"})
  void theTopIsAMap(String yaml) {
    assertThatThrownBy(() -> reader(yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessage("a.yaml has 1 problem:\n  - a map of keys is expected at the top");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a: [", "a: b: c", "\ta: b", "a: 'b"})
  void textThatIsNotYamlIsOneProblem(String yaml) {
    assertThatThrownBy(() -> reader(yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("a.yaml has 1 problem:\n  - not YAML: ");
  }

  @Test
  void theKeysThatSomeCodeReadsAreListedInItsOrderWithAPlaceholderForEachName() {
    List<Key<?>> keys =
        ConfigReader.keysReadBy(
            in -> {
              in.find(ZONE);
              for (String name : in.names("tenants", "NAME")) {
                in.get(PORT.in("tenants." + name));
              }
              in.find(NAME);
            });
    assertThat(keys.stream().map(Key::name))
        .containsExactly("zone", "tenants.NAME.http.port", "name");
  }

  @Test
  void aKeySaysWhatHoldsWhenItIsMissing() {
    assertThat(PORT.fallbackText()).isEqualTo("`9400`");
    assertThat(ZONE.fallbackText()).isEqualTo("none");
    assertThat(NAME.fallbackText()).isEqualTo("required");
    assertThat(QUEUE.fallbackText()).isEqualTo("twice the cores");
    assertThat(List.of(PORT.isRequired(), ZONE.isRequired(), NAME.isRequired(), QUEUE.isRequired()))
        .containsExactly(false, false, true, false);
  }

  @Test
  void aKeyBelowASectionDiffersOnlyInItsName() {
    assertThat(PORT.in("tenants.a"))
        .isEqualTo(
            new Key<>(
                "tenants.a.http.port",
                PORT.type(),
                Optional.of(9400),
                "`9400`",
                /* isRequired */ false,
                "The port."));
  }
}
