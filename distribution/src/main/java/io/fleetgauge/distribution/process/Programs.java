package io.fleetgauge.distribution.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Programs of the machine that the build runs. */
public final class Programs {
  private Programs() {}

  /**
   * Runs a program and waits for it.
   *
   * @return what it prints
   * @throws IOException with its output, if it fails
   */
  public static String run(Path folder, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException(Arrays.toString(command) + " fails: " + output);
    }
    return output;
  }
}
