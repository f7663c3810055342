package io.fleetgauge.load.fleet;

import io.fleetgauge.runtime.process.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fleetgauge as it is installed: the unpacked archive, whose launcher decides how a process starts.
 *
 * @param home the folder with {@code bin}, {@code jvm} and {@code lib}
 */
public record Installation(Path home) {
  /** The property that names the folder; {@code ./fleetgauge} sets it. */
  public static final String PROPERTY = "fleetgauge.installed";

  /** The heap of the program that measures, which must not become that of what is measured. */
  private static final String HEAP = "FLEETGAUGE_HEAP";

  /**
   * The one that {@code ./fleetgauge} has built.
   *
   * @throws StartFailure if there is none
   */
  public static Installation built() throws StartFailure {
    String folder = System.getProperty(PROPERTY, "");
    if (folder.isEmpty() || !Files.isExecutable(launcher(Path.of(folder)))) {
      throw new StartFailure(
          "no installed Fleetgauge at \""
              + folder
              + "\"; run this with ./fleetgauge, or name the unpacked archive with -D"
              + PROPERTY);
    }
    return new Installation(Path.of(folder));
  }

  private static Path launcher(Path home) {
    return home.resolve("bin").resolve("fleetgauge");
  }

  /**
   * Starts a process.
   *
   * @param folder where it runs
   * @param log where its output goes
   * @param heap as {@code FLEETGAUGE_HEAP} takes it; empty for the default
   * @param command of the launcher, with its options
   */
  public ChildProcess start(Path folder, Path log, String heap, String... command)
      throws IOException {
    List<String> line = new ArrayList<>(List.of(launcher(home).toString()));
    line.addAll(List.of(command));
    Map<String, String> environment =
        Map.of("JAVA_HOME", System.getProperty("java.home"), HEAP, heap);
    return new ChildProcess(folder, log, environment, line);
  }
}
