package io.fleetgauge.load.fleet;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A command of the launcher in a JVM of its own, with the tests' class path. */
public final class LaunchedProcess implements AutoCloseable {
  public final Process process;
  private final ChildJvm jvm;

  public LaunchedProcess(Path folder, String... command) throws IOException {
    this(folder, Map.of(), command);
  }

  /**
   * @param environment variables that it has beside those of this process
   */
  public LaunchedProcess(Path folder, Map<String, String> environment, String... command)
      throws IOException {
    jvm = new ChildJvm(folder, "512m", environment, List.of(), ChildJvm.SHORT_LIVED, command);
    process = jvm.process();
  }

  /** A command of a release that is installed in {@code home}, with its own libraries. */
  public static LaunchedProcess ofRelease(Path folder, Path home, String... command)
      throws IOException {
    List<String> line = new ArrayList<>(List.of(home.resolve("bin/fleetgauge").toString()));
    line.addAll(List.of(command));
    return new LaunchedProcess(
        new ChildJvm(
            folder,
            Map.of("JAVA_HOME", System.getProperty("java.home"), "FLEETGAUGE_HEAP", "512m"),
            line));
  }

  private LaunchedProcess(ChildJvm jvm) {
    this.jvm = jvm;
    this.process = jvm.process();
  }

  public String output() {
    return jvm.output();
  }

  /** Waits until a text has been printed, or the process has ended. */
  public void awaitOutput(String text) {
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> output().contains(text) || !process.isAlive());
    if (!output().contains(text)) {
      throw new AssertionError("\"" + text + "\" was never printed:\n" + output());
    }
  }

  /** The exit code after the process has ended by itself. */
  public int exitCode() throws InterruptedException {
    if (!process.waitFor(10, TimeUnit.MINUTES)) {
      throw new AssertionError("the process goes on:\n" + output());
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    jvm.close();
  }
}
