package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers in the shapes of the public documentation of Kubernetes, Consul and Prometheus. */
class AnswersTest {
  static final String SLICES =
      """
      {"kind": "EndpointSliceList", "apiVersion": "discovery.k8s.io/v1",
       "metadata": {"resourceVersion": "10245"},
       "items": [
        {"metadata": {"name": "gateway-abc", "namespace": "fleetgauge",
          "labels": {"kubernetes.io/service-name": "gateway"}},
         "addressType": "IPv4",
         "endpoints": [
          {"addresses": ["10.1.2.3"], "conditions": {"ready": true, "serving": true,
           "terminating": false}, "hostname": "gateway-0", "nodeName": "n1", "zone": "z1",
           "targetRef": {"kind": "Pod", "name": "gateway-0", "namespace": "fleetgauge"}},
          {"addresses": ["10.1.2.4"], "conditions": {"ready": false, "serving": false,
           "terminating": false}},
          {"addresses": ["10.1.2.5"], "conditions": {"ready": false, "serving": true,
           "terminating": true}},
          {"addresses": ["10.1.2.6"]}],
         "ports": [{"name": "http", "protocol": "TCP", "port": 9500},
          {"name": "members", "protocol": "TCP", "port": 5701}]},
        {"metadata": {"name": "gateway-def"}, "addressType": "IPv6",
         "endpoints": [{"addresses": ["fd00::1"], "conditions": {"ready": true}}],
         "ports": [{"name": "http", "protocol": "TCP", "port": 9500}]},
        {"metadata": {"name": "gateway-ghi"}, "addressType": "IPv4", "endpoints": null,
         "ports": null}]}
      """;

  static final String INSTANCES =
      """
      [{"Node": {"ID": "40e4a748", "Node": "n1", "Address": "10.1.10.12", "Datacenter": "dc1"},
        "Service": {"ID": "gateway-1", "Service": "gateway", "Tags": ["primary"],
         "Address": "10.1.10.13", "Meta": {"version": "4.0"}, "Port": 5701,
         "Weights": {"Passing": 10, "Warning": 1}},
        "Checks": [{"Node": "n1", "CheckID": "service:gateway-1", "Status": "passing"},
         {"Node": "n1", "CheckID": "serfHealth", "Status": "passing"}]},
       {"Node": {"Node": "n2", "Address": "10.1.10.20"},
        "Service": {"ID": "gateway-2", "Service": "gateway", "Address": "", "Port": 0},
        "Checks": [{"CheckID": "serfHealth", "Status": "passing"}]},
       {"Node": {"Node": "n3", "Address": "10.1.10.30"},
        "Service": {"ID": "gateway-3", "Service": "gateway", "Address": "", "Port": 5701},
        "Checks": [{"CheckID": "serfHealth", "Status": "critical"}]}]
      """;

  static final String FILE = "- 10.0.0.1\n- gw.example.org:5702\n- '[fd00::1]:5703'\n";

  /** What an answer is read as. */
  enum Form {
    KUBERNETES(SLICES),
    CONSUL(INSTANCES),
    YAML(FILE),
    FILE_SD("[{\"targets\": [\"10.0.0.1:9500\", \"10.0.0.2:9500\"], \"labels\": {\"a\": \"b\"}}]");

    final byte[] whole;

    Form(String whole) {
      this.whole = whole.getBytes(StandardCharsets.UTF_8);
    }

    Lookup.Addresses found(byte[] body, int max) throws BadAnswer {
      return switch (this) {
        case KUBERNETES -> KubernetesAnswer.addresses(body, Optional.of("http"), 5701, true, max);
        case CONSUL -> ConsulAnswer.addresses(body, 5701, max);
        case YAML, FILE_SD -> AddressList.ofFile(body, 5701, max);
      };
    }

    List<String> read(byte[] body, int max) throws BadAnswer {
      return found(body, max).addresses();
    }

    List<String> read(String body) throws BadAnswer {
      return read(body.getBytes(StandardCharsets.UTF_8), 100);
    }
  }

  private static Reason reason(Form form, String body) {
    return catchThrowableOfType(BadAnswer.class, () -> form.read(body)).reason();
  }

  private static List<String> slices(String portName, boolean hasNotReady) throws BadAnswer {
    return KubernetesAnswer.addresses(
            Form.KUBERNETES.whole, Optional.ofNullable(portName), 7, hasNotReady, 100)
        .addresses();
  }

