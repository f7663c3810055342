package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Membership.Status;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides between the table that a process knows and a shared one of another generation. Gateways
 * that are present vote with what they state that they follow.
 *
 * @param self the gateway that decides; empty for a process that only reads
 * @param gateways those that are present, by id
 * @param statuses by gateway id
 */
record Generations(
    Optional<String> self, Map<String, Membership> gateways, Map<String, Status> statuses) {
  enum Decision {
    /** The shared table is the cluster's. */
    FOLLOW,
    /** The known table is the cluster's: it replaces the shared one. */
    KEEP,
    /** Gateways that know the known table may still come. */
    WAIT
  }

  Decision between(OwnershipTable known, OwnershipTable shared, boolean mayWait) {
    int forKnown = votes(gateways.keySet(), known, List.of(known.generation()));
    int forShared = votes(gateways.keySet(), known, List.of(shared.generation()));
    if (self.isEmpty()) {
      // What gateways share is theirs to decide.
      return forShared > 0 && forShared >= forKnown ? Decision.FOLLOW : Decision.KEEP;
    }
    Set<Long> others = new TreeSet<>();
    statuses.values().forEach(each -> others.add(each.generation()));
    others.removeAll(List.of(0L, known.generation()));
    if (2 * votes(known.members(), known, others) > known.members().size()) {
      return Decision.FOLLOW;
    }
    if (forKnown > forShared) {
      return Decision.KEEP;
    }
    if (mayWait && !gateways.keySet().containsAll(known.members())) {
      return Decision.WAIT;
    }
    boolean isKept =
        forKnown == forShared
            && (known.epoch() > shared.epoch()
                || known.epoch() == shared.epoch() && known.generation() > shared.generation());
    return isKept ? Decision.KEEP : Decision.FOLLOW;
  }

  private int votes(Collection<String> of, OwnershipTable known, Collection<Long> generations) {
    int votes = 0;
    for (String id : of) {
      Membership member = gateways.get(id);
      if (member != null && generations.contains(vote(member, known))) {
        votes++;
      }
    }
    return votes;
  }

  /** Generation that a gateway votes for; 0 if it stated nothing in this membership. */
  private long vote(Membership member, OwnershipTable known) {
    if (self.filter(member.id()::equals).isPresent()) {
      return known.generation();
    }
    Status status = statuses.get(member.id());
    return status != null && status.session().equals(member.session()) ? status.generation() : 0;
  }
}
