package io.fleetgauge.cluster.config;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Settings of how a process joins the cluster. All members must have the same name and replication.
 *
 * @param name {@code cluster.name}
 * @param host {@code cluster.host}
 * @param port {@code cluster.port}
 * @param isPortSet true if {@code cluster.port} was given: then that port is used or none; if not,
 *     a process that holds no data uses the next free port
 * @param members {@code cluster.members}, each as host:port; empty when the key is missing and
 *     members are discovered
 * @param discovery {@code cluster.discovery}: how members are discovered besides
 * @param replication {@code cluster.replication}: gateways that hold each host
 */
public record ClusterSettings(
    String name,
    String host,
    int port,
    boolean isPortSet,
    List<String> members,
    Optional<DiscoverySettings> discovery,
    int replication) {
  /** One of two holders may be lost. */
  public static final int DEFAULT_REPLICATION = 2;

  private static final int DEFAULT_PORT = 5701;
  private static final Pattern HOST_AND_PORT = Pattern.compile("[^\\s:]+:\\d{1,5}");

  private static final Key<String> NAME =
      Key.of(
          "cluster.name",
          KeyType.text(),
          "fleetgauge",
          "Name of the cluster; members with another name never join it.");
  private static final Key<String> HOST =
      Key.of(
          "cluster.host",
          KeyType.text(),
          "127.0.0.1",
          "Address at which the other members reach this process; it should be on a private"
              + " network.");
  private static final Key<Integer> PORT =
      Key.of(
          "cluster.port",
          KeyType.port(),
          DEFAULT_PORT,
          "TCP port for the other members; 0 lets the system choose one.");
  private static final Key<Integer> QUERY_PORT =
      Key.derived(
          "cluster.port",
          KeyType.port(),
          "the first free port from " + DEFAULT_PORT,
          PORT.meaning());
  private static final Key<List<String>> MEMBERS =
      Key.of(
          "cluster.members",
          KeyType.listOf(
              KeyType.form(
                  "address",
                  "host:port",
                  text -> text,
                  text -> Optional.of(text).filter(HOST_AND_PORT.asMatchPredicate())),
              1),
          List.of("127.0.0.1:" + DEFAULT_PORT),
          "Addresses of any members; this process may be among them. With"
              + " `cluster.discovery.method`, they are added to the discovered ones, and there are"
              + " none by default.");
  private static final Key<Integer> REPLICATION =
      Key.of(
          "cluster.replication",
          KeyType.integer(1, 3),
          DEFAULT_REPLICATION,
          "Number of gateways that hold each host; the same on all members.");

  /** Members that are listed. */
  public ClusterSettings(
      String name,
      String host,
      int port,
      boolean isPortSet,
      List<String> members,
      int replication) {
    this(name, host, port, isPortSet, members, Optional.empty(), replication);
  }

  /** With a port that was given, and members that are listed. */
  public ClusterSettings(
      String name, String host, int port, List<String> members, int replication) {
    this(name, host, port, true, members, replication);
  }

  /**
   * @param folder where the gateway keeps what it knows over restarts
   */
  public static ClusterSettings readForGateway(ConfigReader in, Path folder) {
    return read(in, PORT, Optional.of(folder.resolve("discovery")));
  }

  public static ClusterSettings readForQuery(ConfigReader in) {
    return read(in, QUERY_PORT, Optional.empty());
  }

  private static ClusterSettings read(
      ConfigReader in, Key<Integer> port, Optional<Path> discoveryCache) {
    List<String> members = in.get(MEMBERS);
    Optional<DiscoverySettings> discovery =
        DiscoverySettings.readForMember(in, DEFAULT_PORT, discoveryCache);
    return new ClusterSettings(
        in.get(NAME),
        in.get(HOST),
        in.get(port, DEFAULT_PORT),
        in.has(port),
        discovery.isPresent() && !in.has(MEMBERS) ? List.of() : members,
        discovery,
        in.get(REPLICATION));
  }
}
