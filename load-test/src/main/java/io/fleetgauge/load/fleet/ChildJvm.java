package io.fleetgauge.load.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A command of the launcher in a JVM of its own, with this one's class path. */
public final class ChildJvm implements AutoCloseable {
  /** The files of flags that the distribution starts its processes with. */
  private static final List<String> FLAGS =
      Stream.of("common", "member", "small-heap").flatMap(ChildJvm::flags).toList();

  /** For processes that live for seconds: what they run is compiled once and quickly. */
  public static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1");

  private final Process process;
  private final Path output;

  /**
   * @param folder where it runs and where its output goes
   * @param heap as {@code -Xmx} takes it
   * @param environment variables that it has beside those of this process
   */
  public ChildJvm(Path folder, String heap, Map<String, String> environment, String... command)
      throws IOException {
    this(folder, heap, environment, List.of(), List.of(), command);
  }

  /**
   * @param within the command that runs it, such as one that enters a network namespace
   * @param flags of the JVM, beside those of the launcher
   */
  public ChildJvm(
      Path folder,
      String heap,
      Map<String, String> environment,
      List<String> within,
      List<String> flags,
      String... command)
      throws IOException {
    this(folder, environment, line(heap, within, flags, command));
  }

  /**
   * A release that is installed somewhere.
   *
   * @param line its launcher and what that is told
   */
  public ChildJvm(Path folder, Map<String, String> environment, List<String> line)
      throws IOException {
    output = Files.createTempFile(folder, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    process = builder.start();
    // The child must not outlive this process, whatever ends it.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  private static List<String> line(
      String heap, List<String> within, List<String> flags, String... command) {
    List<String> line = new ArrayList<>(within);
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(FLAGS);
    line.addAll(flags);
    line.addAll(
        List.of(
            "-Xmx" + heap,
            "-cp",
            System.getProperty("java.class.path"),
            "io.fleetgauge.runtime.process.Main"));
    line.addAll(List.of(command));
    return line;
  }

  private static Stream<String> flags(String file) {
    try (var in = ChildJvm.class.getResourceAsStream("/jvm/" + file + ".flags")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public Process process() {
    return process;
  }

  /** What it has printed so far. */
  public String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Kills it, as {@code kill -9} does, and waits until it is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
