package io.fleetgauge.runtime.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class TenantFileTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(TenantFile.class);
  private final Access access = new Access(TenantLimits.DEFAULT);
  @TempDir private Path folder;
  private Path file;
  private TenantFile tenants;

  @BeforeEach
  void open() throws Exception {
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.INFO);
    file = Files.writeString(folder.resolve("tenants.yaml"), "tenants: {a: {}}");
    tenants = TenantFile.open(file, TenantLimits.DEFAULT, scope -> "", access);
  }

  @AfterEach
  void detach() {
    logger.detachAppender(lines);
    logger.setLevel(null); // as its parent again
  }

  private boolean change(String yaml) throws IOException {
    Files.writeString(file, yaml);
    return tenants.look();
  }

  private List<String> log() {
    return lines.list.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  @Test
  void aFileThatHasChangedIsReadAndReplacesTheTenants() throws Exception {
    assertThat(change("tenants: {b: {}}")).isTrue();
    assertThat(access.tenants()).containsExactly("b");
    assertThat(log()).containsExactly("INFO tenants file " + file + " was read again: [b]");
  }

  @Test
  void aFileThatHasNotChangedIsNotReadAgain() {
    assertThat(tenants.look()).isFalse();
    assertThat(tenants.failures()).isZero();
    assertThat(log()).isEmpty();
  }

  @Test
  void aMissingFileIsCountedEachTimeAndLoggedOnceAndTheTenantsStay() throws Exception {
    Files.delete(file);
    for (int i = 0; i < 3; i++) {
      assertThat(tenants.look()).isFalse();
    }
    assertThat(tenants.failures()).isEqualTo(3);
    assertThat(access.tenants()).containsExactly("a");
    assertThat(log())
        .containsExactly(
            "ERROR tenants file "
                + file
                + " cannot be read, the tenants read before stay: "
                + new NoSuchFileException(file.toString()));
  }

  @Test
  void aFileThatIsMissingASecondTimeIsLoggedAgain() throws Exception {
    Files.delete(file);
    tenants.look();
    change("tenants: {a: {}}");
    Files.delete(file);
    tenants.look();
    assertThat(log()).hasSize(2).allMatch(line -> line.contains("cannot be read"));
  }

  @Test
  void anotherReasonIsLoggedToo() throws Exception {
    Files.delete(file);
    tenants.look();
    Files.createDirectory(file);
    tenants.look();
    assertThat(log()).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void aWrongFileIsCountedAndLoggedOnceWithEveryProblemAndTheTenantsStay() throws Exception {
    assertThat(change("tenants: {a: {colour: red, scope: ' '}}")).isFalse();
    assertThat(tenants.look()).isFalse();
    assertThat(tenants.failures()).isEqualTo(1);
    assertThat(access.tenants()).containsExactly("a");
    assertThat(log())
        .singleElement()
        .asString()
        .startsWith("ERROR the tenants read before stay: " + file + " has 2 problems:")
        .contains("tenants.a.scope: ")
        .contains("tenants.a.colour: no such key");
  }

  @Test
  void theFirstFileAfterAWrongOneIsTaken() throws Exception {
    change("tenants: {}");
    assertThat(change("tenants: {a: {}}")).isTrue();
    assertThat(change("tenants: {a: {}, b: {}}")).isTrue();
    assertThat(access.tenants()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void theFirstReadingFailsWhenTheFileIsMissingOrWrong() throws Exception {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> TenantFile.open(missing, TenantLimits.DEFAULT, scope -> "", access))
        .isInstanceOf(NoSuchFileException.class);
    Path wrong = Files.writeString(folder.resolve("wrong"), "tenants: {}");
    assertThatThrownBy(() -> TenantFile.open(wrong, TenantLimits.DEFAULT, scope -> "", access))
        .isInstanceOf(ConfigException.class);
    assertThat(access.tenants()).containsExactly("a");
  }
}
