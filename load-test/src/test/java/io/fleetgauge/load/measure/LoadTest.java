package io.fleetgauge.load.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.Installation;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command with few hosts: real processes, from the launcher that is installed. */
class LoadTest {
  private final StringWriter printed = new StringWriter();

  @TempDir Path home;

  /** As the archive has it, with the class path of this test in place of the libraries. */
  @BeforeEach
  void install() throws IOException {
    Path root = Path.of(System.getProperty("fleetgauge.root"), "distribution", "src", "main");
    for (String folder : new String[] {"bin", "jvm"}) {
      Files.createDirectories(home.resolve(folder));
      try (Stream<Path> files = Files.list(root.resolve(folder))) {
        for (Path file : files.toList()) {
          Files.copy(file, home.resolve(folder).resolve(file.getFileName()));
        }
      }
    }
    assertThat(home.resolve("bin/fleetgauge").toFile().setExecutable(true)).isTrue();
    Files.write(home.resolve("jvm/common.flags"), ChildJvm.SHORT_LIVED, StandardOpenOption.APPEND);
    Files.createDirectories(home.resolve("lib"));
    for (String module : new String[] {"shard-gateway", "query-api"}) {
      Manifest manifest = new Manifest();
      Attributes attributes = manifest.getMainAttributes();
      attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
      attributes.put(
          Attributes.Name.CLASS_PATH,
          Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
              .map(entry -> Path.of(entry).toUri().toString())
              .collect(Collectors.joining(" ")));
      try (var out = Files.newOutputStream(home.resolve("lib").resolve(module + "-test.jar"))) {
        new JarOutputStream(out, manifest).close();
      }
    }
    System.setProperty(Installation.PROPERTY, home.toString());
  }

  @AfterEach
  void forget() {
    System.clearProperty(Installation.PROPERTY);
  }

  private int load(String... options) {
    int status =
        new CommandLine(new LoadCommand())
            .setOut(new PrintWriter(printed))
            .setErr(new PrintWriter(printed))
            .execute(options);
    System.out.println(printed);
    return status;
  }

  @Test
  void everySampleOfABacklogIsThereAfterwardsInEitherForm() {
    assertThat(load("--hosts", "3", "--hours", "0.2", "--gateways", "2", "--rest", "0"))
        .as(printed.toString())
        .isZero();
    assertThat(printed.toString())
        .contains("3 hosts x 380 series")
        .contains("2 x 2, frames", "2 x 2, remote write")
        .contains(
            "    54,720 of 54,720 samples are there; 0 of one host's are missing or different");
  }

  @Test
  void liveSamplesDashboardsAndScrapesAreMeasuredAfterABacklog() {
    assertThat(
            load(
                "--mode=frames",
                "--hosts=2",
                "--hours=0.05",
                "--gateways=1",
                "--replication=1",
                "--rest=0",
                "--live=1",
                "--refresh",
                "--passes=1",
                "--federate"))
        .as(printed.toString())
        .isZero();
    assertThat(printed.toString())
        .contains("refresh: 44 panels")
        .contains("1 x 1, frames, nocache")
        .contains("idle: no samples and no queries for 1 s")
        .containsPattern("idle: \\d\\.\\d{3} cores in all \\(gateway .+, query API .+\\)")
        .contains("live: 2 hosts each 15 s, 51 samples/s")
        .contains("live: 8 panels of 1 h")
        .contains("1 x 1, frames: all reductions, gzip");
  }

  @Test
  void aWrongOptionIsNamedWithWhatIsAllowed() {
    StringWriter errors = new StringWriter();
    int status =
        new CommandLine(new LoadCommand())
            .setErr(new PrintWriter(errors))
            .execute("--gateways", "2,21");
    assertThat(status).isNotZero();
    assertThat(errors.toString()).contains("--gateways: 21 is not allowed; allowed is 1 to 20");
  }
}
