package io.fleetgauge.load.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that fails costs no acknowledged sample, and when it is back, the gateway goes on. */
@Timeout(600)
class DiskFaultTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir private Path folder;

  @Test
  void aFullDiskIsSaidAndPassesWithoutARestart() throws Exception {
    Path disk = mount("1m");
    try (GatewayWithLedger gateway = gateway(disk, "sync: interval", Map.of())) {
      gateway.start();
      gateway.send(3, System.currentTimeMillis() - 36_000_000, 1);
      awaitTrouble(gateway, "No space left on device");
      long kept = gateway.acknowledged();
      assertThat(gateway.get("/-/healthy").statusCode()).isEqualTo(200);
      run("mount", "-o", "remount,size=200m", disk.toString());
      assertItGoesOnAndHasAll(gateway, kept);
    } finally {
      unmount(disk);
    }
  }

  /** The disk of its folders is the one that holds the test's own, so nothing is mounted. */
  @Test
  void aFolderThatIsRemovedIsSaidAndNothingIsAcknowledged() throws Exception {
    Path data = folder.resolve("data");
    Path away = folder.resolve("away");
    try (GatewayWithLedger gateway = gateway(folder, "sync: interval", Map.of())) {
      gateway.start();
      gateway.send(3, System.currentTimeMillis() - 36_000_000, 4);
      await().atMost(LIMIT).until(() -> gateway.acknowledged() > 100);
      assertThat(gateway.metric("fleetgauge_gateway_folder_lost")).isZero();
      Files.move(data, away);
      awaitTrouble(gateway, data + " was removed while the process ran");
      assertThat(gateway.metric("fleetgauge_gateway_folder_lost")).isEqualTo(1);
      long kept = gateway.acknowledged();
      Files.createDirectory(data);
      awaitTrouble(gateway, data + " was");
      assertThat(gateway.acknowledged()).isEqualTo(kept);
      assertThat(gateway.output().lines().filter(line -> line.contains(" was removed while")))
          .hasSize(1);
      Files.delete(data);
      Files.move(away, data);
      assertItGoesOnAndHasAll(gateway, kept);
      assertThat(readableByOthers(data)).isEmpty();
    }
  }

  private static List<Path> readableByOthers(Path data) throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      List<Path> found = new ArrayList<>();
      for (Path file : (Iterable<Path>) files::iterator) {
        String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        if (!permissions.endsWith("------")) {
          found.add(file);
        }
      }
      return found;
    }
  }

  @Test
  void aDiskThatBecomesReadOnlyIsSaidAndPassesWithoutARestart() throws Exception {
    Path disk = mount("100m");
    try (GatewayWithLedger gateway = gateway(disk, "sync: interval, segment: 64KiB", Map.of())) {
      gateway.start();
      gateway.send(3, System.currentTimeMillis() - 36_000_000, 2);
      await().atMost(LIMIT).until(() -> gateway.acknowledged() > 100);
      // A file that is open for writing keeps a file system from becoming read-only, but not from
      // being covered by one that is.
      run(
          "mount",
          "-t",
          "tmpfs",
          "-o",
          "ro,size=1m",
          "tmpfs",
          disk.resolve("data/journal").toString());
      awaitTrouble(gateway, "data/journal");
      long kept = gateway.acknowledged();
      run("umount", disk.resolve("data/journal").toString());
      assertItGoesOnAndHasAll(gateway, kept);
    } finally {
      unmount(disk);
    }
  }

  /** The journal's policy, and whether a sample that was acknowledged may be unsynced. */
  @ParameterizedTest
  @ValueSource(strings = {"always", "interval"})
  void aDiskThatCannotSyncIsSaidAndPassesWithoutARestart(String policy) throws Exception {
    Path failing = folder.resolve("failing");
    Path library = compile();
    Map<String, String> environment =
        Map.of("LD_PRELOAD", library.toString(), "FAIL_SYNC_WHILE", failing.toString());
    try (GatewayWithLedger gateway = gateway(folder, "sync: " + policy, environment)) {
      gateway.start();
      gateway.send(3, System.currentTimeMillis() - 36_000_000, 3);
      await().atMost(LIMIT).until(() -> gateway.acknowledged() > 100);
      Files.createFile(failing);
      awaitTrouble(gateway, "Input/output error");
      long kept = gateway.acknowledged();
      Files.delete(failing);
      assertItGoesOnAndHasAll(gateway, kept);
    }
  }

  private GatewayWithLedger gateway(Path disk, String journal, Map<String, String> environment)
      throws IOException {
    return new GatewayWithLedger(
        folder, disk.resolve("data"), "memory: 24h", "journal: {" + journal + "}", environment);
  }

  private static void assertItGoesOnAndHasAll(GatewayWithLedger gateway, long kept)
      throws Exception {
    await().atMost(LIMIT).until(() -> gateway.acknowledged() > kept + 100);
    assertThat(gateway.get("/-/ready").statusCode()).isEqualTo(200);
    gateway.stopSenders();
    gateway.compare();
    gateway.kill();
    gateway.start();
    gateway.compare();
  }

  private static void awaitTrouble(GatewayWithLedger gateway, String what) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              HttpResponse<String> ready = gateway.get("/-/ready");
              assertThat(ready.statusCode()).isEqualTo(503);
              assertThat(ready.body()).contains("the journal in ").contains(what);
              assertThat(gateway.metric("fleetgauge_gateway_disk_trouble")).isEqualTo(1);
            });
  }

  private Path compile() throws Exception {
    Path library = folder.resolve("failing_sync.so");
    Path source =
        Path.of(System.getProperty("fleetgauge.root"), "load-test/src/test/c/failing_sync.c");
    String compiler = System.getenv().getOrDefault("CC", "cc");
    assertThat(
            run(compiler, "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl"))
        .isTrue();
    return library;
  }

  private Path mount(String size) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", disk.toString()),
        "a small file system can be mounted by root only");
    return disk;
  }

  private static void unmount(Path disk) throws Exception {
    run("umount", disk.resolve("data/journal").toString());
    run("umount", disk.toString());
  }

  private static boolean run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(new ArrayList<>(List.of(command)))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(120, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}
