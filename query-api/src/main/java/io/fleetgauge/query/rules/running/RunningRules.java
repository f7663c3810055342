package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.derived.DerivedWriter;
import io.fleetgauge.query.derived.SlotData;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.Slots;
import io.fleetgauge.query.rules.ownership.Dealt;
import io.fleetgauge.query.rules.ownership.Effect;
import io.fleetgauge.query.rules.ownership.Event;
import io.fleetgauge.query.rules.ownership.GroupHash;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a query API: tells the owner which groups there are and that time passes, and
 * carries out what it wants. Everything happens on one event loop, which never waits; public
 * methods are safe for all threads.
 */
public final class RunningRules implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningRules.class);
  private static final long TICK_MILLIS = 100;
  private static final long STOP_MILLIS = 2_500;

  private final Vertx vertx;
  private final Context context;
  private final RulesEnvironment environment;
  private final PeerLink link;
  private final RuleOwner owner;
  private final StateExchange exchange;
  private final SlotData data;
  private final DerivedWriter<RuleGroup.Id> writer;
  private final RuleCounts counts = new RuleCounts();
  private final Map<RuleGroup.Id, RunningGroup> groups = new HashMap<>();
  private List<RuleGroup> known = List.of();
  private Optional<StateFolder> folder = Optional.empty();

  private RunningRules(Vertx vertx, RulesEnvironment environment) {
    this.vertx = vertx;
    this.context = environment.link().context();
    this.environment = environment;
    this.link = environment.link();
    this.owner = new RuleOwner(link, environment.clock(), this::carryOut);
    this.exchange = new StateExchange(link, owner);
    this.data = new SlotData(context, environment.querier()::watermark, environment.clock());
    this.writer =
        new DerivedWriter<>(
            "rules", "results of rules", context, environment.http(), environment.view());
  }

  /** Mounts what other query APIs ask; the rules run from {@link #start} on. */
  public static RunningRules mount(Router router, Vertx vertx, RulesEnvironment environment) {
    RunningRules rules = new RunningRules(vertx, environment);
    rules.exchange.mount(router, environment.guard());
    return rules;
  }

  /**
   * Begins to run.
   *
   * @param name of this query API, which it keeps over restarts
   * @throws IOException if the folder of states cannot be used
   */
  public void start(String name) throws IOException {
    List<GroupState> kept = new ArrayList<>();
    if (environment.settings().folder().isPresent()) {
      StateFolder states = StateFolder.open(environment.settings().folder().get());
      kept.addAll(states.read());
      folder = Optional.of(states);
    }
    long catchUp = environment.settings().catchUp().toMillis();
    context.runOnContext(
        none -> {
          owner.start(new OwnershipMachine(name, catchUp));
          kept.forEach(state -> owner.on(new Event.Came(state)));
          tick();
          vertx.setPeriodic(TICK_MILLIS, timer -> tick());
        });
  }

  private void tick() {
    if (owner.isDraining()) {
      return;
    }
    List<RuleGroup> now = environment.groups().get();
    if (now != known) { // the list is another one when they have changed
      known = now;
      owner.on(new Event.Groups(dealt(now)));
    }
    owner.tick();
    groups.values().forEach(RunningGroup::disownUnlessOwned);
    owner.ticked();
  }

  /** Keeps the groups that are known from now on, and makes them fit to be dealt. */
  private List<Dealt> dealt(List<RuleGroup> now) {
    List<Dealt> dealt = new ArrayList<>();
    Set<RuleGroup.Id> ids = new HashSet<>();
    for (RuleGroup group : now) {
      groups
          .computeIfAbsent(
              group.id(), none -> new RunningGroup(group, environment, owner, data, writer, counts))
          .define(group);
      ids.add(group.id());
      dealt.add(
          new Dealt(
              group.id(),
              GroupState.definitionOf(group),
              group.interval(),
              Slots.offset(group.id(), group.interval()),
              Math.max(1, group.rules().size())));
    }
    groups.keySet().retainAll(ids);
    return dealt;
  }

  // --- what the owner wants ---

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Fetch fetch -> fetch(fetch);
      // Not now: the machine is deciding.
      case Effect.Restore restore ->
          context.runOnContext(none -> in(restore.group(), group -> group.restore(restore)));
      case Effect.Evaluate evaluate ->
          in(evaluate.before().group(), group -> group.evaluate(evaluate));
      case Effect.Publish publish -> in(publish.after().group(), group -> group.publish(publish));
      case Effect.Keep keep -> folder.ifPresent(states -> states.write(keep.state()));
      case Effect.HandOver handOver ->
          exchange
              .handOver(handOver.to(), handOver.state())
              .onFailure(failure -> LOG.debug("not handed over", failure));
      case Effect.Abandon abandon -> {
        // A process that stops still sends the alerts that it has taken (notifications.drain).
        if (!owner.isDraining()) {
          groups.values().forEach(RunningGroup::abandon);
        }
        writer.abandon();
      }
      case Effect.End end -> writer.write(end.group(), end.markers(), () -> {});
      case Effect.Forget forget -> {
        counts.forget(forget.group());
        folder.ifPresent(states -> states.forget(forget.group()));
      }
    }
  }

  private void in(RuleGroup.Id id, Consumer<RunningGroup> work) {
    Optional.ofNullable(groups.get(id)).ifPresent(work);
  }

  private void fetch(Effect.Fetch fetch) {
    exchange
        .states(fetch.from(), fetch.groups().stream().map(GroupHash::of).toList())
        .onSuccess(
            states -> link.run(() -> states.forEach(state -> owner.on(new Event.Came(state)))))
        .onFailure(failure -> LOG.debug("states of {} did not arrive", fetch.from(), failure));
  }

  /** The newest state of each group, wherever it is evaluated. Never fails. */
  public Future<Map<RuleGroup.Id, GroupState>> states() {
    if (owner.machine().isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    List<Future<List<GroupState>>> asked = new ArrayList<>();
    asked.add(exchange.own(List.of()));
    owner.machine().get().live().forEach(name -> asked.add(exchange.states(name, List.of())));
    return Future.join(asked)
        .transform(
            done -> {
              Map<RuleGroup.Id, GroupState> newest = new TreeMap<>();
              for (Future<List<GroupState>> each : asked) {
                if (each.succeeded()) {
                  each.result()
                      .forEach(
                          state ->
                              newest.merge(
                                  state.group(),
                                  state,
                                  (one, other) -> one.slot() >= other.slot() ? one : other));
                }
              }
              return Future.succeededFuture(newest);
            });
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    counts.declare(meters);
    owner.declare(meters);
    meters.counter("rule_samples_written", "Stored results of rules.", writer::written);
    meters.counter(
        "rule_samples_refused", "Results of rules that a gateway rejected.", writer::refused);
    meters.counter(
        "rule_samples_dropped",
        "Results of rules that were dropped because too many waited to be stored.",
        writer::dropped);
    meters.counter(
        "rule_write_retries", "Times that results of rules were sent again.", writer::retries);
    meters.gauge(
        "rule_waiting_bytes", "Results of rules that wait to be stored.", writer::waitingBytes);
    meters.counter(
        "rule_state_failures",
        "States of rules on disk that could not be read or written.",
        () -> folder.map(StateFolder::failures).orElse(0L));
  }

  /** Stores what has been evaluated, and tells the others that this process stops. */
  @Override
  public void close() {
    if (owner.machine().isPresent()) {
      try {
        link.run(owner::drain);
        idle(System.nanoTime())
            .compose(
                none ->
                    link.call(
                        () -> {
                          owner.on(new Event.Stopping());
                          return null;
                        }))
            .await(STOP_MILLIS + 1_000, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        LOG.warn("the rules did not stop in time");
      }
    }
    folder.ifPresent(StateFolder::close);
  }

  private Future<Void> idle(long begun) {
    return link.call(
            () -> {
              boolean isLate = System.nanoTime() - begun > STOP_MILLIS * 1_000_000;
              return isLate || writer.isIdle() && owner.machine().orElseThrow().isIdle();
            })
        .compose(
            idle ->
                idle
                    ? Future.succeededFuture()
                    : vertx.timer(20, TimeUnit.MILLISECONDS).compose(none -> idle(begun)));
  }
}
