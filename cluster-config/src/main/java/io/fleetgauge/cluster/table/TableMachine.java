package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Generations.Decision;
import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.Membership.Status;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm.Shared;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * All that one member decides about the table: which table it follows, when it writes one, and what
 * it states about itself. Events in, effects out. Not for several threads.
 *
 * <p>A member polls the registry when something has changed and on a timer. It follows the newest
 * table it has seen; between two generations {@link Generations} decides. A gateway that knows a
 * newer table than the registry writes its own back: the registry was lost with its members, or
 * comes from the other side of a split. The oldest gateway makes the next table while it sees most
 * of the gateways of the present one.
 */
public final class TableMachine {
  /** For so long a host is removed before it leaves: all who are present have seen the table. */
  public static final long REMOVE_MILLIS = 10_000;

  /** When all gateways start at once, the first ones wait this long for the others, ms. */
  public static final long COLD_START_MILLIS = 10_000;

  /**
   * A table that only calls more copies synced than the one before comes at most this often, ms. It
   * waits as long for copies that are still being filled.
   */
  public static final long SYNCED_MILLIS = 5_000;

  /**
   * A gateway that makes tables.
   *
   * @param replication number of gateways that hold a host, the owner among them, 1 to 3
   * @param start drawn at random for each start of the process, not 0; the generation of the
   *     cluster's tables too, should this gateway make the first one
   */
  public record Self(String id, int replication, long start) {}

  /** Inputs of the machine. */
  public sealed interface Event {
    /**
     * This is what the registry holds.
     *
     * @param now ms of any steady clock
     * @param session of this member
     * @param gateways oldest first
     * @param statuses by gateway id
     */
    record Polled(
        long now,
        String session,
        List<Membership> gateways,
        Shared shared,
        Map<String, Status> statuses)
        implements Event {}

    /** The answer to {@link Effect.Gather}. */
    record Gathered(Map<String, Registered> hosts, Map<String, Report> reports) implements Event {}

    /** This gateway may be given hosts. */
    record Activated() implements Event {}

    /** This gateway may be given no hosts, and those that it has are to move away. */
    record Retired() implements Event {}

    /** This gateway leaves the cluster now. */
    record Leaving() implements Event {}
  }

  /** Actions of the member, in this order. */
  public sealed interface Effect {
    /** Puts this gateway's status, in its present session, into the registry. */
    record SetStatus(Stated stated) implements Effect {}

    /** Keeps the table for the next start; done before any other member can see that table. */
    record Keep(OwnershipTable table) implements Effect {}

    /** Makes a view the one that this process works from. */
    record Publish(ClusterView view) implements Effect {}

    /** Reads the hosts and the reports from the registry. */
    record Gather() implements Effect {}

    /** Removes hosts from the registry that are not in the table any more, or never were. */
    record Forget(Set<String> hosts) implements Effect {}

    /**
     * Replaces the table in the registry if it is still what was polled, and polls again in any
     * case: the table of another writer may have come first.
     */
    record Write(OwnershipTable table) implements Effect {}

    /** Returns true if something is not as it was at the poll before. */
    default boolean changes() {
      return !(this instanceof Gather);
    }
  }

  private final Optional<Self> self;
  private final Optional<Start> start;
  private ClusterView view;
  private OwnershipTable kept;
  private Optional<String> problem = Optional.empty();
  private boolean hasPolled;
  private boolean isColdStart;
  private long firstPoll;
  private long lastPoll;

  /**
   * Since when copies are synced that the table does not call so, ms; empty when there are none.
   */
  private OptionalLong syncedSince = OptionalLong.empty();

  /** When a table was written last that only calls more copies synced, ms. */
  private OptionalLong syncedWritten = OptionalLong.empty();

  private boolean active;
  private boolean leaving;

  /** The gateways that were seen last, by id, oldest first. */
  private Map<String, Membership> gateways = Map.of();

  private Map<String, Status> statuses = Map.of();

  /** Since when this member has seen that a host is removed, ms. */
  private final Map<String, Long> removedSince = new TreeMap<>();

  /** By gateway id, the session in which it was seen last: what it stated before is void. */
  private final Map<String, String> sessions = new TreeMap<>();

