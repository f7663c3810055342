package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.ownership.Effect;
import io.fleetgauge.query.rules.ownership.Event;
import io.fleetgauge.query.rules.ownership.GroupNote;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import io.fleetgauge.runtime.process.Meters;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * This query API as an owner of rule groups: its machine, with the time and the link that it lacks.
 * For the link's event loop; what is said to be safe for all threads is.
 */
final class RuleOwner {
  private final PeerLink link;
  private final LongSupplier clock;
  private final Consumer<Effect> effects;
  private volatile Optional<OwnershipMachine> machine = Optional.empty();
  private volatile OwnershipFigures figures = OwnershipFigures.NONE;
  private volatile boolean draining;

  /** When it was last known which groups are owned, by {@link PeerLink#now}. */
  private volatile long tickedAt;

  /**
   * @param clock ms since the epoch
   * @param effects carries out what the machine wants, while the machine decides
   */
  RuleOwner(PeerLink link, LongSupplier clock, Consumer<Effect> effects) {
    this.link = link;
    this.clock = clock;
    this.effects = effects;
  }

  void start(OwnershipMachine begun) {
    machine = Optional.of(begun);
    link.tell(GroupNote.TOPIC, false, () -> begun.note().toBytes());
  }

  /** The machine, once the rules run; reading who is live is safe for all threads. */
  Optional<OwnershipMachine> machine() {
    return machine;
  }

  /** An event has come; never while the machine decides. */
  void on(Event event) {
    machine.ifPresent(of -> of.on(event, effects));
  }

  void tick() {
    OwnershipMachine of = machine.orElseThrow();
    boolean wasServing = of.isServing();
    on(new Event.Tick(PeerLink.now(), clock.getAsLong(), link.list()));
    if (of.isServing() != wasServing) {
      link.beatSoon();
    }
  }

  /** Everybody who holds alerts of groups knows which of them are owned. */
  void ticked() {
    tickedAt = PeerLink.now();
    figures = OwnershipFigures.of(machine.orElseThrow());
  }

  boolean owns(RuleGroup.Id group) {
    return machine.filter(of -> of.owns(group)).isPresent();
  }

  /** Returns true if what was begun in a term may be published now. */
  boolean mayPublish(long term) {
    return machine.filter(of -> of.mayPublish(term, PeerLink.now())).isPresent();
  }

  /** Returns true if others are listed, and all of them are out of sight. Safe for all threads. */
  boolean isAlone() {
    return link.list().listed().filter(names -> !names.isEmpty()).isPresent()
        && machine.filter(of -> of.live().isEmpty()).isPresent();
  }

  /**
   * Returns true if this process still knows which groups it owns, or stops: then it owned them
   * until now. Safe for all threads.
   */
  boolean isCurrent() {
    return draining || PeerLink.now() - tickedAt <= OwnershipMachine.LEASE_MILLIS;
  }

  /** This process stops: time does not pass any more. */
  void drain() {
    draining = true;
  }

  boolean isDraining() {
    return draining;
  }

  void declare(Meters meters) {
    OwnershipFigures.declare(meters, () -> figures);
  }
}
