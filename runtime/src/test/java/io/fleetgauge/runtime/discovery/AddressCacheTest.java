package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.DiscoveryMachine.Event.Cached;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AddressCacheTest {
  private static final int MOST = 10;

  @TempDir private Path folder;
  private Path file;
  private AddressCache cache;

  @BeforeEach
  void open() {
    file = folder.resolve("new/cache");
    cache = new AddressCache(file, settings("gateways.yaml"));
  }

  private static DiscoverySettings settings(String source) {
    return new DiscoverySettings(
        DiscoverySettings.OF_PROBE,
        new Source.Listed(Path.of(source), 9500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(1),
        Optional.empty(),
        MOST,
        1_024,
        false);
  }

  @Test
  void addressesThatAreDamagedOrOfAnotherSourceAreNotUsed() throws IOException {
    assertThat(cache.read()).isEmpty();
    cache.write(List.of("[fd00::1]:9500", "g1:9500"), 77);
    assertThat(cache.read()).contains(new Cached(List.of("[fd00::1]:9500", "g1:9500"), 77));
    assertThat(new AddressCache(file, settings("others.yaml")).read()).isEmpty();
    assertThat(cache.failures()).isZero();
    byte[] whole = Files.readAllBytes(file);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 1;
      Files.write(file, damaged);
      assertThat(cache.read())
          .as("bit of byte %s", i)
          .satisfiesAnyOf(
              read -> assertThat(read).isEmpty(),
              // The time has no checksum: it is only told.
              read -> assertThat(read.orElseThrow().addresses()).hasSize(2));
    }
    assertThat(cache.failures()).isGreaterThan(10);
  }

  @Test
  void aFileIsReplacedAndItsAddressesAreTheLast() {
    cache.write(List.of("g1:1"), 77);
    cache.write(List.of("g2:1", "g3:1"), 78);
    assertThat(cache.read()).contains(new Cached(List.of("g2:1", "g3:1"), 78));
    assertThat(folder.resolve("new")).isDirectoryNotContaining("glob:**.unfinished");
  }

  @Test
  void aFileOfAnotherFormIsAFailureAndChangesNothing() throws IOException {
    Files.createDirectories(file.getParent());
    long failures = 0;
    for (String text : List.of("", "\n", "a b c d e\n", "fleetgauge-discovery 1 a b\n")) {
      Files.writeString(file, text);
      assertThat(cache.read()).as(text).isEmpty();
      assertThat(cache.failures()).as(text).isEqualTo(++failures);
    }
    cache.write(List.of("g1:1"), 77);
    String good = Files.readString(file);
    Files.writeString(file, good.replace(" 77 ", " 7x "));
    assertThat(cache.read()).as("its time is none").isEmpty();
    Files.writeString(file, good.replaceFirst("discovery 1", "discovery 2"));
    assertThat(cache.read()).as("of a version to come").isEmpty();
    assertThat(cache.failures()).isEqualTo(failures + 2);
    Files.writeString(file, good);
    assertThat(cache.read()).contains(new Cached(List.of("g1:1"), 77));
  }

  @Test
  void asManyAddressesAsTheLimitAreReadAndNoFileThatIsLonger() throws IOException {
    List<String> many = IntStream.range(0, MOST).mapToObj(i -> "g" + i + ":1").toList();
    cache.write(many, 77);
    assertThat(cache.read()).contains(new Cached(many, 77));
    cache.write(IntStream.rangeClosed(0, MOST).mapToObj(i -> "g" + i + ":1").toList(), 77);
    assertThat(cache.read()).isEmpty();
    Files.write(file, "x\n".repeat(300 * (MOST + 1)).getBytes(StandardCharsets.UTF_8));
    assertThat(cache.read()).isEmpty();
    assertThat(cache.failures()).isEqualTo(2);
  }

  @Test
  void aFileThatCannotBeWrittenIsCounted() throws IOException {
    Files.writeString(folder.resolve("new"), "a file where the folder should be");
    cache.write(List.of("g1:1"), 77);
    assertThat(cache.failures()).isEqualTo(1);
    assertThat(cache.read()).isEmpty();
  }
}
