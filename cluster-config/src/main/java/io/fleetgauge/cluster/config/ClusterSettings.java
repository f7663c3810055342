package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.util.List;

/**
 * How a process joins the cluster. All members must have the same name.
 *
 * @param name {@code cluster.name}; members of other names are never joined
 * @param host {@code cluster.host}: the address that the other members reach; it should be on a
 *     private network
 * @param port {@code cluster.port}, 0 to 65535
 * @param members {@code cluster.members}: host:port of some members, this one may be among them
 * @param replication {@code cluster.replication}: how many gateways hold each host, 1 to 3; the
 *     same for all members
 */
public record ClusterSettings(
    String name, String host, int port, List<String> members, int replication) {
  /** Of two holders one may be lost. */
  public static final int DEFAULT_REPLICATION = 2;

  static ClusterSettings read(ConfigReader in) {
    ClusterSettings settings =
        new ClusterSettings(
            in.text("cluster.name", "fleetgauge"),
            in.text("cluster.host", "127.0.0.1"),
            in.port("cluster.port", 5701),
            in.texts("cluster.members", List.of("127.0.0.1:5701")),
            (int) in.number("cluster.replication", DEFAULT_REPLICATION, 1, 3));
    for (String member : settings.members()) {
      if (!member.matches("[^\\s:]+:\\d{1,5}")) {
        in.problem("cluster.members: " + member + " is not of the form host:port");
      }
    }
    return settings;
  }
}
