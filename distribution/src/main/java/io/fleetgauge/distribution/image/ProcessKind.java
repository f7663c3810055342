package io.fleetgauge.distribution.image;

import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.Port;
import io.fleetgauge.distribution.process.ShippedProcess;
import java.util.ArrayList;
import java.util.List;

/**
 * The command, ports and environment of a process in its container, as the launcher sets them
 * elsewhere.
 */
enum ProcessKind {
  PROBE(
      ShippedProcess.PROBE,
      List.of(9400),
      "Reads the GPUs and the host of a node and sends the readings to gateways"),
  GATEWAY(
      ShippedProcess.GATEWAY,
      List.of(9500, 5701),
      "Stores, reduces and serves the samples of its hosts"),
  QUERY(
      ShippedProcess.QUERY,
      List.of(9090, 5701),
      "Serves PromQL queries over all gateways as one Prometheus would");

  /** The user and group of the data folder, which no machine has another user for. */
  private static final String USER = "65532:65532";

  static final String HOME = "/opt/fleetgauge";
  private static final String DATA = "/var/lib/fleetgauge";
  private static final String JAVA = HOME + "/runtime/bin/java";

  private final ShippedProcess process;
  private final List<Integer> ports;
  final String description;

  ProcessKind(ShippedProcess process, List<Integer> ports, String description) {
    this.process = process;
    this.ports = ports;
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

  /** Sets how the process is run. The health check comes from the base. */
  void describe(JibContainerBuilder image, LayeredFolder folder) {
    image.setUser(USER);
    ports.forEach(port -> image.addExposedPort(Port.tcp(port)));
    // One memory pool for all threads: the C library's default of several costs tens of MiB.
    image.addEnvironmentVariable("MALLOC_ARENA_MAX", "1");
    // Names of files and programs are UTF-8.
    image.addEnvironmentVariable("LC_ALL", "C.UTF-8");
    image.addEnvironmentVariable(
        "FLEETGAUGE_HEALTH_URL", "http://127.0.0.1:" + ports.getFirst() + "/-/healthy");
    if (this == PROBE) {
      // The container toolkit of the GPU's vendor brings the driver's library in, and no more.
      image.addEnvironmentVariable("NVIDIA_VISIBLE_DEVICES", "all");
      image.addEnvironmentVariable("NVIDIA_DRIVER_CAPABILITIES", "utility");
    }
    image.setEntrypoint(entryPoint(folder));
    image.setProgramArguments("--config", "/etc/fleetgauge/" + command() + ".yaml");
    image.setWorkingDirectory(AbsoluteUnixPath.get(DATA));
    image.addVolume(AbsoluteUnixPath.get(DATA));
  }
}
