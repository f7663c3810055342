package io.fleetgauge.distribution.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.distribution.process.Programs;
import io.fleetgauge.distribution.process.RuntimeImage;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of the probe, unpacked and run as on a node: 8 GPUs, all at 1 s, sent over TLS. */
class ProbeArchiveTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path PACKAGES = ROOT.resolve("distribution/target/packages");
  private static final int GPUS = 8;
  private static final Pattern READINGS = Pattern.compile("its readings: (http://\\S+)");

  /** Most resident memory of the probe; 105 to 114 MiB were measured. */
  private static final long MOST_MIB = 135;

  @TempDir private static Path unpacked;
  private static Path home;

  @TempDir private Path folder;
  private TrainingGateway gateway;
  private Process probe;
  private Path output;

  @BeforeAll
  static void unpack() throws Exception {
    String hindrance = RuntimeImage.hindrance();
    assumeThat(hindrance).as("why there is no archive of the probe").isEmpty();
    List<Path> archives;
    try (Stream<Path> all = Files.list(PACKAGES)) {
      archives =
          all.filter(
                  file ->
                      file.getFileName()
                          .toString()
                          .matches("fleetgauge-probe-.*-linux-.*\\.tar\\.gz"))
              .toList();
    }
    assertThat(archives).hasSize(1);
    Programs.run(unpacked, "tar", "-xzf", archives.getFirst().toString());
    try (Stream<Path> all = Files.list(unpacked)) {
      home = all.findFirst().orElseThrow();
    }
  }

  @BeforeEach
  void startGateway() throws Exception {
    gateway = TrainingGateway.start(folder);
    output = folder.resolve("output");
  }

  @AfterEach
  void end() throws InterruptedException {
    if (probe != null) {
      probe.destroyForcibly();
      probe.waitFor();
    }
    gateway.close();
  }

  @Test
  void aProbeRunsWithoutJavaOnTheNodeWithinItsMemoryAndWithoutChildren() throws Exception {
    Map<Path, FileTime> before = files();
    long begun = System.nanoTime();
    start(home);
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> Files.readString(output).contains("its readings"));
    System.out.printf("The probe is ready after %d ms%n", (System.nanoTime() - begun) / 1_000_000);
    assertThat(gateway.awaitTicks(60)).as(Files.readString(output)).isTrue();
    assertThat(Files.readString(output)).contains(GPUS + " GPUs, 0 of them without a handle");
    assertThat(Files.readString(process("maps")))
        .contains("/runtime/lib/server/libjvm.so", "/runtime/lib/probe.aot")
        .contains("/native/libjffi", "/native/libnetty_transport_native_epoll");
    long mebibytes = residentMebibytes();
    System.out.printf("The probe takes %d MiB%n", mebibytes);
    assertThat(mebibytes).isLessThan(MOST_MIB);
    assertThat(children()).as("processes that the probe started").isEmpty();
    probe.destroy();
    assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(output)
        .content()
        .doesNotContain("\tat ", "[aot]", "[cds]", "WARNING", "does not fit");
    assertThat(files()).as("nothing is written where it is installed").isEqualTo(before);
  }

  @Test
  void aCacheThatDoesNotFitIsDoneWithoutAndToldOnce() throws Exception {
    Path copy = folder.resolve("copy");
    // Without the times of the files, as a careless copy has them.
    Programs.run(folder, "cp", "-r", home.toString(), copy.toString());
    start(copy);
    assertThat(gateway.awaitTicks(90)).as(Files.readString(output)).isTrue();
    assertThat(output).content().doesNotContain("[aot]", "[cds]");
    assertThat(output).content().containsOnlyOnce("probe.aot does not fit this Java");
  }

  @Test
  void theProbeRunsSqueueAndReadsTheJobsThatItPrints() throws Exception {
    Path squeue = folder.resolve("squeue");
    Files.writeString(
        squeue,
        """
        #!/bin/sh
        [ "$*" = --json ] || exit 1
        cat <<'END'
        {"jobs": [{"job_id": 42, "user_name": "josé", "account": "physics", "name": "train",
          "job_state": ["RUNNING"], "nodes": "n1", "tres_alloc_str": "cpu=8,gres/gpu=2"}]}
        END
        """);
    assertThat(squeue.toFile().setExecutable(true)).isTrue();
    Path config = config();
    Files.writeString(
        config,
        "attribution: {slurm: {jobs: {enabled: true, command: %s}}}\n".formatted(squeue),
        StandardOpenOption.APPEND);
    probe = launcher(home, "probe", "--config", config.toString()).start();
    await()
        .atMost(Duration.ofMinutes(10))
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(metrics())
                    .containsPattern("slurm_job_info\\{.*account=\"physics\".*user=\"josé\"")
                    .containsPattern("slurm_jobs_up\\{.*\\} 1"));
  }

  @Test
  void otherCommandsAreToldToBeElsewhere() throws Exception {
    probe = launcher(home, "gateway").start();
    assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(probe.exitValue()).isEqualTo(1);
    assertThat(output).content().contains("gateway is not in " + home);
  }

  @Test
  void doctorLooksAtTheNodeWithTheRuntimeOfTheArchive() throws Exception {
    probe =
        launcher(home, "doctor", "probe", "--quick", "--all", "--config", config().toString())
            .start();
    assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(output)
        .content()
        .contains("OK gpus: " + GPUS + " GPUs", "tls: trust.ca ", " skipped, ")
        .doesNotContain("\tat ", "[aot]", "[cds]");
  }

  private String metrics() throws IOException {
    Matcher address = READINGS.matcher(Files.readString(output));
    assertThat(address.find()).isTrue();
    try (InputStream in = URI.create(address.group(1)).toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void start(Path from) throws Exception {
    probe = launcher(from, "probe", "--config", config().toString()).start();
  }

  private Path config() throws Exception {
    Path library =
        StandInDriver.compile(ROOT.resolve("node-probe/src/test/c/nvml_stand_in.c"), folder);
    Files.writeString(folder.resolve("gpus"), gpus());
    Path config = folder.resolve("probe.yaml");
    Files.writeString(
        config,
        """
        hostname: n1
        tick: 1s
        ticks: {other: 1s, static: 1s}
        gateways: ["%s"]
        trust: {ca: %s}
        http: {host: 127.0.0.1, port: 0}
        spool: {folder: %s}
        gpu: {library: %s}
        """
            .formatted(gateway.address(), gateway.authority(), folder.resolve("spool"), library));
    return config;
  }

  private ProcessBuilder launcher(Path from, String... arguments) {
    List<String> command =
        Stream.concat(Stream.of(from.resolve("bin/fleetgauge").toString()), Stream.of(arguments))
            .toList();
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().put("NVML_STAND_IN", folder.resolve("gpus").toString());
    return builder;
  }

  /** Eight GPUs with most of what a data-centre GPU has. */
  private static String gpus() {
    StringBuilder script = new StringBuilder("gpus " + GPUS + "\n");
    for (int gpu = 0; gpu < GPUS; gpu++) {
      String line = gpu + " %s\n";
      script.append(line.formatted("text.uuid GPU-" + gpu));
      script.append(line.formatted("text.name NVIDIA H100 80GB HBM3"));
      for (String value :
          List.of("gpu_percent 87", "total 85520809984", "used 1048576000", "power 687125")) {
        script.append(line.formatted(value));
      }
      for (String value : List.of("gpm 1", "field.91 18", "compute_processes 8", "celsius 64")) {
        script.append(line.formatted(value));
      }
      for (int field = 1; field < 290; field++) {
        if (field != 91) {
          script.append(line.formatted("field." + field + " 1234"));
        }
      }
      for (int metric = 1; metric < 104; metric++) {
        script.append(line.formatted("gpm." + metric + " 12.5"));
      }
    }
    return script.toString();
  }

  private Path process(String file) {
    return Path.of("/proc", Long.toString(probe.pid()), file);
  }

  private long residentMebibytes() throws IOException {
    for (String line : Files.readAllLines(process("status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
      }
    }
    throw new IllegalStateException("the process has no VmRSS");
  }

  private String children() throws IOException {
    StringBuilder children = new StringBuilder();
    try (Stream<Path> threads = Files.list(process("task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        children.append(Files.readString(thread.resolve("children")));
      }
    }
    return children.toString();
  }

  private static Map<Path, FileTime> files() throws IOException {
    Map<Path, FileTime> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(home)) {
      for (Path file : (Iterable<Path>) all::iterator) {
        files.put(file, Files.getLastModifiedTime(file));
      }
    }
    return files;
  }
}
