package io.fleetgauge.load.fleet;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A command of the launcher in a JVM of its own, with the tests' class path. */
public final class LaunchedProcess implements AutoCloseable {
  public final Process process;
  private final ChildProcess child;

  public LaunchedProcess(Path folder, String... command) throws IOException {
    this(folder, Map.of(), command);
  }

  /**
   * @param environment variables that it has beside those of this process
   */
  public LaunchedProcess(Path folder, Map<String, String> environment, String... command)
      throws IOException {
    this(ChildJvm.start(folder, "512m", environment, List.of(), ChildJvm.SHORT_LIVED, command));
  }

  /** A command of a release that is installed in {@code home}, with its own libraries. */
  public static LaunchedProcess ofRelease(Path folder, Path home, String... command)
      throws IOException {
    Path log = Files.createTempFile(folder, "output", ".txt");
    return new LaunchedProcess(new Installation(home).start(folder, log, "512m", command));
  }

  private LaunchedProcess(ChildProcess child) {
    this.child = child;
    this.process = child.process();
  }

  public String output() {
    return child.output();
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
    child.close();
  }
}
