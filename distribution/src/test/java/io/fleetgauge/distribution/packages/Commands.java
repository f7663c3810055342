package io.fleetgauge.distribution.packages;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Programs of the machine that judge packages. */
final class Commands {
  private Commands() {}

  static boolean isPresent(String program) {
    return List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin").stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Output of a program; a failure tells it. */
  static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    if (status != 0) {
      throw new AssertionError(String.join(" ", command) + " ends with " + status + ": " + output);
    }
    return output;
  }
}
