package io.fleetgauge.gateway.ownership;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Decides from a view of the cluster whose a host is.
 *
 * @param self the id of this gateway
 */
public record Ownership(String self) {
  /** The owner of a host, as this gateway sees it. */
  public sealed interface Verdict {
    /** This gateway's. */
    record Mine() implements Verdict {}

    /** Another gateway's. */
    record Theirs(URI address, long epoch) implements Verdict {}

    /** Nobody's yet; it should be made known to the cluster. */
    record Unknown() implements Verdict {}

    /** Not to be told now: the view is behind, or the owner is leaving. */
    record Unsettled() implements Verdict {}
  }

  /**
   * @param senderEpoch the newest epoch that the sender was told; 0 when none
   */
  public Verdict of(String host, ClusterView view, long senderEpoch) {
    if (senderEpoch > view.table().epoch()) {
      return new Verdict.Unsettled();
    }
    Optional<String> owner = view.table().owner(host);
    if (owner.isEmpty()) {
      return new Verdict.Unknown();
    }
    if (owner.get().equals(self)) {
      return new Verdict.Mine();
    }
    URI address = view.gateways().get(owner.get());
    return address == null
        ? new Verdict.Unsettled()
        : new Verdict.Theirs(address, view.table().epoch());
  }

  /** The hosts that this gateway owns. */
  public Set<String> hosts(ClusterView view) {
    Set<String> hosts = new HashSet<>();
    view.table()
        .holders()
        .forEach(
            (host, holders) -> {
              if (holders.owner().equals(self)) {
                hosts.add(host);
              }
            });
    return hosts;
  }

  /**
   * Returns true if a gateway that leaves has to wait for hosts to move away from it. They cannot
   * move when no other gateway is present, or when this side of a split may not change the table.
   */
  public boolean hasToWaitToLeave(ClusterView view) {
    return view.table().involves(self) && view.gateways().size() > 1 && !view.isMinority();
  }

  /**
   * Why a gateway should not stop now: which hosts have fewer complete copies than they could have.
   * What only gateways have that are away does not count, because nothing that is present can bring
   * it.
   *
   * @param copies that a host should have, its owner's included
   * @return empty text when every host has all of its copies
   */
  public String incompleteHosts(ClusterView view, int copies) {
    if (view.isMinority()) {
      return "this gateway sees less than half of the gateways";
    }
    int possible = Math.min(copies, view.gateways().size());
    List<String> hosts = new ArrayList<>();
    view.table()
        .holders()
        .forEach(
            (host, holders) -> {
              if (holders.stay() == Holders.Stay.KEPT && !isComplete(holders, view, possible)) {
                hosts.add(host);
              }
            });
    return hosts.isEmpty()
        ? ""
        : hosts.size()
            + " of "
            + view.table().hosts().size()
            + " hosts are not yet fully replicated on "
            + possible
            + " gateways, among them "
            + hosts.getFirst();
  }

  private boolean isComplete(Holders holders, ClusterView view, int copies) {
    long since =
        holders.owner().equals(self)
            ? holders.since()
            : holders.copyOn(self).map(Holders.Copy::since).orElse(Long.MIN_VALUE);
    long synced =
        holders.copies().stream()
            .filter(copy -> copy.synced() && view.gateways().containsKey(copy.gateway()))
            .count();
    return view.gateways().containsKey(holders.owner())
        && holders.next().isEmpty()
        && holders.behind().stream().noneMatch(view.gateways()::containsKey)
        && synced + 1 >= copies
        && (since == Long.MIN_VALUE || view.accountsFor(self, since));
  }

  /**
   * The owner whose copy of a host on this gateway may answer for it, if it has all that the owner
   * has: only when the owner itself lacks nothing, because the copy does not know what is missing,
   * and when the owner has not gone on without it.
   *
   * @return the epoch from which on the owner has owned the host; empty if no copy here may answer
   */
  public OptionalLong ownerOfCopySince(String host, ClusterView view) {
    return view.table()
        .holders(host)
        .filter(Holders::whole)
        .filter(each -> each.copyOn(self).filter(Holders.Copy::synced).isPresent())
        .map(each -> OptionalLong.of(each.since()))
        .orElse(OptionalLong.empty());
  }
}
