package io.fleetgauge.distribution.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.distribution.process.RuntimeImage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A probe that runs from the folder that the build made, started by its launcher. */
final class PackagedProbe implements AutoCloseable {
  private static final Path HOME =
      Path.of(System.getProperty("fleetgauge.root"), "distribution/target/processes/probe");
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final Pattern READINGS = Pattern.compile("its readings: https?:[^:]+:(\\d+)");

  private final Process process;
  private final Path output;
  private final HttpClient client;
  private final String scheme;

  private PackagedProbe(Process process, Path output, HttpClient client, String scheme) {
    this.process = process;
    this.output = output;
    this.client = client;
    this.scheme = scheme;
  }

  static void assumeBuilt() {
    assumeThat(RuntimeImage.hindrance()).as("why there is no folder of the probe").isEmpty();
    assertThat(HOME.resolve("bin/fleetgauge")).exists();
  }

  /** Starts one with nothing in its environment but what is given. */
  static PackagedProbe start(Path config, Map<String, String> environment) throws IOException {
    return start(config, environment, HttpClient.newHttpClient(), "http");
  }

  /**
   * @param client by which it is asked
   */
  static PackagedProbe start(
      Path config, Map<String, String> environment, HttpClient client, String scheme)
      throws IOException {
    Path output = config.resolveSibling("output");
    ProcessBuilder builder =
        new ProcessBuilder(
                HOME.resolve("bin/fleetgauge").toString(), "probe", "--config", config.toString())
            .directory(config.getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().putAll(environment);
    return new PackagedProbe(builder.start(), output, client, scheme);
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /** Answers a request, of a path that begins with a slash. */
  String get(String path) throws IOException, InterruptedException {
    Matcher address = READINGS.matcher(output());
    assertThat(address.find()).as(output()).isTrue();
    return get(Integer.parseInt(address.group(1)), path);
  }

  /** Answers a request on one of its ports. */
  String get(int port, String path) throws IOException, InterruptedException {
    URI uri = URI.create(scheme + "://127.0.0.1:" + port + path);
    return client
        .send(
            HttpRequest.newBuilder(uri).timeout(SOON).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Waits until what the probe reads is as it should be. */
  void awaitMetrics(Consumer<String> expected) {
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              assertThat(process.isAlive()).as(output()).isTrue();
              expected.accept(get("/metrics"));
            });
  }

  void awaitOutput(String expected) {
    await().atMost(SOON).untilAsserted(() -> assertThat(output()).contains(expected));
  }

  void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  /** The status with which it ends. */
  int awaitEnd() throws IOException, InterruptedException {
    assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).as(output()).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
