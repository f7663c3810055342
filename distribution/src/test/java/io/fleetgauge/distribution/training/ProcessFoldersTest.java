package io.fleetgauge.distribution.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.distribution.process.ProcessFolder;
import io.fleetgauge.distribution.process.Programs;
import io.fleetgauge.distribution.process.ShippedProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive of all processes, unpacked and run: where `-Dpackages.processes=probe,gateway,query`
 * built it.
 */
class ProcessFoldersTest {
  private static final Path TARGET =
      Path.of(System.getProperty("fleetgauge.root"), "distribution/target");
  private static final int SECONDS = 600;

  @TempDir private Path folder;

  private final Map<String, Process> running = new TreeMap<>();
  private final Map<String, Long> started = new TreeMap<>();
  private Path home;

  @BeforeEach
  void unpack() throws Exception {
    Path query = TARGET.resolve("processes").resolve(ShippedProcess.QUERY.command());
    assumeThat(query).as("./fleetgauge package makes the folders of all processes").exists();
    Path archive;
    try (Stream<Path> all = Files.list(TARGET.resolve("packages"))) {
      archive =
          all.filter(file -> file.getFileName().toString().matches("fleetgauge-\\d.*\\.tar\\.gz"))
              .findFirst()
              .orElseThrow();
    }
    Programs.run(folder, "tar", "-xzf", archive.toString());
    home = folder.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
  }

  @AfterEach
  void end() {
    running.values().forEach(Process::destroyForcibly);
    running.values().forEach(process -> process.onExit().join());
  }

  @Test
  void membersFormAClusterWithTheirCachesAndWithoutJavaOnTheMachine() throws Exception {
    List<Integer> ports = MemberTraining.freePorts(5);
    String cluster =
        "cluster: {name: folders-%d, port: %d, members: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]}\n";
    Map<Path, Object> before = files();
    start(
        "gateway",
        "id: g1\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(0))
            + cluster.formatted(ports.get(2), ports.get(2), ports.get(2), ports.get(3)));
    awaitReady("gateway", ports.get(0));
    start(
        "query",
        "http: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(1))
            + cluster.formatted(ports.get(2), ports.get(3), ports.get(2), ports.get(3)));
    awaitReady("query", ports.get(1));
    for (String name : running.keySet()) {
      String process = "/proc/" + running.get(name).pid();
      assertThat(Path.of(process, "maps"))
          .content()
          .contains("/%s/runtime/lib/%s.aot".formatted(name, name));
      assertThat(output(name)).doesNotContain("does not fit", "[aot]", "\tat ");
    }
    for (String name : List.of("query", "gateway")) {
      running.get(name).destroy();
      assertThat(running.get(name).waitFor(SECONDS, TimeUnit.SECONDS)).as(output(name)).isTrue();
    }
    assertThat(files()).as("nothing is written where it is installed").isEqualTo(before);
  }

  @Test
  void theLauncherOfTheArchiveHasEveryCommandAndLinksToItRunTheirProcess() throws Exception {
    assertThat(Programs.run(folder, home.resolve("bin/fleetgauge").toString(), "report", "--help"))
        .contains("Usage: fleetgauge report");
    Path link = folder.resolve("fleetgauge-probe");
    Files.createSymbolicLink(link, home.resolve("probe/bin/fleetgauge"));
    assertThat(Programs.run(folder, link.toString(), "--help")).contains("Usage: fleetgauge probe");
  }

  @Test
  void filesThatGatewayAndQueryApiHaveInCommonAreInTheArchiveOnce() throws IOException {
    ProcessFolder gateway = new ProcessFolder(ShippedProcess.GATEWAY, home.resolve("gateway"));
    ProcessFolder query = new ProcessFolder(ShippedProcess.QUERY, home.resolve("query"));
    String modules = "runtime/lib/modules";
    assertThat(Files.isSameFile(gateway.files().get(modules), query.files().get(modules))).isTrue();
  }

  private void start(String name, String config) throws IOException {
    Path work = Files.createDirectory(folder.resolve("of-" + name));
    Files.writeString(work.resolve("config.yaml"), config);
    ProcessBuilder builder =
        new ProcessBuilder(
                home.resolve("bin/fleetgauge").toString(), name, "--config", "config.yaml")
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".txt").toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    started.put(name, System.nanoTime());
    running.put(name, builder.start());
  }

  private void awaitReady(String name, int port) {
    URI address = URI.create("http://127.0.0.1:" + port + "/-/ready");
    await()
        .atMost(Duration.ofSeconds(SECONDS))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .ignoreExceptions()
        .until(() -> address.toURL().openStream().readAllBytes().length > 0);
    System.out.printf(
        "The %s is ready after %d ms%n", name, (System.nanoTime() - started.get(name)) / 1_000_000);
  }

  private String output(String name) throws IOException {
    return Files.readString(folder.resolve(name + ".txt"));
  }

  private Map<Path, Object> files() throws IOException {
    Map<Path, Object> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(home)) {
      for (Path file : (Iterable<Path>) all::iterator) {
        files.put(file, Files.getLastModifiedTime(file));
      }
    }
    return files;
  }
}