  /**
   * Since when the shared table is of another generation than the known one, ms; empty: it isn't.
   */
  private OptionalLong conflictSince = OptionalLong.empty();

  /**
   * @param self empty for a process that only reads the table
   * @param kept the table that was kept from before the start; {@link OwnershipTable#EMPTY} if none
   */
  public TableMachine(Optional<Self> self, OwnershipTable kept) {
    this.self = self;
    this.kept = kept;
    this.start =
        self.map(Self::start).map(number -> new Start(number, kept.generation(), kept.epoch()));
    this.view =
        kept.epoch() == 0
            ? ClusterView.EMPTY
            : new ClusterView(kept, Map.of(), /* minority */ true, start);
  }

  /** The view that was published last; before the first poll, one made from the kept table. */
  public ClusterView view() {
    return view;
  }

  /** Problem with what was polled last, in a sentence; empty when there is none. */
  public Optional<String> problem() {
    return problem;
  }

  /** Returns true if something is wrong, or is decided as time passes. */
  public boolean isUnsettled() {
    return problem.isPresent()
        || conflictSince.isPresent()
        || syncedSince.isPresent()
        || !removedSince.isEmpty();
  }

  public void on(Event event, Consumer<Effect> effects) {
    switch (event) {
      case Event.Polled polled -> polled(polled, effects);
      case Event.Gathered gathered -> assign(gathered, effects);
      case Event.Activated activated -> active = true;
      case Event.Retired retired -> active = false;
      case Event.Leaving none -> leave(effects);
    }
  }

  private void leave(Consumer<Effect> effects) {
    leaving = true;
    if (self.isPresent()) {
      effects.accept(
          new Effect.SetStatus(
              new Stated(Standing.LEFT, view.table().generation(), start.orElseThrow())));
    }
  }

  private void polled(Event.Polled seen, Consumer<Effect> effects) {
    if (!hasPolled) {
      hasPolled = true;
      firstPoll = seen.now();
      isColdStart = kept.epoch() > 0 && seen.shared() instanceof Shared.Nothing;
    }
    lastPoll = seen.now();
    Map<String, Membership> byId = new LinkedHashMap<>();
    // Of two members with one id, the younger one was started again and the older one is dead.
    seen.gateways().forEach(each -> byId.put(each.id(), each));
    gateways = byId;
    byId.forEach((id, member) -> sessions.put(id, member.session()));
    statuses = seen.statuses();
    OwnershipTable known = view.table();
    OwnershipTable shared =
        switch (seen.shared()) {
          case Shared.Nothing nothing -> OwnershipTable.EMPTY;
          case Shared.Table table -> table.table();
          case Shared.Newer newer -> known;
          case Shared.Damaged damaged -> known;
        };
    Decision decision = decide(known, shared, seen.now());
    problem = problem(seen.shared(), known, decision);
    follow(decision == Decision.FOLLOW ? shared : known, effects);
    boolean mayWrite = self.isPresent() && !leaving && !(seen.shared() instanceof Shared.Newer);
    boolean isDamaged = seen.shared() instanceof Shared.Damaged && known.epoch() > 0;
    boolean isToReplace = isDamaged || decision == Decision.KEEP;
    if (mayWrite && isToReplace) {
      // Before this gateway states anything, and is counted with those that know the older table.
      effects.accept(new Effect.Write(known));
    }
    state(seen.session(), effects);
    if (!mayWrite || isToReplace) {
      return;
    }
    if (decision == Decision.FOLLOW && isOldest(seen) && mayAssign(seen.now())) {
      effects.accept(new Effect.Gather());
    }
  }

  /** Between two tables; of two that are the same, the shared one is followed. */
  private Decision decide(OwnershipTable known, OwnershipTable shared, long now) {
    boolean isConflict =
        known.epoch() > 0 && shared.epoch() > 0 && known.generation() != shared.generation();
    if (!isConflict) {
      conflictSince = OptionalLong.empty();
      return shared.epoch() < known.epoch() ? Decision.KEEP : Decision.FOLLOW;
    }
    if (conflictSince.isEmpty()) {
      conflictSince = OptionalLong.of(now);
    }
    boolean mayWait = now - conflictSince.getAsLong() < COLD_START_MILLIS;
    return new Generations(self.map(Self::id), gateways, statuses).between(known, shared, mayWait);
  }

