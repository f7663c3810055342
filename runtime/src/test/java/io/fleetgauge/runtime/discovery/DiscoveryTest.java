package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class DiscoveryTest {
  @TempDir private Path folder;
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final List<List<String>> heard = new CopyOnWriteArrayList<>();
  private final Meters meters = new Meters("t");
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("gateways.yaml");
  }

  private DiscoverySettings settings(Path list) {
    return settings(list, Duration.ofSeconds(3));
  }

  private DiscoverySettings settings(Path list, Duration timeout) {
    return new DiscoverySettings(
        DiscoverySettings.OF_PROBE,
        new Source.Listed(list, 9500),
        Duration.ofMillis(20),
        timeout,
        Optional.of(folder.resolve("new/cache")),
        10,
        1_024,
        false);
  }

  private Discovery start(Vertx vertx, String... listed) {
    Discovery discovery =
        Discovery.start(vertx, settings(file), List.of(listed), clock::get, heard::add);
    discovery.declare(meters);
    return discovery;
  }

  private String metrics() {
    return new String(meters.exposition(), StandardCharsets.UTF_8);
  }

  @Tag("slow")
  @Test
  void aFileIsReadAgainWhenItChangesAndKeptWhenItIsDamaged(Vertx vertx) throws Exception {
    Files.writeString(file, "[g1, 'g2:9501']");
    try (Discovery discovery = start(vertx, "listed:1")) {
      await().until(() -> discovery.addresses().size() == 3);
      assertThat(discovery.addresses()).containsExactly("listed:1", "g1:9500", "g2:9501");
      clock.addAndGet(2_000);
      for (String bad : List.of("", "[]", "{", "- a b", "- g\n".repeat(1_000))) {
        Files.writeString(file, bad);
        long before = failures();
        await().until(() -> failures() > before);
        assertThat(discovery.addresses()).as(bad).hasSize(3);
        // After a good answer, the next pause is a short one.
        long answers = answers();
        Files.writeString(file, "[g1, 'g2:9501']");
        await().until(() -> answers() > answers);
      }
      clock.addAndGet(5_000);
      assertThat(metrics())
          .contains("t_discovery_addresses 2.0")
          .contains("t_discovery_from_cache 0.0")
          .contains("result=\"too_long\"");
      Files.writeString(file, "[g3, {a: b}]");
      await().until(() -> discovery.addresses().equals(List.of("listed:1", "g3:9500")));
      await().until(() -> !metrics().contains("result=\"partial\"} 0.0"));
      assertThat(heard.getFirst()).containsExactly("listed:1", "g1:9500", "g2:9501");
      assertThat(heard.getLast()).containsExactly("listed:1", "g3:9500");
      await().until(() -> metrics().contains("t_discovery_age_seconds 0.0"));
    }
  }

  private long failures() {
    return Stream.of(BadAnswer.Reason.values()).mapToLong(each -> questions(each.label())).sum();
  }

  private long answers() {
    return questions("answered");
  }

  private long questions(String result) {
    return metrics()
        .lines()
        .filter(line -> line.startsWith("t_discovery_questions_total"))
        .filter(line -> line.contains("\"" + result + "\""))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void addressesOfTheLastRunAreUsedWhileNobodyAnswers(Vertx vertx) throws Exception {
    Files.writeString(file, "[g1, g2]");
    Path cache = folder.resolve("new/cache");
    try (Discovery discovery = start(vertx)) {
      await().until(() -> Files.exists(cache));
      assertThat(discovery.addresses()).containsExactly("g1:9500", "g2:9500");
    }
    Files.delete(file);
    clock.addAndGet(60_000);
    try (Discovery again =
        Discovery.start(vertx, settings(file), List.of(), clock::get, heard::add)) {
      assertThat(again.addresses()).as("at once").containsExactly("g1:9500", "g2:9500");
      Meters others = new Meters("t");
      again.declare(others);
      assertThat(new String(others.exposition(), StandardCharsets.UTF_8))
          .contains("t_discovery_age_seconds 60.0")
          .contains("t_discovery_from_cache 1.0");
      Files.writeString(file, "[g3]");
      await().until(() -> again.addresses().equals(List.of("g3:9500")));
    }
  }

  @Test
  void addressesAreThoseOfTheListAndOfTheLastAnswer(Vertx vertx) throws Exception {
    Files.writeString(file, "[g1, 'g2:9501', 'listed:1']");
    try (Discovery discovery = start(vertx, "listed:1")) {
      await().until(() -> answers() > 0);
      assertThat(discovery.addresses()).containsExactly("listed:1", "g1:9500", "g2:9501");
      Files.writeString(file, "[g3]");
      await().until(() -> discovery.addresses().equals(List.of("listed:1", "g3:9500")));
      clock.addAndGet(5_000);
      Files.writeString(file, "- a b");
      await().until(() -> questions("malformed") > 0);
      assertThat(discovery.addresses()).containsExactly("listed:1", "g3:9500");
      assertThat(heard)
          .containsExactly(
              List.of("listed:1", "g1:9500", "g2:9501"), List.of("listed:1", "g3:9500"));
      assertThat(metrics())
          .contains("t_discovery_addresses 1.0")
          .contains("t_discovery_from_cache 0.0")
          .contains("t_discovery_cache_failures_total 0.0");
    }
  }

  @Test
  void withoutAnAnswerTheAddressesAreThoseOfTheList(Vertx vertx) throws Exception {
    try (Discovery discovery = start(vertx, "listed:1")) {
      await().until(() -> questions("unreachable") > 0);
      assertThat(discovery.addresses()).containsExactly("listed:1");
      assertThat(heard).isEmpty();
      assertThat(metrics())
          .contains("t_discovery_addresses 0.0")
          .contains("t_discovery_age_seconds NaN");
    }
  }

  /** As a file on a mount that hangs: opening it waits until somebody writes. */
  @Test
  void aQuestionThatNeverEndsFailsAndIsAskedAgain(Vertx vertx) throws Exception {
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    DiscoverySettings hanging = settings(file, Duration.ofMillis(10));
    try (Discovery discovery =
        Discovery.start(vertx, hanging, List.of("listed:1"), clock::get, heard::add)) {
      discovery.declare(meters);
      await().until(() -> questions("unreachable") >= 2);
      assertThat(discovery.addresses()).containsExactly("listed:1");
    } finally {
      // Those that wait go on.
      Files.move(file, folder.resolve("pipe"));
      try (FileChannel both =
          FileChannel.open(
              folder.resolve("pipe"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        assertThat(both.isOpen()).isTrue();
      }
    }
  }

  /** A process that begins to join before it knows anybody would begin a cluster of its own. */
  @Test
  void aMemberWaitsForTheFirstAnswer(Vertx vertx) throws Exception {
    Files.writeString(file, "[g1, g2]");
    try (Discovery members =
        Discovery.ofMembers(vertx, settings(file), List.of("listed:1"), clock::get, meters)) {
      assertThat(members.addresses()).containsExactly("listed:1", "g1:9500", "g2:9500");
      assertThat(metrics()).contains("t_discovery_addresses 2.0");
    }
  }

  @Test
  void aQuestionThatIsAskedOnceIsAnsweredOrFailsWithWhoWasAskedAndWhy() throws Exception {
    Files.writeString(file, "[g2, g1]");
    assertThat(Discovery.ask(settings(file))).containsExactly("g1:9500", "g2:9500");
    Path none = folder.resolve("none");
    assertThatThrownBy(() -> Discovery.ask(settings(none)))
        .isInstanceOf(IOException.class)
        .hasMessage("the file " + none + ": there is no such file");
  }
}
