package io.fleetgauge.distribution.packages;

import java.util.List;
import java.util.Locale;

/** The processes, each packaged by itself. */
enum PackagedProcess {
  PROBE(
      "reads the GPUs and the host of a node",
      """
      The probe reads the GPUs of a node by NVML and its host as node_exporter
      does, finds out who owns each GPU, and streams the readings to gateways.
      It keeps what gateways have not acknowledged on its disk.\
      """,
      List.of(
          "gpu-admin.conf", "kubelet.conf", "root-files.conf", "slurm.conf", "socket-group.conf")),
  GATEWAY(
      "stores and reduces the samples of its hosts",
      """
      A gateway accepts the samples of 10 to 15 hosts, keeps them on its disk,
      copies them to another gateway, and aggregates them for each rack, tenant
      and job. Several gateways form a cluster.\
      """,
      List.of("60-fleetgauge-gateway.conf", "data-folder.conf", "memory.conf", "network.conf")),
  QUERY(
      "serves PromQL queries over all gateways",
      """
      The query API serves PromQL over all gateways as one Prometheus would, to
      Grafana, to many tenants, and to a Prometheus that federates. The package
      has the tools for operators too, in the command fleetgauge.\
      """,
      List.of("memory.conf", "network.conf"));

  private final String summary;
  private final String description;
  private final List<String> examples;

  PackagedProcess(String summary, String description, List<String> examples) {
    this.summary = summary;
    this.description = description;
    this.examples = examples;
  }

  /**
   * The process by the name of its folder.
   *
   * @throws IllegalArgumentException if there is no such process
   */
  static PackagedProcess named(String name) {
    for (PackagedProcess each : values()) {
      if (each.folder().equals(name)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        name + " is no process. Its folder is named probe, gateway or query.");
  }

  /** Its name in commands, configuration and folders. */
  String folder() {
    return name().toLowerCase(Locale.ROOT);
  }

  String packageName() {
    return "fleetgauge-" + folder();
  }

  String summary() {
    return summary;
  }

  /** Lines of at most 75 characters. */
  String description() {
    return description;
  }

  /** Files that users copy from the documentation: drop-ins of the unit, limits of the kernel. */
  List<String> examples() {
    return examples;
  }
}
