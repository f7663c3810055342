package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.util.List;

/**
 * How a process joins the cluster. All members must have the same name.
 *
 * @param name {@code cluster.name}; members of other names are never joined
 * @param host {@code cluster.host}: the address that the other members reach; it should be on a
 *     private network
 * @param port {@code cluster.port}, 0 to 65535; 0 takes any free one
 * @param isPortSet whether {@code cluster.port} was given: then that port is used or none; if not,
 *     a process that holds no data uses the next free port
 * @param members {@code cluster.members}: host:port of some members, this one may be among them
 * @param replication {@code cluster.replication}: how many gateways hold each host, 1 to 3; the
 *     same for all members
 */
public record ClusterSettings(
    String name, String host, int port, boolean isPortSet, List<String> members, int replication) {
  /** Of two holders one may be lost. */
  public static final int DEFAULT_REPLICATION = 2;

  private static final int DEFAULT_PORT = 5701;

  /** With a port that was given. */
  public ClusterSettings(
      String name, String host, int port, List<String> members, int replication) {
    this(name, host, port, true, members, replication);
  }

  static ClusterSettings read(ConfigReader in) {
    ClusterSettings settings =
        new ClusterSettings(
            in.text("cluster.name", "fleetgauge"),
            in.text("cluster.host", "127.0.0.1"),
            in.port("cluster.port", DEFAULT_PORT),
            in.isSet("cluster.port"),
            in.texts("cluster.members", List.of("127.0.0.1:" + DEFAULT_PORT)),
            (int) in.number("cluster.replication", DEFAULT_REPLICATION, 1, 3));
    for (String member : settings.members()) {
      if (!member.matches("[^\\s:]+:\\d{1,5}")) {
        in.problem("cluster.members: " + member + " is not of the form host:port");
      }
    }
    return settings;
  }
}
