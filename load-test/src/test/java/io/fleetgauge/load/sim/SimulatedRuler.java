package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.peers.Heartbeat;
import io.fleetgauge.cluster.peers.HeartbeatForm;
import io.fleetgauge.cluster.peers.PeerMachine;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.notify.Outbox;
import io.fleetgauge.query.rules.ownership.Dealt;
import io.fleetgauge.query.rules.ownership.Effect;
import io.fleetgauge.query.rules.ownership.Event;
import io.fleetgauge.query.rules.ownership.GroupHash;
import io.fleetgauge.query.rules.ownership.GroupNote;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A query API that owns rule groups, with its disk. What it decides, {@link PeerMachine} and {@link
 * OwnershipMachine} do.
 */
final class SimulatedRuler {
  private static final long TICK_MILLIS = 100;
  private static final long SKEW_MILLIS = 400;
  private static final long CATCH_UP_MILLIS = 3_600_000;

  private final Simulation simulation;
  private final SimulatedRules rules;
  private final String name;
  private final List<SimulatedRuler> all;
  private final long skew;
  private final Map<RuleGroup.Id, GroupState> disk = new HashMap<>();
  private final Deque<Runnable> buffered = new ArrayDeque<>();
  private final Map<RuleGroup.Id, Dealt> known = new HashMap<>();
  private Optional<OwnershipMachine> machine = Optional.empty();
  private PeerMachine peers;
  private long life;
  private long frozenUntil;
  private long frozenAt;
  private long wokenAt = -1;
  private long missed;
  private long replayed;
  private long abandoned;

  /** When the evaluation began whose results an effect concerns. */
  private long begun;

  private final Map<RuleGroup.Id, Outbox> outboxes = new HashMap<>();

  /** Results that are not acknowledged, in order. */
  private final Map<RuleGroup.Id, Deque<GroupState>> unwritten = new HashMap<>();

  SimulatedRuler(
      Simulation simulation, SimulatedRules rules, String name, List<SimulatedRuler> all) {
    this.simulation = simulation;
    this.rules = rules;
    this.name = name;
    this.all = all;
    this.skew = simulation.random.nextLong(-SKEW_MILLIS, SKEW_MILLIS);
    rules.groups().forEach(each -> known.put(each.id(), each));
  }

  String name() {
    return name;
  }

  void start() {
    if (machine.isPresent()) {
      return;
    }
    long now = simulation.random.nextLong() | 1;
    life = now;
    OwnershipMachine begun = new OwnershipMachine(name, CATCH_UP_MILLIS);
    machine = Optional.of(begun);
    peers = new PeerMachine(name, life);
    peers.tell(GroupNote.TOPIC, false, () -> begun.note().toBytes());
    disk.values().forEach(state -> on(new Event.Came(state)));
    on(new Event.Groups(rules.groups()));
    simulation.after(
        simulation.random.nextLong(500),
        () ->
            alive(
                now,
                () -> {
                  Set<String> others = new HashSet<>();
                  all.stream()
                      .map(SimulatedRuler::name)
                      .filter(each -> !each.equals(name))
                      .forEach(others::add);
                  peers.listed(Optional.of(others), all.size(), simulation.now());
                }));
    simulation.every(
        TICK_MILLIS,
        () -> {
          if (life == now && machine.isPresent() && !isFrozen()) {
            tick();
          }
          return life == now && machine.isPresent();
        });
  }

  private void tick() {
    long now = simulation.now();
    boolean wasServing = machine.orElseThrow().isServing();
    peers.tick(now, this::beat);
    on(new Event.Tick(now, Simulation.EPOCH + now + skew, peers.list()));
    if (machine.orElseThrow().isServing() != wasServing) {
      peers.beatSoon();
    }
  }

  void kill() {
    machine.ifPresent(this::count);
    machine = Optional.empty();
    life = 0;
    buffered.clear();
    unwritten.clear();
    outboxes.clear();
    frozenUntil = 0;
  }

  private void count(OwnershipMachine of) {
    missed += of.missed();
    replayed += of.replayed();
    abandoned += of.abandoned();
  }

  void freeze(long millis) {
    if (machine.isEmpty() || isFrozen()) {
      return;
    }
    frozenAt = simulation.now();
    frozenUntil = simulation.now() + millis;
    long of = life;
    simulation.after(
        millis,
        () -> {
          if (life == of) {
            thaw();
          }
        });
  }

  private boolean isFrozen() {
    return simulation.now() < frozenUntil;
  }

  /** Messages that have come meanwhile are read before anything else. */
  void thaw() {
    if (frozenUntil == 0) {
      return;
    }
    frozenUntil = 0;
    if (simulation.now() - frozenAt > PeerMachine.SILENT_MILLIS) {
      wokenAt = simulation.now();
    }
    while (!buffered.isEmpty()) {
      buffered.poll().run();
    }
  }

  /** Does something as this life of the process, when it is not frozen. */
  private void alive(long of, Runnable work) {
    if (life != of || machine.isEmpty()) {
      return;
    }
    if (isFrozen()) {
      buffered.add(() -> alive(of, work));
    } else {
      work.run();
    }
  }

  private void on(Event event) {
    machine.ifPresent(of -> of.on(event, this::carryOut));
  }

