package io.fleetgauge.cluster.table;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the next table is made from, beside the one before.
 *
 * @param writer the id of the gateway that makes it
 * @param gateways those that are there
 * @param hosts those that are known
 * @param reports what owners say of their hosts' copies, by host
 * @param replication how many gateways hold a host, the owner among them, 1 to 3
 */
public record Situation(
    String writer,
    List<Gateway> gateways,
    Collection<String> hosts,
    Map<String, Report> reports,
    int replication) {

  /**
   * A gateway that is there.
   *
   * @param zone what it shares with others that may fail with it, such as a rack; empty when that
   *     is not known
   * @param active whether it may be given hosts; one that starts or leaves may not
   */
  public record Gateway(String id, String zone, boolean active) {}

  /**
   * An owner's word on a host.
   *
   * @param since as {@link Holders#since} was when it was said; of another time it says nothing
   * @param behind as {@link Holders#behind}
   * @param synced the keys of the copies that have all that the owner has
   */
  public record Report(String owner, long since, Set<String> behind, Set<String> synced) {}
}
