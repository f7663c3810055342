package io.fleetgauge.load.fleet;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command of the launcher in a JVM of its own, with the tests' class path. */
public final class LaunchedProcess implements AutoCloseable {
  public final Process process;
  private final Path output;

  public LaunchedProcess(Path folder, String... command) throws IOException {
    output = Files.createTempFile(folder, "output", ".txt");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dhazelcast.logging.type=slf4j",
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            "io.fleetgauge.cluster.process.Main"));
    line.addAll(List.of(command));
    process =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
  }

  public String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until a text has been printed, or the process has ended. */
  public void awaitOutput(String text) {
    await()
        .atMost(Duration.ofSeconds(90))
        .until(() -> output().contains(text) || !process.isAlive());
    if (!output().contains(text)) {
      throw new AssertionError("\"" + text + "\" was never printed:\n" + output());
    }
  }

  /** The exit code after the process has ended by itself. */
  public int exitCode() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the process goes on:\n" + output());
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