  private void carryOut(Effect effect) {
    long of = life;
    switch (effect) {
      case Effect.Fetch fetch -> fetch(fetch);
      case Effect.Restore restore ->
          simulation.after(
              5,
              () ->
                  alive(
                      of,
                      () ->
                          on(
                              new Event.Restored(
                                  restore.term(), restore.group(), Optional.empty()))));
      case Effect.Evaluate evaluate -> evaluate(evaluate);
      case Effect.Publish publish -> {
        if (machine.orElseThrow().mayPublish(publish.term(), simulation.now())) {
          tell(publish);
        }
        Deque<GroupState> queue =
            unwritten.computeIfAbsent(publish.after().group(), none -> new ArrayDeque<>());
        queue.addLast(publish.after());
        if (queue.size() == 1) {
          write(publish.term(), publish.after());
        }
      }
      case Effect.Keep keep -> disk.put(keep.state().group(), keep.state());
      case Effect.HandOver handOver ->
          find(handOver.to())
              .ifPresent(
                  other ->
                      simulation.send(
                          name,
                          other.name,
                          () ->
                              other.alive(
                                  other.life, () -> other.on(new Event.Came(handOver.state())))));
      case Effect.Abandon abandon -> {
        unwritten.clear();
        outboxes.values().forEach(Outbox::abandon);
      }
      case Effect.End end ->
          throw new AssertionError("no group is removed, but series end: " + end.markers());
      case Effect.Forget forget -> disk.remove(forget.group());
    }
  }

  private void tell(Effect.Publish publish) {
    Outbox outbox = outboxes.computeIfAbsent(publish.after().group(), none -> new Outbox());
    outbox.add(publish.before(), publish.after().slot(), publish.outcome().alerts());
    if (publish.tell()) {
      rules.tell(name, publish.after(), outbox.take(), begun, wokenAt);
    }
  }

  private Optional<SimulatedRuler> find(String other) {
    return all.stream().filter(each -> each.name.equals(other)).findFirst();
  }

  private void beat(String other, Heartbeat beat) {
    long of = life;
    SimulatedRuler to = find(other).orElseThrow();
    byte[] bytes = HeartbeatForm.toBytes(beat);
    simulation.send(
        name,
        to.name,
        () ->
            to.alive(
                to.life,
                () -> {
                  to.hear(bytes);
                  byte[] answer = HeartbeatForm.toBytes(to.peers.to(name, simulation.now()));
                  simulation.send(to.name, name, () -> alive(of, () -> hear(answer)));
                }));
  }

  private void hear(byte[] beat) {
    try {
      peers.heard(HeartbeatForm.fromBytes(beat), simulation.now());
    } catch (WireException e) {
      throw new AssertionError(e);
    }
  }

  private void fetch(Effect.Fetch fetch) {
    long of = life;
    find(fetch.from())
        .ifPresent(
            from ->
                simulation.send(
                    name,
                    from.name,
                    () ->
                        from.alive(
                            from.life,
                            () -> {
                              List<GroupState> states = new ArrayList<>();
                              for (RuleGroup.Id id : fetch.groups()) {
                                from.machine
                                    .orElseThrow()
                                    .state(GroupHash.of(id))
                                    .ifPresent(states::add);
                              }
                              simulation.send(
                                  from.name,
                                  name,
                                  () ->
                                      alive(
                                          of,
                                          () ->
                                              states.forEach(state -> on(new Event.Came(state)))));
                            })));
  }

  private void evaluate(Effect.Evaluate evaluate) {
    long of = life;
    long began = simulation.now();
    long arrives = evaluate.slot() - Simulation.EPOCH + simulation.random.nextLong(300);
    long done = Math.max(simulation.now(), arrives) + 10 + simulation.random.nextLong(1_000);
    boolean fails =
        !simulation.reaches(name, SimulatedRules.STORE) || simulation.random.nextInt(20) == 0;
    simulation.after(
        done - simulation.now(),
        () ->
            alive(
                of,
                () -> {
                  if (fails) {
                    on(
                        new Event.NotEvaluated(
                            evaluate.term(), evaluate.before().group(), evaluate.slot()));
                    return;
                  }
                  Dealt group = known.get(evaluate.before().group());
                  begun = began;
                  Outcome outcome =
                      SimulatedRules.evaluate(group, evaluate.before(), evaluate.slot());
                  long took = simulation.now() - Math.max(began, arrives);
                  on(new Event.Evaluated(evaluate.term(), outcome, simulation.now(), took));
                }));
  }

  /** Sent again until it is acknowledged. */
  private void write(long term, GroupState state) {
    long of = life;
    Deque<GroupState> queue = unwritten.get(state.group());
    if (queue == null || queue.peekFirst() != state) {
      return;
    }
    simulation.send(
        name,
        SimulatedRules.STORE,
        () -> {
          rules.store(state);
          simulation.send(
              SimulatedRules.STORE,
              name,
              () ->
                  alive(
                      of,
                      () -> {
                        if (unwritten.get(state.group()) == queue && queue.peekFirst() == state) {
                          queue.removeFirst();
                          on(new Event.Written(term, state));
                          if (!queue.isEmpty()) {
                            write(term, queue.getFirst());
                          }
                        }
                      }));
        });
    simulation.after(700, () -> alive(of, () -> write(term, state)));
  }

  long missed() {
    return missed + machine.map(OwnershipMachine::missed).orElse(0L);
  }

  long replayed() {
    return replayed + machine.map(OwnershipMachine::replayed).orElse(0L);
  }

  long abandoned() {
    return abandoned + machine.map(OwnershipMachine::abandoned).orElse(0L);
  }
}
