package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

/** Programs that the tests compare with, where {@code ./fleetgauge test} has put them. */
public final class PeerPrograms {
  private PeerPrograms() {}

  public static Path program(String name) {
    String folder = System.getenv("FLEETGAUGE_PEERS");
    Path peers =
        folder == null
            ? Path.of(System.getProperty("user.home"), ".cache", "fleetgauge", "peers")
            : Path.of(folder);
    Path program = peers.resolve("bin").resolve(name);
    assertThat(Files.isExecutable(program))
        .as("%s is needed; `./fleetgauge test` brings it", program)
        .isTrue();
    return program;
  }
}