  @Test
  void endpointsOfKubernetesAreThoseThatDoNotTerminate() throws BadAnswer {
    assertThat(slices("http", true))
        .containsExactly("10.1.2.3:9500", "10.1.2.4:9500", "10.1.2.6:9500", "[fd00::1]:9500");
    assertThat(slices("members", true))
        .containsExactly("10.1.2.3:5701", "10.1.2.4:5701", "10.1.2.6:5701");
    assertThat(slices(null, false)).containsExactly("10.1.2.3:7", "10.1.2.6:7", "[fd00::1]:7");
  }

  @Test
  void aPortThatTheServiceDoesNotHaveIsNamed() {
    BadAnswer failure = catchThrowableOfType(BadAnswer.class, () -> slices("htp", true));
    assertThat(failure.reason()).isEqualTo(Reason.EMPTY);
    assertThat(failure).hasMessage("the Service has no port named \"htp\"");
  }

  @Test
  void instancesOfConsulAreThoseThatPassAllChecks() throws BadAnswer {
    assertThat(ConsulAnswer.addresses(Form.CONSUL.whole, 9, 100).addresses())
        .containsExactly("10.1.10.13:5701", "10.1.10.20:9");
  }

  @Test
  void aFileListsAddressesOrTargets() throws BadAnswer {
    assertThat(Form.YAML.read(FILE))
        .containsExactly("10.0.0.1:5701", "[fd00::1]:5703", "gw.example.org:5702");
    assertThat(Form.YAML.read("[\"b:2\", \"a:1\", \"b:2\"]")).containsExactly("a:1", "b:2");
    assertThat(Form.YAML.read("# comment\n- targets: [a, 'b:2']\n  labels: {x: y}\n- c\n"))
        .containsExactly("a:5701", "b:2", "c:5701");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "KUBERNETES|{}|MALFORMED",
        "KUBERNETES|[]|MALFORMED",
        "KUBERNETES|{\"kind\":\"Status\",\"code\":403}|MALFORMED",
        "KUBERNETES|{\"kind\":\"EndpointSliceList\",\"items\":{}}|MALFORMED",
        "KUBERNETES|{\"kind\":\"EndpointSliceList\",\"items\":[]}|EMPTY",
        "KUBERNETES|{\"kind\":\"EndpointSliceList\"}|EMPTY",
        "CONSUL|[]|EMPTY",
        "CONSUL|{}|MALFORMED",
        "CONSUL|[1]|MALFORMED",
        "CONSUL|null|MALFORMED",
        "CONSUL|[{\"Service\":{\"Address\":\"a b\",\"Port\":1}}]|MALFORMED",
        "CONSUL|[{\"Service\":{\"Address\":\"a\",\"Port\":70000}}]|MALFORMED",
        "CONSUL|<html>|MALFORMED",
        "YAML|a: b|MALFORMED",
        "YAML|- {a: b}|MALFORMED",
        "YAML|- 'http://a:1'|MALFORMED",
        "YAML|- a:99999|MALFORMED",
        "YAML|- a_b:1|MALFORMED",
        "YAML|- {targets: [1]}|MALFORMED",
        "YAML|[]|EMPTY",
        "YAML|# nothing|EMPTY",
        "YAML|- '[::1]:0'|MALFORMED",
      })
  void whatHasNoAddressesIsRefusedWithAReason(Form form, String body, Reason reason) {
    assertThat(reason(form, body)).isEqualTo(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CONSUL|[1,{\"Service\":{\"Address\":\"a\",\"Port\":1},\"Checks\":7}]|an instance is",
        "CONSUL|[{\"Service\":{\"Address\":\"a\",\"Port\":1}},"
            + "{\"Service\":{\"Address\":\"b c\",\"Port\":1}}]|\"b c\" is not the name",
        "YAML|['a:1', {b: c}]|an item is \"{\"b\":\"c\"}\"",
        "YAML|['a:1', 'http://b:1']|an item is \"http://b:1\"",
        "YAML|- {targets: [1, 'a:1']}|a target is \"\"",
        "YAML|['a:1', 'b:99999']|99999 is not a port",
      })
  void anEntryThatIsNoAddressCostsNoOther(Form form, String body, String why) throws BadAnswer {
    Lookup.Addresses found = form.found(body.getBytes(StandardCharsets.UTF_8), 100);
    assertThat(found.addresses()).containsExactly("a:1");
    assertThat(found.leftOut()).hasValueSatisfying(text -> assertThat(text).contains(why));
  }

  @Test
  void entriesThatAreLeftOutAreCounted() throws BadAnswer {
    byte[] body = "[a, 'b c', 'd e']".getBytes(StandardCharsets.UTF_8);
    assertThat(Form.YAML.found(body, 100).leftOut())
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("2 entries are left out, the first"));
    assertThat(Form.YAML.found(Form.YAML.whole, 100).leftOut()).isEmpty();
  }

  @Test
  void anAnswerWithTooManyAddressesIsRefused() {
    String many =
        IntStream.range(0, 101).mapToObj(i -> "- a" + i + ":1\n").collect(Collectors.joining());
    assertThat(reason(Form.YAML, many)).isEqualTo(Reason.TOO_MANY);
  }

  @Test
  void asManyAddressesAsTheLimitAreTakenEachOnce() throws BadAnswer {
    String many =
        IntStream.range(0, 100).mapToObj(i -> "- a" + i + ":1\n").collect(Collectors.joining());
    assertThat(Form.YAML.read(many + "- a7:1\n")).hasSize(100).contains("a99:1");
    assertThat(Form.YAML.read("[\"a:1\", \"b:65535\"]")).containsExactly("a:1", "b:65535");
    assertThat(reason(Form.YAML, "- a:65536")).isEqualTo(Reason.MALFORMED);
    assertThat(AddressList.union(List.of("b:1", "a:1"), List.of("c:1", "b:1")))
        .as("those that are listed come first")
        .containsExactly("b:1", "a:1", "c:1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  void anAnswerOfDeepNestingIsRefused(String opening) {
    assertThat(reason(Form.CONSUL, opening.repeat(200_000))).isEqualTo(Reason.MALFORMED);
    assertThat(reason(Form.YAML, opening.repeat(20_000))).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void messagesShowTheBeginningInOneLine() {
    BadAnswer failure =
        catchThrowableOfType(
            BadAnswer.class, () -> Form.CONSUL.read("{\"a\":\"\\n" + "x".repeat(1_000) + "\"}"));
    assertThat(failure.getMessage()).hasSizeLessThan(200).doesNotContain("\n");
    assertThat(AddressList.shown("a\tb" + "x".repeat(77)))
        .isEqualTo("\"a?b" + "x".repeat(77) + "\"");
    assertThat(AddressList.shown("x".repeat(81))).isEqualTo("\"" + "x".repeat(80) + "...\"");
    assertThat(AddressList.shown(new byte[0])).isEqualTo("\"\"");
  }

  /** Bytes are changed, left out, repeated and cut off: never another failure than BadAnswer. */
  @ParameterizedTest
  @EnumSource(Form.class)
  void ofSomeDamagedAnswersEachIsReadOrRefused(Form form) {
    eachOfManyIsReadOrRefused(form, 400);
  }

  /**
   * YAML is read slowly, so fewer files than answers unless a property says how many.
   *
   * @see #ofSomeDamagedAnswersEachIsReadOrRefused
   */
  @ParameterizedTest
  @EnumSource(Form.class)
  @Tag("slow")
  void ofManyDamagedAnswersEachIsReadOrRefused(Form form) {
    boolean isFile = form == Form.YAML || form == Form.FILE_SD;
    eachOfManyIsReadOrRefused(
        form, Integer.getInteger("fleetgauge.discovery.damaged", isFile ? 10_000 : 100_000));
  }

  private static void eachOfManyIsReadOrRefused(Form form, int many) {
    SplittableRandom random = new SplittableRandom(form.ordinal() + 24);
    int refused = 0;
    for (int i = 0; i < many; i++) {
      byte[] damaged = damaged(form.whole, random);
      try {
        List<String> found = form.read(damaged, 100);
        if (found.isEmpty() || !found.stream().allMatch(AnswersTest::isAddress)) {
          assertThat(found).as(new String(damaged, StandardCharsets.UTF_8)).isNotEmpty();
          assertThat(found).allMatch(AnswersTest::isAddress);
        }
      } catch (BadAnswer e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(many / 10, many - 1);
  }

  private static boolean isAddress(String text) {
    return text.matches("([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}");
  }

  private static byte[] damaged(byte[] whole, SplittableRandom random) {
    byte[] bytes = whole.clone();
    for (int n = random.nextInt(1, 6); n > 0; n--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] = whole[random.nextInt(whole.length)];
        case 2 -> {
          byte[] shorter = new byte[Math.max(1, bytes.length - random.nextInt(1, 20))];
          System.arraycopy(bytes, 0, shorter, 0, Math.min(at, shorter.length));
          bytes = shorter.length > at ? joined(bytes, at, shorter) : shorter;
        }
        default -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
      }
    }
    return bytes;
  }

  /** The end of {@code bytes} behind the first {@code at} of {@code shorter}. */
  private static byte[] joined(byte[] bytes, int at, byte[] shorter) {
    int rest = shorter.length - at;
    System.arraycopy(bytes, bytes.length - rest, shorter, at, rest);
    return shorter;
  }
}
