package io.fleetgauge.distribution.image;

import io.fleetgauge.distribution.process.ShippedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a process is run in its container: what the launcher does elsewhere. */
enum ProcessKind {
  PROBE(
      ShippedProcess.PROBE,
      List.of(9400),
      Duration.ofSeconds(30),
      "Reads the GPUs and the host of a node and sends the readings to gateways"),
  GATEWAY(
      ShippedProcess.GATEWAY,
      List.of(9500, 5701),
      Duration.ofMinutes(2),
      "Stores, reduces and serves the samples of its hosts"),
  QUERY(
      ShippedProcess.QUERY,
      List.of(9090, 5701),
      Duration.ofMinutes(1),
      "Answers PromQL over all gateways as one Prometheus would");

  private static final String HOME = "/" + ProcessImage.HOME;
  private static final String JAVA = HOME + "/runtime/bin/java";

  private final ShippedProcess process;
  private final List<Integer> ports;
  private final Duration start;
  final String description;

  ProcessKind(ShippedProcess process, List<Integer> ports, Duration start, String description) {
    this.process = process;
    this.ports = ports;
    this.start = start;
    this.description = description;
  }

  /** The command of the process, and the name of its folder. */
  String command() {
    return process.command();
  }

  String image() {
    return "fleetgauge-" + command();
  }

  /** The line that starts the process, up to its name. */
  List<String> entryPoint(LayeredFolder folder) {
    List<String> line = new ArrayList<>(List.of(JAVA));
    process.flags().forEach(file -> line.add("@" + HOME + "/" + file));
    if (folder.hasNative()) {
      line.add("-Djava.library.path=" + HOME + "/native");
      line.add("-Djffi.boot.library.path=" + HOME + "/native");
      if (folder.has("native/libsnappyjava.so")) {
        line.add("-Dorg.xerial.snappy.lib.path=" + HOME + "/native");
        line.add("-Dorg.xerial.snappy.lib.name=libsnappyjava.so");
      }
    }
    if (!folder.cache().isEmpty()) {
      line.add("-XX:AOTCache=" + HOME + "/" + folder.cache());
      line.add("-Xlog:aot*=off");
      line.add("-Xlog:cds*=off");
      line.add("-Dfleetgauge.classCache=" + HOME + "/" + folder.cache());
    }
    line.addAll(
        List.of(
            "-cp",
            HOME + "/lib/" + folder.jar(process.module()),
            "io.fleetgauge.runtime.process.Main",
            command()));
    return line;
  }

  /** The key {@code config} of the image's configuration. */
  Map<String, Object> execution(LayeredFolder folder, Map<String, String> labels) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("User", Entry.NONROOT + ":" + Entry.NONROOT);
    Map<String, Object> exposed = new LinkedHashMap<>();
    ports.forEach(port -> exposed.put(port + "/tcp", Map.of()));
    all.put("ExposedPorts", exposed);
    List<String> environment = new ArrayList<>();
    // One memory pool for all threads: the C library's default of several costs tens of MiB.
    environment.add("MALLOC_ARENA_MAX=1");
    // Names of files and programs are UTF-8.
    environment.add("LC_ALL=C.UTF-8");
    environment.add("FLEETGAUGE_HEALTH_URL=http://127.0.0.1:" + ports.getFirst() + "/-/healthy");
    if (this == PROBE) {
      // The container toolkit of the GPU's vendor brings the driver's library in, and no more.
      environment.add("NVIDIA_VISIBLE_DEVICES=all");
      environment.add("NVIDIA_DRIVER_CAPABILITIES=utility");
    }
    all.put("Env", environment);
    all.put("Entrypoint", entryPoint(folder));
    all.put("Cmd", List.of("--config", "/etc/fleetgauge/" + command() + ".yaml"));
    all.put("WorkingDir", "/" + ProcessImage.DATA);
    all.put("Volumes", Map.of("/" + ProcessImage.DATA, Map.of()));
    all.put("Labels", labels);
    all.put("StopSignal", "SIGTERM");
    all.put("Healthcheck", healthCheck(folder));
    return all;
  }

  private Map<String, Object> healthCheck(LayeredFolder folder) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put(
        "Test",
        List.of(
            "CMD",
            JAVA,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xmx16m",
            "-cp",
            HOME + "/lib/" + folder.jar("runtime"),
            "io.fleetgauge.runtime.health.HealthCheck"));
    all.put("Interval", Duration.ofSeconds(30).toNanos());
    all.put("Timeout", Duration.ofSeconds(10).toNanos());
    all.put("StartPeriod", start.toNanos());
    all.put("Retries", 3);
    return all;
  }
}
