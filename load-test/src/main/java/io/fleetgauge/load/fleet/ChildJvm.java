package io.fleetgauge.load.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Commands of the launcher in JVMs of their own, with this one's class path. */
public final class ChildJvm {
  /** The files of flags that the distribution starts its processes with. */
  private static final List<String> FLAGS =
      Stream.of("common", "member", "small-heap").flatMap(ChildJvm::flags).toList();

  /** For processes that live for seconds: what they run is compiled once and quickly. */
  public static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1");

  private ChildJvm() {}

  /**
   * Starts a command.
   *
   * @param folder where it runs and where its output goes
   * @param heap as {@code -Xmx} takes it
   * @param environment variables that it has beside those of this process
   * @param within the command that runs it, such as one that enters a network namespace
   * @param flags of the JVM, beside those of the launcher
   */
  public static ChildProcess start(
      Path folder,
      String heap,
      Map<String, String> environment,
      List<String> within,
      List<String> flags,
      String... command)
      throws IOException {
    List<String> line = new ArrayList<>(List.of("io.fleetgauge.runtime.process.Main"));
    line.addAll(List.of(command));
    Path log = Files.createTempFile(folder, "output", ".txt");
    return new ChildProcess(folder, log, environment, line(heap, within, flags, line));
  }

  /**
   * Starts a class with this JVM's class path.
   *
   * @param heap as {@code -Xmx} takes it
   * @param flags of the JVM, beside those of the launcher
   */
  static ChildProcess start(
      Path folder, String heap, List<String> flags, Class<?> main, String... arguments)
      throws IOException {
    List<String> line = new ArrayList<>(List.of(main.getName()));
    line.addAll(List.of(arguments));
    Path log = Files.createTempFile(folder, "output", ".txt");
    return new ChildProcess(folder, log, Map.of(), line(heap, List.of(), flags, line));
  }

  /**
   * @param main a class and its arguments
   */
  private static List<String> line(
      String heap, List<String> within, List<String> flags, List<String> main) {
    List<String> line = new ArrayList<>(within);
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(FLAGS);
    line.addAll(flags);
    line.addAll(List.of("-Xmx" + heap, "-cp", System.getProperty("java.class.path")));
    line.addAll(main);
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
}
