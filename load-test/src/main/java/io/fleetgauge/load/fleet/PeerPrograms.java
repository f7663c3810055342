package io.fleetgauge.load.fleet;

import java.nio.file.Files;
import java.nio.file.Path;

/** Programs to compare with, where {@code ./fleetgauge test} has put them. */
public final class PeerPrograms {
  private PeerPrograms() {}

  /** Has {@code bin}, and jars of programs in folders of their names. */
  public static Path folder() {
    String folder = System.getenv("FLEETGAUGE_PEERS");
    return folder == null
        ? Path.of(System.getProperty("user.home"), ".cache", "fleetgauge", "peers")
        : Path.of(folder);
  }

  public static boolean isThere(String name) {
    return Files.isExecutable(path(name));
  }

  private static Path path(String name) {
    return folder().resolve("bin").resolve(name);
  }

  public static Path program(String name) {
    Path program = path(name);
    if (!isThere(name)) {
      throw new IllegalStateException(program + " is needed; `./fleetgauge test` brings it");
    }
    return program;
  }
}
