package io.fleetgauge.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.LogSettings.Format;
import io.fleetgauge.runtime.config.LogSettings.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LogsTest {
  private static final Logger LOG = LoggerFactory.getLogger("io.fleetgauge.some.Part");

  @TempDir private Path folder;

  private Path logTo(Format format, Level level) {
    Path file = folder.resolve("log");
    Logs.toFile(new LogSettings(format, level), file);
    return file;
  }

  @AfterEach
  void logToTheConsoleAgain() {
    Logs.toConsole(new LogSettings(Format.TEXT, Level.INFO));
  }

  private static List<String> messages(Path file) throws IOException {
    return Files.readAllLines(file).stream().map(line -> line.split(" - ", 2)[1]).toList();
  }

  @Test
  void aTextLineHasTheTimeInUtcTheLevelTheClassAndTheMessage() throws IOException {
    Path file = logTo(Format.TEXT, Level.INFO);
    LOG.warn("{} is late", "a host");
    assertThat(Files.readAllLines(file))
        .singleElement()
        .asString()
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z WARN  Part - a host is late");
  }

  @Test
  void aJsonLineIsOneObjectWithTheLevelTheClassAndTheFormattedMessage() throws IOException {
    Path file = logTo(Format.JSON, Level.INFO);
    LOG.warn("{} is \"late\"", "a host");
    LOG.error("failed", new IllegalStateException("two\nlines"));
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(2);
    JsonNode line = new ObjectMapper().readTree(lines.getFirst());
    assertThat(line.path("level").asText()).isEqualTo("WARN");
    assertThat(line.path("loggerName").asText()).isEqualTo("io.fleetgauge.some.Part");
    assertThat(line.path("formattedMessage").asText()).isEqualTo("a host is \"late\"");
    assertThat(new ObjectMapper().readTree(lines.getLast()).at("/throwable/message").asText())
        .isEqualTo("two\nlines");
  }

  @ParameterizedTest
  @EnumSource(Level.class)
  void linesBelowTheLeastSevereLevelAreNotLogged(Level least) throws IOException {
    Path file = logTo(Format.TEXT, least);
    LOG.debug("DEBUG");
    LOG.info("INFO");
    LOG.warn("WARN");
    LOG.error("ERROR");
    List<String> all = List.of("DEBUG", "INFO", "WARN", "ERROR");
    assertThat(messages(file)).isEqualTo(all.subList(least.ordinal(), all.size()));
  }

  @Test
  void aSecondTargetReplacesTheFirstSoThatNoLineIsLoggedTwice() throws IOException {
    Path file = logTo(Format.TEXT, Level.INFO);
    LOG.info("before");
    Path other = folder.resolve("other");
    Logs.toFile(new LogSettings(Format.TEXT, Level.INFO), other);
    LOG.info("after");
    assertThat(messages(file)).containsExactly("before");
    assertThat(messages(other)).containsExactly("after");
  }

  @Test
  void ofALogStormSoManyLinesAreWrittenAsAreAllowedAndOtherLinesAllTheSame() throws IOException {
    Path file = folder.resolve("log");
    Logs.toFile(new LogSettings(Format.TEXT, Level.INFO, 3), file);
    for (int i = 0; i < 1_000; i++) {
      LOG.warn("host {} is late", i);
      LOG.debug("nobody sees this");
    }
    LOG.warn("another line");
    assertThat(messages(file))
        .containsExactly("host 0 is late", "host 1 is late", "host 2 is late", "another line");
  }

  @Test
  void librariesLogWarningsAndErrorsOnlyWhateverTheLevelIs() throws IOException {
    Path file = logTo(Format.TEXT, Level.DEBUG);
    for (String name : List.of("com.hazelcast.any", "io.netty.any", "io.vertx.any")) {
      LoggerFactory.getLogger(name).info("info of {}", name);
      LoggerFactory.getLogger(name).warn("warning of {}", name);
    }
    assertThat(messages(file))
        .containsExactly(
            "warning of com.hazelcast.any", "warning of io.netty.any", "warning of io.vertx.any");
  }

  @Test
  void whenTheLastGatewayLeavesHazelcastLogsNoLineForEachPartition() throws IOException {
    Path file = logTo(Format.TEXT, Level.INFO);
    LoggerFactory.getLogger(Logs.PARTITION_REPAIR).warn("partitionId=1 is completely lost!");
    LoggerFactory.getLogger(Logs.CLUSTER_MANAGER).error("Failed to handle memberRemoved");
    LoggerFactory.getLogger(Logs.PARTITION_REPAIR).error("a migration failed");
    assertThat(messages(file)).containsExactly("a migration failed");
  }

  @Test
  void membersThatComeAndGoMakeNoStackTraces() throws IOException {
    Path file = logTo(Format.TEXT, Level.INFO);
    LoggerFactory.getLogger(Logs.CONNECTION).warn("closed", new IOException("Connection reset"));
    LoggerFactory.getLogger(Logs.OPERATION).error("Not Member!", new IOException("not a member"));
    LoggerFactory.getLogger(Logs.INVOCATION).warn("completed", new Exception("completed object"));
    LoggerFactory.getLogger(Logs.CONNECTION).error("the connection failed");
    assertThat(messages(file)).containsExactly("the connection failed");
  }

  @Test
  void theNamesOfTheQuietLoggersAreThoseOfClassesInTheLibraries() throws Exception {
    assertThat(Class.forName(Logs.PARTITION_REPAIR)).isNotNull();
    assertThat(Class.forName(Logs.ACCEPTOR)).isNotNull();
    assertThat(Class.forName(Logs.CONNECTION)).isNotNull();
    assertThat(Class.forName(Logs.OPERATION)).isNotNull();
    assertThat(Class.forName(Logs.INVOCATION)).isNotNull();
    assertThat(Class.forName(Logs.CLUSTER_MANAGER)).isNotNull();
  }
}
