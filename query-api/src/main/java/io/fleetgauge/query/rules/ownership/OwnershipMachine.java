package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.cluster.peers.PeerMachine;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.Restoration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Decides which groups this query API evaluates, and from which state. Not for several threads.
 *
 * <p>A group goes on from the newest state that any live query API has. Only states whose samples
 * are stored are told to others, so a successor evaluates again what may not have been stored. From
 * a state that is older than {@link Restoration#TOLERANCE} no alert goes on.
 *
 * <p>Whoever begins, or finds that its loop stood still for longer than {@link #LEASE_MILLIS}, owns
 * nothing until all listed query APIs have acknowledged a heartbeat that was sent since, or have
 * been silent for {@link PeerMachine#SILENT_MILLIS}. The others take over only after that time,
 * which is longer than the lease; so a process that was frozen knows it before it publishes
 * anything. Acknowledgements of earlier heartbeats count for nothing: what lay in buffers meanwhile
 * is old.
 */
public final class OwnershipMachine {
  /** A loop that stood still for longer has lost all groups, ms. */
  public static final long LEASE_MILLIS = 3_000;

  private static final long RETRY_MILLIS = 500;

  private static final long SPARE_MILLIS = 60_000;

  /** Alerts wait for the newest slot no longer than this, or than two intervals, ms. */
  private static final long TELL_MILLIS = 60_000;

  /** A state that is further ahead of the clock is not believed, ms. */
  private static final long FUTURE_MILLIS = 60_000;

  /** For so long the state of a group is kept that is not known, or not yet, ms. */
  private static final long EARLY_MILLIS = 300_000;

  private final String name;
  private final long catchUpMillis;
  private final OtherOwners others = new OtherOwners();
  private final SortedMap<Long, Held> held = new TreeMap<>();
  private final Map<Long, Early> early = new HashMap<>();
  private final Endings endings = new Endings();
  private SortedMap<String, Map<Deal.Entry, Integer>> known = new TreeMap<>();
  private volatile Set<String> live = Set.of();
  private boolean stale = true;
  private volatile boolean leaving;
  private volatile boolean confirmed;
  private long term;
  private long confirmSince;
  private long lastTick;
  private boolean ticked;
  private long steady;
  private long wall;
  private long missed;
  private long replayed;
  private long leasesLost;
  private long abandoned;

  /** The state of a group that is not known, and since when it is kept. */
  private record Early(GroupState state, long since) {}

  /**
   * @param name of this query API, which it keeps over restarts
   * @param catchUpMillis slots that are older are not evaluated any more
   */
  public OwnershipMachine(String name, long catchUpMillis) {
    this.name = name;
    this.catchUpMillis = catchUpMillis;
  }

  /** Takes an event in; the effects are to be carried out in order. */
  public void on(Event event, Consumer<Effect> effects) {
    switch (event) {
      case Event.Tick tick -> ticked(tick, effects);
      case Event.Groups groups -> know(groups.groups(), effects);
      case Event.Came came -> came(came.state(), effects);
      case Event.Restored restored -> {
        if (restored.term() == term) {
          restored(restored);
        }
      }
      case Event.Evaluated done -> evaluated(done, effects);
      case Event.NotEvaluated failed -> {
        if (failed.term() == term) {
          find(failed.group())
              .ifPresent(
                  each -> {
                    each.underWay(0);
                    each.postponed();
                    each.restoring(false);
                    each.retryAt(steady + RETRY_MILLIS);
                  });
        }
      }
      case Event.Written done -> written(done, effects);
      case Event.Stopping stopping -> {
        leaving = true;
        lose(effects);
      }
    }
  }

  /** Note for the others. */
  public GroupNote note() {
    Map<Long, GroupNote.Known> groups = new HashMap<>();
    held.forEach(
        (key, each) ->
            groups.put(
                key,
                new GroupNote.Known(
                    GroupHash.ofDefinition(each.dealt().definition()),
                    each.dealt().weight(),
                    each.written().slot())));
    return new GroupNote(isServing(), groups);
  }

  /** Returns true if this query API takes groups. */
  public boolean isServing() {
    return confirmed && !leaving;
  }

  private Optional<Held> find(RuleGroup.Id id) {
    return Optional.ofNullable(held.get(GroupHash.of(id)));
  }

  private void know(List<Dealt> groups, Consumer<Effect> effects) {
    Set<Long> now = new HashSet<>();
    for (Dealt dealt : groups) {
      long key = GroupHash.of(dealt.id());
      now.add(key);
      Held known = held.get(key);
      if (known == null) {
        Held begun = new Held(dealt);
        Early kept = early.remove(key);
        if (kept != null) {
          begun.take(kept.state());
        }
        held.put(key, begun);
        stale = true;
      } else if (!known.dealt().equals(dealt)) {
        known.dealt(dealt);
        stale = true;
      }
    }
    for (Long key : Set.copyOf(held.keySet())) {
      if (!now.contains(key)) {
        Held gone = held.remove(key);
        if (confirmed && !leaving && gone.isOwner(name)) {
          endings.add(gone.newest(), gone.dealt().interval(), steady, wall);
        }
        effects.accept(new Effect.Forget(gone.dealt().id()));
        stale = true;
      }
    }
  }

  private void came(GroupState state, Consumer<Effect> effects) {
    long key = GroupHash.of(state.group());
    Held known = held.get(key);
    if (known == null) {
      // States are read from disk before the first groups are known.
      early.merge(
          key,
          new Early(state, steady),
          (one, other) ->
              one.state().slot() > other.state().slot()
                  ? one
                  : new Early(other.state(), one.since()));
      return;
    }
    if (ticked && state.slot() > wall + FUTURE_MILLIS) {
      return;
    }
    if (known.take(state)) {
      effects.accept(new Effect.Keep(state));
    }
  }

  private void ticked(Event.Tick tick, Consumer<Effect> effects) {
    steady = tick.steady();
    wall = tick.wall();
    if (leaving) {
      return;
    }
    if (!ticked || steady - lastTick > LEASE_MILLIS) {
      if (ticked) {
        leasesLost++;
      } else {
        early.replaceAll((key, kept) -> new Early(kept.state(), steady));
      }
      ticked = true;
      lose(effects);
    }
    lastTick = steady;
    forgetEarly(effects);
    others.list(tick.peers());
    if (!confirmed) {
      confirmed =
          steady - confirmSince >= PeerMachine.SILENT_MILLIS || others.haveHeardSince(confirmSince);
      if (!confirmed) {
        return;
      }
      stale = true;
    }
    deal();
    Map<String, List<RuleGroup.Id>> fetch = new LinkedHashMap<>();
    for (Held each : held.values()) {
      advance(each, fetch, effects);
    }
    fetch.forEach((from, groups) -> effects.accept(new Effect.Fetch(from, groups)));
    endings.end(steady, group -> others.isKnown(GroupHash.of(group)), this::states, effects);
  }

  /** A group that was removed while this process did not run does not become known. */
  private void forgetEarly(Consumer<Effect> effects) {
    early
        .values()
        .removeIf(
            kept -> {
              boolean isOver = steady - kept.since() >= EARLY_MILLIS;
              if (isOver) {
                effects.accept(new Effect.Forget(kept.state().group()));
              }
              return isOver;
            });
  }

  private void lose(Consumer<Effect> effects) {
    term++;
    confirmed = false;
    confirmSince = steady;
    for (Held each : held.values()) {
      each.abandon();
    }
    effects.accept(new Effect.Abandon());
  }

  private void deal() {
    SortedMap<String, Map<Deal.Entry, Integer>> now = new TreeMap<>();
    others.live().forEach((peer, of) -> now.put(peer, of.weights()));
    live = Set.copyOf(now.keySet());
    if (!stale && now.equals(known)) {
      return;
    }
    known = new TreeMap<>(now);
    stale = false;
    Map<Deal.Entry, Integer> own = new HashMap<>();
    held.forEach((key, each) -> own.put(entry(key, each), each.dealt().weight()));
    now.put(name, own);
    Map<Deal.Entry, Deal.Chosen> dealt = Deal.of(now);
    held.forEach(
        (key, each) -> {
          each.chosen(Optional.ofNullable(dealt.get(entry(key, each))));
          if (!each.isOwner(name)) {
            each.interrupt();
          }
        });
  }

  private static Deal.Entry entry(long key, Held each) {
    return new Deal.Entry(key, GroupHash.ofDefinition(each.dealt().definition()));
  }

  private void advance(Held each, Map<String, List<RuleGroup.Id>> fetch, Consumer<Effect> effects) {
    boolean owns = each.isOwner(name);
    if (each.underWay() != 0 || each.isRestoring() || steady < each.retryAt()) {
      return;
    }
    long tolerated = owns || each.isShadow(name) ? 0 : spareMillis(each);
    if (isBehind(each, tolerated, fetch) || !owns) {
      return;
    }
    if (!each.isBegun()) {
      each.restoring(true);
      long slot = each.dealt().slotAt(each.wantedFrom(wall));
      effects.accept(new Effect.Restore(term, each.dealt().id(), slot));
      return;
    }
    evaluateNext(each, effects);
  }

  /**
   * Largest age of a state at those who neither own nor shadow a group. They have one for the case
   * that both who do die at once.
   */
  private static long spareMillis(Held each) {
    return each.newest().slot() == 0 ? 0 : Math.max(SPARE_MILLIS, 2 * each.dealt().interval());
  }

  /** Returns true if somebody has a newer state, which is fetched. */
  private boolean isBehind(Held each, long tolerated, Map<String, List<RuleGroup.Id>> fetch) {
    long key = GroupHash.of(each.dealt().id());
    long newest = each.newest().slot() + tolerated;
    Optional<String> from = Optional.empty();
    for (Map.Entry<String, OtherOwners.Read> peer : others.live().entrySet()) {
      long slot = peer.getValue().group(key).map(GroupNote.Known::slot).orElse(0L);
      if (slot <= newest || slot > wall + FUTURE_MILLIS) {
        each.wantedSince().remove(peer.getKey());
        continue;
      }
      long since = each.wantedSince().computeIfAbsent(peer.getKey(), none -> steady);
      if (steady - since < PeerMachine.SILENT_MILLIS) {
        newest = slot;
        from = Optional.of(peer.getKey());
      }
    }
    from.ifPresent(
        peer -> {
          each.interrupt();
          fetch.computeIfAbsent(peer, none -> new ArrayList<>()).add(each.dealt().id());
          // Asked again when nothing came.
          each.retryAt(steady + RETRY_MILLIS);
        });
    return from.isPresent();
  }

  private void evaluateNext(Held each, Consumer<Effect> effects) {
    Dealt dealt = each.dealt();
    long slot = dealt.slotAfter(each.done());
    if (slot > wall) {
      return;
    }
    long newest = dealt.slotAt(wall);
    long oldest =
        each.isSlow() ? newest : Math.min(dealt.slotAfter(wall - catchUpMillis - 1), newest);
    long tolerated = Restoration.TOLERANCE + dealt.interval();
    if (slot < oldest) {
      if (oldest - each.done() <= tolerated) {
        missed += (oldest - slot) / dealt.interval();
      }
      each.begin(oldest - dealt.interval()); // so that none is counted again when this is retried
      slot = oldest;
    }
    if (slot < newest) {
      replayed++;
    }
    each.begins(slot, newest);
    each.underWay(slot);
    GroupState before = each.newest();
    effects.accept(
        new Effect.Evaluate(
            term, slot - before.slot() > tolerated ? before.withoutAlerts() : before, slot));
  }

  private void restored(Event.Restored restored) {
    find(restored.group())
        .ifPresent(
            each -> {
              each.restoring(false);
              if (restored.state().isPresent()) {
                each.take(restored.state().get());
              } else {
                // One that died before it gave its first state away may have begun.
                boolean hasLost = others.hasLost(GroupHash.of(restored.group()));
                long from = each.wantedFrom(wall) - (hasLost ? 2 * PeerMachine.SILENT_MILLIS : 0);
                each.begin(each.dealt().slotAt(from));
              }
            });
  }

  private void evaluated(Event.Evaluated done, Consumer<Effect> effects) {
    GroupState after = done.outcome().after();
    Optional<Held> known = find(after.group());
    if (done.term() != term || known.isEmpty() || done.steady() - lastTick > LEASE_MILLIS) {
      abandoned++;
      return;
    }
    Held each = known.get();
    if (each.underWay() != after.slot()) {
      abandoned++;
      return;
    }
    boolean isStillNewest = each.isStillNewest();
    each.underWay(0);
    if (!isStillNewest || !each.isOwner(name)) {
      abandoned++; // another one goes on
      return;
    }
    each.evaluated(after);
    each.took(after.slot(), done.took());
    boolean tell = tells(each, after.slot(), done.steady());
    effects.accept(new Effect.Publish(term, each.base(), done.outcome(), tell));
  }

  /**
   * Alerts are told with the newest slot. Of a group that does not come to its newest slot they
   * would never be told, so they are also told when slots have been late for long, unless another
   * query API may have told those of a later slot: while a listed one is out of sight, it may be
   * evaluating the group.
   */
  private boolean tells(Held each, long slot, long now) {
    Dealt dealt = each.dealt();
    boolean isNewest = slot >= dealt.slotAt(wall);
    long behind = each.behind(slot, isNewest, now);
    return isNewest || behind >= Math.max(TELL_MILLIS, 2 * dealt.interval()) && others.seesAll();
  }

  private void written(Event.Written done, Consumer<Effect> effects) {
    Optional<Held> known = find(done.state().group());
    if (done.term() != term || known.isEmpty() || !known.get().take(done.state())) {
      return;
    }
    effects.accept(new Effect.Keep(done.state()));
    known
        .get()
        .chosen()
        .ifPresent(
            chosen ->
                (chosen.owner().equals(name) ? chosen.shadow() : Optional.of(chosen.owner()))
                    .ifPresent(to -> effects.accept(new Effect.HandOver(to, done.state()))));
  }

  /**
   * Returns true if what was begun in a term may still be published: asked right before it is.
   *
   * @param now ms of a clock that never goes back
   */
  public boolean mayPublish(long of, long now) {
    return of == term && confirmed && !leaving && now - lastTick <= LEASE_MILLIS;
  }

  /** Returns true if this query API owns a group, and knows what the others know. */
  public boolean owns(RuleGroup.Id group) {
    return confirmed && !leaving && find(group).filter(each -> each.isOwner(name)).isPresent();
  }

  /** Returns true if nothing is being evaluated. */
  public boolean isIdle() {
    return held.values().stream().allMatch(each -> each.underWay() == 0);
  }

  /** The newest states, whether or not their samples are stored. */
  public Collection<GroupState> states() {
    List<GroupState> states = new ArrayList<>();
    for (Held each : held.values()) {
      if (each.newest().slot() > 0) {
        states.add(each.newest());
      }
    }
    return states;
  }

  /** The state of a group that others can have; empty if there is none. */
  public Optional<GroupState> state(long group) {
    return Optional.ofNullable(held.get(group)).map(Held::written).filter(of -> of.slot() > 0);
  }

  /** Names of the query APIs that are live, without this one. */
  public Set<String> live() {
    return live;
  }

  /** Number of groups that this query API owns. */
  public long owned() {
    return confirmed ? held.values().stream().filter(each -> each.isOwner(name)).count() : 0;
  }

  /** Number of groups that this query API would go on with. */
  public long shadowed() {
    return confirmed ? held.values().stream().filter(each -> each.isShadow(name)).count() : 0;
  }

  /**
   * Slots that were never evaluated, because they were too old when they could have been, or
   * because their group takes longer than its interval.
   */
  public long missed() {
    return missed;
  }

  /** Slots that were evaluated after a later one had come. */
  public long replayed() {
    return replayed;
  }

  /** Number of times that this process stood still, and lost its groups. */
  public long leasesLost() {
    return leasesLost;
  }

  /** Results that were not published, because somebody else may have gone on. */
  public long abandoned() {
    return abandoned;
  }
}