  private Optional<String> problem(Shared shared, OwnershipTable known, Decision decision) {
    if (self.isEmpty() && gateways.isEmpty()) {
      return Optional.of("no gateway is a member of the cluster, so no data can be read");
    }
    return switch (shared) {
      case Shared.Nothing nothing -> Optional.empty();
      case Shared.Table table ->
          decision == Decision.FOLLOW
              ? Optional.empty()
              : table.table().generation() != known.generation()
                  ? Optional.of(
                      "the shared table, of epoch "
                          + table.table().epoch()
                          + ", is not a successor of this process's, of epoch "
                          + known.epoch()
                          + ": the cluster was started again without the stores that had it; this"
                          + " process's stays in use until more gateways follow the other one")
                  : Optional.of(
                      "the shared table has epoch "
                          + table.table().epoch()
                          + ", which is older than "
                          + known.epoch()
                          + "; the newer one stays in use");
      case Shared.Newer newer ->
          Optional.of(
              "the shared table has format version "
                  + newer.version()
                  + ", this program reads up to "
                  + TableForm.VERSION
                  + ": upgrade it; table "
                  + known.epoch()
                  + " stays in use");
      case Shared.Damaged damaged ->
          Optional.of(
              "the shared table cannot be read ("
                  + damaged.reason()
                  + "); table "
                  + known.epoch()
                  + " stays in use");
    };
  }

  /** States whether this gateway may be given hosts, again if the registry has forgotten it. */
  private void state(String session, Consumer<Effect> effects) {
    if (self.isEmpty() || leaving) {
      return;
    }
    // One that follows another table than the others can take nothing that theirs gives it.
    boolean mayBeGiven = active && conflictSince.isEmpty();
    long generation = view.table().generation();
    Standing standing = mayBeGiven ? Standing.ACTIVE : Standing.PRESENT;
    Stated now = new Stated(standing, generation, start.orElseThrow());
    if (!new Status(session, now).equals(statuses.get(self.get().id()))) {
      effects.accept(new Effect.SetStatus(now));
    }
  }

  private void follow(OwnershipTable table, Consumer<Effect> effects) {
    Map<String, URI> addresses = new LinkedHashMap<>();
    gateways.values().forEach(each -> addresses.put(each.id(), each.address()));
    ClusterView next =
        new ClusterView(table, Collections.unmodifiableMap(addresses), !isMajority(table), start);
    if (next.equals(view)) {
      return;
    }
    boolean isNew = !table.equals(view.table());
    view = next;
    if (isNew) {
      keep(table, effects);
    }
    effects.accept(new Effect.Publish(next));
  }

  private void keep(OwnershipTable table, Consumer<Effect> effects) {
    if (self.isPresent() && !table.equals(kept)) {
      kept = table;
      effects.accept(new Effect.Keep(table));
    }
  }

  /**
   * A gateway counts when it has stated something in this membership: before, it may know a newer
   * table, from the other side of a split, that it has not written here yet. Gateways that have
   * left on purpose count as present: they wrote no table since.
   */
  private boolean isMajority(OwnershipTable table) {
    Set<String> present = new TreeSet<>();
    for (Membership each : gateways.values()) {
      Status status = statuses.get(each.id());
      if (self.map(Self::id).filter(each.id()::equals).isPresent()
          || status != null && status.session().equals(each.session())) {
        present.add(each.id());
      }
    }
    for (String id : table.members()) {
      Status status = statuses.get(id);
      if (status != null
          && status.standing() == Standing.LEFT
          && sessions.getOrDefault(id, status.session()).equals(status.session())) {
        present.add(id);
      }
    }
    return table.isMajority(present);
  }

  private boolean isOldest(Event.Polled seen) {
    return !seen.gateways().isEmpty()
        && seen.gateways().getFirst().session().equals(seen.session());
  }

