package io.fleetgauge.distribution.training;

import io.fleetgauge.distribution.process.ProcessFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A process that runs from its folder, and notes what it loads and executes if it is asked to. Not
 * for several threads.
 */
final class TrainedProcess implements AutoCloseable {
  private static final int SECONDS = 120;

  /** Silences thousands of lines about classes that are left out of a cache. */
  private static final String QUIET = " -Xlog:aot*=error -Xlog:cds*=error";

  private final ProcessFolder from;
  private final String name;
  private final Path folder;
  private final Path config;
  private final Path output;
  private Process process;

  /**
   * @param name unique in the folder
   * @param folder to work in
   */
  TrainedProcess(ProcessFolder from, String name, Path folder, String config) throws IOException {
    this.from = from;
    this.name = name;
    this.folder = folder;
    this.config = Files.writeString(folder.resolve(name + ".yaml"), config);
    this.output = folder.resolve(name + ".txt");
  }

  private Path notes() {
    return folder.resolve(name + ".notes");
  }

  void start(StandInDriver driver) throws IOException {
    run(driver, "");
  }

  void startAndNote(StandInDriver driver) throws IOException {
    run(driver, "-XX:AOTMode=record -XX:AOTConfiguration=" + notes() + QUIET);
  }

  private void run(StandInDriver driver, String javaOptions) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            from.launcher().toString(), from.process().command(), "--config", config.toString());
    builder.environment().put("FLEETGAUGE_JAVA_OPTIONS", javaOptions);
    builder.environment().put(StandInDriver.VARIABLE, driver.gpus().toString());
    process =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
  }

  /** Ends it as an operator does; the notes are complete then. */
  void stop() throws IOException, InterruptedException {
    process.destroy();
    awaitEnd();
  }

  /** Writes what was noted as it is to lie in memory. */
  void makeCache(StandInDriver driver) throws IOException, InterruptedException {
    Path cache = from.cache();
    run(
        driver,
        "-XX:AOTMode=create -XX:AOTConfiguration=%s -XX:AOTCache=%s%s"
            .formatted(notes(), cache, QUIET));
    awaitEnd();
    if (!Files.exists(cache)) {
      throw failure("makes no cache of classes");
    }
  }

  private void awaitEnd() throws IOException, InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw failure("does not end");
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  IOException failure(String what) throws IOException {
    return new IOException(name + " " + what + ": " + output());
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
