package io.fleetgauge.load.system;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/**
 * A process that is measured.
 *
 * @param name as the table has it
 * @param address where its HTTP is
 */
public record MeasuredProcess(String name, Process process, URI address) implements AutoCloseable {
  private static final int STOP_SECONDS = 30;

  public ProcessCost cost() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(name + " has ended with status " + process.exitValue());
    }
    return ProcessCost.of(process.pid());
  }

  /** CPU seconds that it has spent on compilation; none where it is no JVM. */
  public double compilationSeconds() throws IOException {
    return ProcessCost.compilationSeconds(process.pid());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
