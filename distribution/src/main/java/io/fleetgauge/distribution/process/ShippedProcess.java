package io.fleetgauge.distribution.process;

import java.util.List;
import java.util.Locale;

/** A process that is installed, each in a folder of its own. */
public enum ShippedProcess {
  PROBE(
      List.of("node-probe"),
      List.of("jvm/common.flags", "jvm/probe.flags"),
      List.of("etc/probe.yaml", "gpu", "slurm", "docs"),
      List.of("probe", "doctor"),
      List.of(
          "java.base",
          "java.logging",
          "java.management",
          "java.naming",
          "java.xml",
          "jdk.net",
          "jdk.unsupported")),
  GATEWAY(
      List.of("shard-gateway"),
      List.of("jvm/common.flags", "jvm/member.flags", "jvm/small-heap.flags"),
      List.of("etc/gateway.yaml", "etc/tenants.yaml", "docs"),
      List.of("gateway", "doctor"),
      Modules.OF_MEMBERS),
  QUERY(
      List.of("query-api", "operator"),
      List.of("jvm/common.flags", "jvm/member.flags", "jvm/small-heap.flags"),
      List.of("etc/query.yaml", "etc/tenants.yaml", "rules", "dashboards", "docs"),
      List.of(
          "query",
          "rules",
          "report",
          "backup",
          "restore",
          "status",
          "doctor",
          "faults",
          "diagnose",
          "slow-queries",
          "cardinality",
          "storage"),
      Modules.OF_MEMBERS);

  /** Gateways and query APIs need the same of the JDK, so that they can share one image of it. */
  private static final class Modules {
    static final List<String> OF_MEMBERS =
        List.of(
            "java.base",
            "java.logging",
            "java.management",
            "java.naming",
            "java.net.http",
            "java.sql",
            "java.transaction.xa",
            "java.xml",
            "jdk.management",
            "jdk.net",
            "jdk.unsupported");
  }

  private final List<String> modules;
  private final List<String> flags;
  private final List<String> examples;
  private final List<String> commands;
  private final List<String> javaModules;

  ShippedProcess(
      List<String> modules,
      List<String> flags,
      List<String> examples,
      List<String> commands,
      List<String> javaModules) {
    this.modules = modules;
    this.flags = flags;
    this.examples = examples;
    this.commands = commands;
    this.javaModules = javaModules;
  }

  /** The command of the launcher that runs it, which is the name of its folder. */
  public String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The module whose jar names all others that the process itself needs. */
  public String module() {
    return modules.getFirst();
  }

  /** All modules whose jars are in its folder: {@link #module()}, and that of its commands. */
  List<String> modules() {
    return modules;
  }

  /** The files of flags of its JVM, by their paths in the folder. */
  public List<String> flags() {
    return flags;
  }

  /** Files and folders that show how it is configured. */
  List<String> examples() {
    return examples;
  }

  /** The commands of the launcher that its jars have; {@link #command()} is the first. */
  public List<String> commands() {
    return commands;
  }

  /** The modules of the JDK that it and its libraries load classes of. */
  List<String> javaModules() {
    return javaModules;
  }

  /** Where the folder of the process has its cache of classes. */
  public String cache() {
    return "runtime/lib/" + command() + ".aot";
  }
}
