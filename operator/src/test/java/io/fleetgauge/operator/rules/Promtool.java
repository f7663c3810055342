package io.fleetgauge.operator.rules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The real promtool, where it is installed. */
final class Promtool {
  /**
   * The output of a run.
   *
   * @param exit 0 for success
   */
  record Output(int exit, String text) {}

  private Promtool() {}

  static Output run(Path folder, String... arguments) throws IOException, InterruptedException {
    String configured = System.getenv("FLEETGAUGE_PEERS");
    Path peers =
        configured == null
            ? Path.of(System.getProperty("user.home"), ".cache/fleetgauge/peers")
            : Path.of(configured);
    Path program = peers.resolve("bin/promtool");
    Assumptions.assumeTrue(Files.isExecutable(program), () -> "there is no " + program);
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), text);
  }
}
