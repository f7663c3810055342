package io.fleetgauge.load.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program in a process of its own, which ends with this JVM at the latest. */
public final class ChildProcess implements AutoCloseable {
  private static final long POLL_MILLIS = 20;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);

  private final Process process;
  private final Path log;

  /**
   * Starts it.
   *
   * @param folder where it runs
   * @param log receives what it prints
   * @param environment variables that it has beside those of this process
   * @param command the program with its arguments
   */
  public ChildProcess(Path folder, Path log, Map<String, String> environment, List<String> command)
      throws IOException {
    this.log = log;
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    process = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  public Process process() {
    return process;
  }

  /** Everything that it has printed so far. */
  public String output() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits until an address answers 200.
   *
   * @throws IllegalStateException if it ends, or takes longer than the limit; with its output
   */
  public void awaitReady(URI address, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(ANSWER_LIMIT)
            .build()) {
      HttpRequest request = HttpRequest.newBuilder(address).timeout(ANSWER_LIMIT).build();
      while (!isReady(client, request)) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw new IllegalStateException(address + " does not become ready: " + output());
        }
        process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private static boolean isReady(HttpClient client, HttpRequest request)
      throws InterruptedException {
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // not listening
    }
  }

  /** Stops it with SIGTERM, and kills it when it takes longer; answers whether it ended in time. */
  public boolean stop(Duration limit) throws InterruptedException {
    process.destroy();
    boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    close();
    return ended;
  }

  /** As {@link #stop}; when this thread is interrupted, it is killed at once. */
  public void end(Duration limit) {
    try {
      stop(limit);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
    }
  }

  /** Sends a signal, such as STOP. */
  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
        .inheritIO()
        .start()
        .waitFor();
  }

  /** Kills it, as {@code kill -9} does, and waits until it is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
