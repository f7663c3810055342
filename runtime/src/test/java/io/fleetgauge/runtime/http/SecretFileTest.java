package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.process.StartFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class SecretFileTest {
  private static final String SHORTEST = "0123456789abcdef";

  @TempDir private Path folder;

  private SecretFile open(String text) throws Exception {
    return open(text, "rw-------");
  }

  private SecretFile open(String text, String permissions) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    return SecretFile.open("cluster.secretFile", Optional.of(file));
  }

  @Test
  void withoutAFileThereIsNoSecret() throws Exception {
    SecretFile none = SecretFile.open("cluster.secretFile", Optional.empty());
    none.look();
    assertThat(none.isSet()).isFalse();
    assertThat(none.text()).isEmpty();
    assertThat(SecretFile.NONE.isSet()).isFalse();
  }

  @Test
  void spaceAroundTheSecretIsNotPartOfIt() throws Exception {
    SecretFile secret = open(" " + SHORTEST + "\n");
    assertThat(secret.isSet()).isTrue();
    assertThat(secret.text()).isEqualTo(SHORTEST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0123456789abcde", "0123456789 abcdef", "0123456789abcdé0"})
  void aSecretThatIsShortOrNotPrintableAsciiStopsTheStart(String text) {
    assertThatThrownBy(() -> open(text))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("a secret needs 16 characters or more, and no spaces")
        .hasMessageEndingWith("; see cluster.secretFile");
  }

  @Test
  void aMissingFileStopsTheStart() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> SecretFile.open("cluster.secretFile", Optional.of(missing)))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("the file " + missing + " cannot be used: there is no such file;");
  }

  @Test
  void aFileThatIsNotTextStopsTheStart() throws Exception {
    Path file = Files.write(folder.resolve("key"), new byte[] {(byte) 0xff, (byte) 0xfe, 1, 2});
    assertThatThrownBy(() -> SecretFile.open("cluster.secretFile", Optional.of(file)))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining(" cannot be used: it is not text in UTF-8; ");
  }

  @Test
  void aChangedSecretIsReadAgain() throws Exception {
    SecretFile secret = open(SHORTEST);
    Files.writeString(folder.resolve("secret"), SHORTEST + "-new");
    assertThat(secret.text()).isEqualTo(SHORTEST);
    secret.look();
    assertThat(secret.text()).isEqualTo(SHORTEST + "-new");
  }

  @Test
  void aFileThatBecomesWrongIsLoggedOnceAndTheSecretStays() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(SecretFile.class);
    lines.start();
    logger.addAppender(lines);
    try {
      SecretFile secret = open(SHORTEST);
      Files.writeString(folder.resolve("secret"), "short");
      secret.look();
      secret.look();
      assertThat(secret.text()).isEqualTo(SHORTEST);
      assertThat(lines.list).hasSize(1);
      assertThat(lines.list.getFirst().getFormattedMessage())
          .isEqualTo(
              "cluster.secretFile cannot be used, the secret read before stays in use: "
                  + folder.resolve("secret")
                  + ": a secret needs 16 characters or more, and no spaces")
          .doesNotContain(SHORTEST);
      Files.writeString(folder.resolve("secret"), SHORTEST);
      secret.look();
      Files.delete(folder.resolve("secret"));
      secret.look();
      assertThat(lines.list).as("after it was right again").hasSize(2);
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void aFileThatAllUsersMayReadIsUsedAndLogged() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(SecretFile.class);
    lines.start();
    logger.addAppender(lines);
    try {
      assertThat(open(SHORTEST, "rw-r--r--").text()).isEqualTo(SHORTEST);
      assertThat(lines.list)
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line.getFormattedMessage())
                      .contains(folder.resolve("secret") + " (rw-r--r--): change its permissions")
                      .doesNotContain(SHORTEST));
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void theFileOfTheClusterMayHaveASecondSecretAndOthersMayNot() throws Exception {
    Path file = Files.writeString(folder.resolve("two"), SHORTEST + "\n" + SHORTEST + "-new\n");
    TrustSettings trust = TrustSettings.ofSecret(Optional.of(file));
    SecretFile two = SecretFile.ofCluster(trust);
    assertThat(two.texts()).containsExactly(SHORTEST, SHORTEST + "-new");
    assertThat(two.text()).isEqualTo(SHORTEST);
    assertThatThrownBy(() -> SecretFile.open("tokenFile", Optional.of(file)))
        .hasMessageContaining("it has 2 lines; one secret on a line each is the most");
    Files.writeString(file, SHORTEST + "\n" + SHORTEST + "1\n" + SHORTEST + "2\n");
    assertThatThrownBy(() -> SecretFile.ofCluster(trust))
        .hasMessageContaining("it has 3 lines; 2 secrets on a line each is the most");
    Files.writeString(file, SHORTEST + "\n\n" + SHORTEST + "1\n");
    assertThatThrownBy(() -> SecretFile.ofCluster(trust)).isInstanceOf(StartFailure.class);
    Files.writeString(file, SHORTEST + "\nshort\n");
    assertThatThrownBy(() -> SecretFile.ofCluster(trust)).isInstanceOf(StartFailure.class);
  }
}
