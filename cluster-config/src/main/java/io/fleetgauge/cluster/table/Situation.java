package io.fleetgauge.cluster.table;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Input for the next table, beside the one before.
 *
 * @param writer id of the gateway that makes it
 * @param gateways those that are there
 * @param hosts those that are known
 * @param reports of owners on the copies of their hosts, by host
 * @param replication number of gateways that hold a host, the owner among them, 1 to 3
 * @param registered entries of hosts in the registry; nothing is known of a host without one
 * @param removable hosts that have been {@link Holders.Stay#REMOVED} for so long that all gateways
 *     have seen it
 */
public record Situation(
    String writer,
    List<Gateway> gateways,
    Collection<String> hosts,
    Map<String, Report> reports,
    int replication,
    Map<String, Registered> registered,
    Set<String> removable) {

  /** A situation in which the registry says nothing of hosts. */
  public Situation(
      String writer,
      List<Gateway> gateways,
      Collection<String> hosts,
      Map<String, Report> reports,
      int replication) {
    this(writer, gateways, hosts, reports, replication, Map.of(), Set.of());
  }

  /**
   * Entry of a host in the registry.
   *
   * @param admission its admission; of a host that is to be removed, when that was wanted
   * @param removed true if an operator wants it removed
   */
  public record Registered(Holders.Admission admission, boolean removed) {
    public static final Registered UNKNOWN = new Registered(Holders.Admission.UNKNOWN, false);
  }

  /**
   * A gateway that is there.
   *
   * @param zone rack or the like, shared with others that may fail with it; empty when that is not
   *     known
   * @param active true if it may be given hosts; one that starts or leaves may not
   * @param start its statement of its present start; empty while it has not
   */
  public record Gateway(String id, String zone, boolean active, Optional<Membership.Start> start) {}

  /**
   * An owner's word on a host.
   *
   * @param since as {@link Holders#since} was when it was said; of another time it says nothing
   * @param behind as {@link Holders#behind}
   * @param synced the keys of the copies that have all that the owner has
   * @param idle true if the owner has no sample of it within retention, and nobody has sent or
   *     offered one for a while
   */
  public record Report(
      String owner, long since, Set<String> behind, Set<String> synced, boolean idle) {
    /** A report on a host that is not idle. */
    public Report(String owner, long since, Set<String> behind, Set<String> synced) {
      this(owner, since, behind, synced, false);
    }

    /** Returns true if this owner said it of this time. */
    boolean isOf(String ofOwner, long ofSince) {
      return owner.equals(ofOwner) && since == ofSince;
    }
  }
}
