package io.fleetgauge.load.system;

import io.fleetgauge.load.fleet.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/**
 * A process that is measured.
 *
 * @param name as the table has it
 * @param address where its HTTP is
 */
public record MeasuredProcess(String name, ChildProcess child, URI address)
    implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  Process process() {
    return child.process();
  }

  public ProcessCost cost() throws IOException {
    Process process = process();
    if (!process.isAlive()) {
      throw new IOException(name + " has ended with status " + process.exitValue());
    }
    return ProcessCost.of(process.pid());
  }

  /** CPU seconds that it has spent on compilation; none where it is no JVM. */
  public double compilationSeconds() throws IOException {
    return ProcessCost.compilationSeconds(process().pid());
  }

  @Override
  public void close() {
    child.end(STOP_LIMIT);
  }
}