  private boolean mayAssign(long now) {
    OwnershipTable table = view.table();
    if (!isMajority(table)) {
      return false;
    }
    if (isColdStart && !gateways.keySet().containsAll(table.members())) {
      if (now - firstPoll < COLD_START_MILLIS) {
        return false;
      }
      isColdStart = false;
    }
    // The first gateway of a new cluster is still reading what it has kept.
    return table.epoch() > 0 || gateways.values().stream().anyMatch(this::isActive);
  }

  private boolean isActive(Membership gateway) {
    Status status = statuses.get(gateway.id());
    return status != null
        && status.standing() == Standing.ACTIVE
        && status.session().equals(gateway.session());
  }

  private Optional<Start> startOf(Membership gateway) {
    if (self.map(Self::id).filter(gateway.id()::equals).isPresent()) {
      return start;
    }
    return Optional.ofNullable(statuses.get(gateway.id()))
        .filter(status -> status.session().equals(gateway.session()))
        .map(status -> status.stated().start());
  }

  private void assign(Event.Gathered gathered, Consumer<Effect> effects) {
    Self maker = self.orElseThrow();
    OwnershipTable table =
        view.table().generation() == 0 ? OwnershipTable.beginning(maker.start()) : view.table();
    List<Situation.Gateway> present = new ArrayList<>();
    for (Membership each : gateways.values()) {
      present.add(new Situation.Gateway(each.id(), each.zone(), isActive(each), startOf(each)));
    }
    Set<String> hosts = new TreeSet<>(table.hosts());
    Set<String> gone = new TreeSet<>();
    gathered
        .hosts()
        .forEach(
            (host, registered) -> {
              if (!registered.removed()) {
                hosts.add(host);
              } else if (!table.hosts().contains(host)) {
                gone.add(host);
              }
            });
    OwnershipTable next =
        Assignment.next(
            new Situation(
                maker.id(),
                present,
                hosts,
                gathered.reports(),
                maker.replication(),
                gathered.hosts(),
                removable(table)),
            table);
    if (next == table) {
      syncedSince = OptionalLong.empty();
    }
    boolean isDue = next != table && !mayWait(table, next);
    if (isDue) {
      // Kept first: after a restart this gateway must not write another table of this epoch.
      keep(next, effects);
      gone.addAll(table.hosts());
      gone.removeAll(next.hosts());
    }
    if (!gone.isEmpty()) {
      // Before the table, which would otherwise be followed by one that has them again.
      effects.accept(new Effect.Forget(gone));
    }
    if (isDue) {
      effects.accept(new Effect.Write(next));
    }
  }

  /** Hosts that all gateways have removed by now, if they are there. */
  private Set<String> removable(OwnershipTable table) {
    Set<String> removed = new TreeSet<>();
    table
        .holders()
        .forEach(
            (host, holders) -> {
              if (holders.stay() == Holders.Stay.REMOVED) {
                removed.add(host);
              }
            });
    removedSince.keySet().retainAll(removed);
    removed.removeIf(
        host -> lastPoll - removedSince.computeIfAbsent(host, none -> lastPoll) < REMOVE_MILLIS);
    return removed;
  }

  /**
   * Returns true if a table may be written later, because it only calls more copies synced: until
   * then one that is synced is taken for one that is not, which loses nothing. When many copies are
   * filled at once, as at the beginning of a cluster, the table would change with each of them.
   */
  private boolean mayWait(OwnershipTable table, OwnershipTable next) {
    if (!next.onlyCallsMoreSyncedThan(table)) {
      syncedSince = OptionalLong.empty();
      return false;
    }
    if (syncedSince.isEmpty()) {
      syncedSince = OptionalLong.of(lastPoll);
    }
    boolean isEarly =
        syncedWritten.isPresent() && lastPoll - syncedWritten.getAsLong() < SYNCED_MILLIS;
    boolean areAll = next.holders().values().stream().allMatch(TableMachine::areCopiesSynced);
    if (isEarly || !areAll && lastPoll - syncedSince.getAsLong() < SYNCED_MILLIS) {
      return true;
    }
    syncedSince = OptionalLong.empty();
    syncedWritten = OptionalLong.of(lastPoll);
    return false;
  }

  private static boolean areCopiesSynced(Holders holders) {
    return holders.copies().stream().allMatch(Holders.Copy::synced);
  }
}
