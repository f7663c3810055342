package io.fleetgauge.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.distribution.process.Programs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with the configuration files that are installed: a probe reads, a gateway stores, a
 * query API answers. They run from the folders that the build made, and from the general archive
 * where it made none.
 */
@Tag("slow")
class DefaultConfigurationsTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Duration SOON = Duration.ofSeconds(180);
  private static final Pattern PORT = Pattern.compile("\\b(9400|9500|9090|5701|5702)\\b");
  private static final List<String> PROCESSES = List.of("gateway", "query", "probe");

  @TempDir private Path folder;

  private final Map<String, Process> running = new TreeMap<>();
  private final Map<String, Integer> ports = new HashMap<>();
  private InstalledArchive archive;

  @BeforeEach
  void unpack() throws Exception {
    archive = InstalledArchive.unpack(folder);
  }

  @AfterEach
  void endAll() {
    running.values().forEach(process -> process.descendants().forEach(ProcessHandle::destroy));
    running.values().forEach(Process::destroyForcibly);
    running.values().forEach(process -> process.onExit().join());
  }

  /** With ports that are free here, and another folder than /var/lib/fleetgauge. */
  @Test
  void asPackagesInstallThemTheProcessesOfAMachineReadStoreAndAnswer() throws Exception {
    for (String process : PROCESSES) {
      Path resources =
          ROOT.resolve("distribution/src/main/resources/io/fleetgauge/distribution/packages");
      String config = Files.readString(resources.resolve(process).resolve(process + ".yaml"));
      Path data = Files.createDirectories(folder.resolve("lib").resolve(process));
      Path file =
          Files.writeString(
              folder.resolve(process + ".yaml"),
              onFreePorts(config)
                  .replace("/var/lib/fleetgauge/" + process, data.toString())
                  .replace("/usr/lib/fleetgauge/", home(process).getParent() + "/"));
      start(process, List.of(launcher(process), process, "--config", file.toString()));
    }
    awaitAnswer(
        List.of("curl", "-s", "http://127.0.0.1:" + ports.get("9090") + "/api/v1/query"), "");
  }

  /** On a machine of their own: with the addresses, names and folders that the files name. */
  @Test
  void asTheArchiveHasThemTheProcessesOfAClusterReadStoreAndAnswer() throws Exception {
    assumeThat(canHaveAMachine()).as("root with unshare and ip").isTrue();
    Path etc = Files.createDirectory(folder.resolve("etc"));
    Files.writeString(etc.resolve("secret"), "a-secret-of-enough-characters");
    Files.writeString(etc.resolve("probe.token"), "a-token-of-probes");
    // Put your own in their place, the file says of its hashes.
    Files.writeString(
        etc.resolve("tenants.yaml"),
        Files.readString(archive.home().resolve("etc/tenants.yaml"))
            .replace("0".repeat(63) + "2", hash("a-token-of-probes"))
            .replace("0".repeat(63) + "3", hash("a-token-of-operators")));
    String machine =
        """
        mount --make-rprivate /
        cp -a /etc %1$s/of-machine
        cp -a %1$s/etc %1$s/of-machine/fleetgauge
        echo 127.0.0.1 localhost > %1$s/of-machine/hosts
        echo 10.0.0.11 gateway-1 >> %1$s/of-machine/hosts
        mount --bind %1$s/of-machine /etc
        mkdir %1$s/data
        mount --bind %1$s/data /var/lib
        ip link set lo up
        for address in 11 12 13 21; do ip address add 10.0.0.$address/32 dev lo; done
        touch %1$s/ready
        exec sleep infinity
        """
            .formatted(folder);
    start("machine", List.of("unshare", "--mount", "--net", "bash", "-ec", machine));
    await().atMost(SOON).until(() -> Files.exists(folder.resolve("ready")));
    String pid = Long.toString(running.get("machine").pid());
    List<String> there = List.of("nsenter", "--target", pid, "--mount", "--net");
    for (String process : PROCESSES) {
      List<String> command = new ArrayList<>(there);
      command.addAll(
          List.of(
              launcher(process),
              process,
              "--config",
              archive.home().resolve("etc").resolve(process + ".yaml").toString()));
      start(process, command);
    }
    List<String> ask = new ArrayList<>(there);
    ask.addAll(List.of("curl", "-s", "-H", "Authorization: Bearer a-token-of-operators"));
    ask.add("http://127.0.0.1:9090/api/v1/query");
    awaitAnswer(ask, "rack=\"r12\"");
  }

  private static String hash(String token) throws GeneralSecurityException {
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash);
  }

  private static boolean canHaveAMachine() throws Exception {
    Process tried =
        new ProcessBuilder("bash", "-c", "unshare --mount --net ip link set lo up")
            .redirectErrorStream(true)
            .start();
    tried.getInputStream().readAllBytes();
    return tried.waitFor() == 0;
  }

  private void awaitAnswer(List<String> ask, String matcher) {
    List<String> command = new ArrayList<>(ask);
    command.addAll(List.of("--data-urlencode", "query=count(node_load1{" + matcher + "})"));
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .failFast(() -> assertThat(running.values()).as(this::outputs).allMatch(Process::isAlive))
        .untilAsserted(
            () ->
                assertThat(Programs.run(folder, command.toArray(String[]::new)))
                    .contains("\"status\":\"success\"", ",\"1\"]"));
  }

  private String onFreePorts(String config) {
    return PORT.matcher(config)
        .replaceAll(port -> ports.computeIfAbsent(port.group(), each -> freePort()).toString());
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path home(String process) {
    Path own = ROOT.resolve("distribution/target/processes").resolve(process);
    return Files.exists(own) ? own : archive.home();
  }

  private String launcher(String process) {
    return home(process).resolve("bin/fleetgauge").toString();
  }

  private void start(String name, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".txt").toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("FLEETGAUGE_HEAP", "256m");
    running.put(name, builder.start());
  }

  private String outputs() {
    StringBuilder all = new StringBuilder();
    for (String name : running.keySet()) {
      try {
        all.append(name).append(": ").append(Files.readString(folder.resolve(name + ".txt")));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
    return all.toString();
  }
}
