package io.fleetgauge.distribution.node;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the cache of classes: the probe of the archive runs as it will on a node, the JVM notes
 * what it loads, and a second JVM writes this as it is to lie in memory.
 */
final class TrainingRun {
  private static final int SECONDS = 120;

  /** Two GPUs that answer calls of each kind. */
  private static final String GPUS =
      """
      gpus 2
      0 text.uuid GPU-1
      0 text.name NVIDIA H100
      0 gpu_percent 87
      0 total 85520809984
      0 used 1048576000
      0 reserved 577765376
      0 celsius 64
      0 power 687125
      0 energy 9000000000123
      0 reasons 68
      0 compute_processes 3
      0 field.82 71
      0 field.91 2
      0 field.165 1
      0 field.197 1234
      0 field.138.-1 100
      0 field.139.-1 200
      0 gpm 1
      0 gpm.2 55.5
      1 text.uuid GPU-2
      1 power 687125
      """;

  private static final Pattern READINGS = Pattern.compile("its readings: (http://\\S+)");

  private final Path home;
  private final Path folder;
  private final Path driver;
  private final Path output;
  private final Path config;

  /**
   * @param home of the unpacked archive, where the cache is written to
   * @param folder to work in
   * @param driver source of the stand-in for the driver
   */
  TrainingRun(Path home, Path folder, Path driver) {
    this.home = home;
    this.folder = folder;
    this.driver = driver;
    this.output = folder.resolve("output");
    this.config = folder.resolve("probe.yaml");
  }

  void run() throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(folder);
    Path library = library();
    Path notes = folder.resolve("classes");
    try (TrainingGateway gateway = TrainingGateway.start(folder)) {
      Files.writeString(
          config,
          """
          hostname: training
          tick: 1s
          ticks: {other: 1s, static: 1m}
          gateways: ["%s"]
          trust: {ca: %s}
          http: {host: 127.0.0.1, port: 0}
          spool: {folder: %s}
          gpu: {library: %s}
          """
              .formatted(gateway.address(), gateway.authority(), folder.resolve("spool"), library));
      Process probe = start("-XX:AOTMode=record -XX:AOTConfiguration=" + notes);
      try {
        if (!gateway.awaitTicks(SECONDS)) {
          throw new IOException("the probe does not send: " + Files.readString(output));
        }
        readMetrics();
      } finally {
        probe.destroy();
        end(probe);
      }
    }
    Path cache = home.resolve("runtime/lib/probe.aot");
    end(start("-XX:AOTMode=create -XX:AOTConfiguration=" + notes + " -XX:AOTCache=" + cache));
    if (!Files.exists(cache)) {
      throw new IOException("the JVM makes no cache of classes: " + Files.readString(output));
    }
  }

  /** The stand-in for the driver; without a compiler the classes that read GPUs are not cached. */
  private Path library() throws IOException, InterruptedException {
    Files.writeString(folder.resolve("gpus"), GPUS);
    try {
      return compile(driver, folder);
    } catch (IOException e) {
      System.err.println(
          "The cache of the archive for nodes lacks the classes that read GPUs, because there is"
              + " no C compiler for the stand-in of the driver: "
              + e.getMessage());
      return folder.resolve("none");
    }
  }

  /** Compiles the stand-in for the driver to a library in a folder. */
  static Path compile(Path driver, Path folder) throws IOException, InterruptedException {
    Path library = folder.resolve("libnvml-stand-in.so");
    NodeArchive.run(
        folder,
        System.getenv().getOrDefault("CC", "cc"),
        "-shared",
        "-fPIC",
        "-Wl,-Bsymbolic",
        "-o",
        library.toString(),
        driver.toString(),
        "-lpthread",
        "-lm");
    return library;
  }

  private Process start(String javaOptions) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            home.resolve("bin/fleetgauge").toString(), "probe", "--config", config.toString());
    builder.environment().put("FLEETGAUGE_JAVA_OPTIONS", javaOptions);
    builder.environment().put("NVML_STAND_IN", folder.resolve("gpus").toString());
    return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  private void end(Process process) throws IOException, InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("the probe does not end: " + Files.readString(output));
    }
  }

  private void readMetrics() throws IOException {
    Matcher address = READINGS.matcher(Files.readString(output));
    if (!address.find()) {
      throw new IOException("the probe does not say its address: " + Files.readString(output));
    }
    try (InputStream in = URI.create(address.group(1)).toURL().openStream()) {
      in.readAllBytes();
    }
  }
}
