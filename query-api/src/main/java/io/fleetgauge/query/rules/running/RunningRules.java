package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.Restoration;
import io.fleetgauge.query.rules.evaluation.Slots;
import io.fleetgauge.query.rules.notify.Notifier;
import io.fleetgauge.query.rules.ownership.Dealt;
import io.fleetgauge.query.rules.ownership.Effect;
import io.fleetgauge.query.rules.ownership.Event;
import io.fleetgauge.query.rules.ownership.GroupHash;
import io.fleetgauge.query.rules.ownership.GroupNote;
import io.fleetgauge.query.rules.ownership.Outbox;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a query API. Everything happens on one event loop, which never waits; public methods
 * are safe for all threads.
 */
public final class RunningRules implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningRules.class);
  private static final long TICK_MILLIS = 100;
  private static final long STOP_MILLIS = 2_500;
  private static final long LEAST_TIMEOUT_MILLIS = 1_000;

  private final Vertx vertx;
  private final Context context;
  private final Parts parts;
  private final PeerLink link;
  private final StateExchange exchange;
  private final SlotData data;
  private final ResultWriter writer;
  private final RuleCounts counts = new RuleCounts();
  private final Map<RuleGroup.Id, Known> groups = new HashMap<>();
  private Optional<StateFolder> folder = Optional.empty();
  private volatile Optional<OwnershipMachine> machine = Optional.empty();
  private volatile OwnershipFigures figures = OwnershipFigures.NONE;
  private volatile boolean draining;

  /** When it was last known which groups are owned, by {@link #steady}. */
  private volatile long tickedAt;

  /** The results that an effect of the event under way concerns. */
  private GroupEvaluation.Outcome outcome;

  /**
   * Parts of the process that rules need.
   *
   * @param groups the groups that are known now
   * @param view the cluster, in which gateways store results
   * @param link reaches the other query APIs
   * @param http reaches gateways
   * @param lookback of instant selectors, ms
   * @param timeout longest time of a query, ms
   * @param externalUrl prefix of links in alerts
   * @param notifier takes the alerts of a tenant; must not wait
   * @param clock ms since the epoch
   */
  public record Parts(
      Supplier<List<RuleGroup>> groups,
      Querier querier,
      Guard guard,
      Supplier<ClusterView> view,
      PeerLink link,
      OutgoingHttp http,
      RulesSettings settings,
      long lookback,
      long timeout,
      Supplier<String> externalUrl,
      Notifier notifier,
      LongSupplier clock) {}

  /** A group, and its alerts that wait for the newest slot. */
  private static final class Known {
    private RuleGroup group;
    private final Outbox outbox = new Outbox();

    private Known(RuleGroup group) {
      this.group = group;
    }
  }

  private RunningRules(Vertx vertx, Parts parts) {
    this.vertx = vertx;
    this.context = parts.link.context();
    this.parts = parts;
    this.link = parts.link;
    this.exchange = new StateExchange(link);
    this.data = new SlotData(context, parts.querier, parts.clock);
    this.writer = new ResultWriter(context, parts.http, parts.view);
  }

  /** Mounts what other query APIs ask; the rules run from {@link #start} on. */
  public static RunningRules mount(Router router, Vertx vertx, Parts parts) {
    RunningRules rules = new RunningRules(vertx, parts);
    rules.exchange.mount(router, parts.guard, rules);
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
    if (parts.settings.folder().isPresent()) {
      StateFolder states = StateFolder.open(parts.settings.folder().get());
      kept.addAll(states.read());
      folder = Optional.of(states);
    }
    OwnershipMachine begun = new OwnershipMachine(name, parts.settings.catchUp().toMillis());
    context.runOnContext(
        none -> {
          machine = Optional.of(begun);
          kept.forEach(state -> on(new Event.Came(state)));
          learn();
          link.tell(GroupNote.TOPIC, false, () -> begun.note().toBytes());
          tick();
          vertx.setPeriodic(TICK_MILLIS, timer -> tick());
        });
  }

  /** The groups may have changed. */
  public void groupsChanged() {
    context.runOnContext(none -> learn());
  }

  private void learn() {
    if (machine.isEmpty()) {
      return;
    }
    List<Dealt> dealt = new ArrayList<>();
    Set<RuleGroup.Id> now = new HashSet<>();
    for (RuleGroup group : parts.groups.get()) {
      Known known = groups.computeIfAbsent(group.id(), none -> new Known(group));
      known.group = group;
      now.add(group.id());
      dealt.add(
          new Dealt(
              group.id(),
              GroupState.definitionOf(group),
              group.interval(),
              Slots.offset(group.id(), group.interval()),
              Math.max(1, group.rules().size())));
    }
    groups.keySet().retainAll(now);
    on(new Event.Groups(dealt));
  }

  private void tick() {
    if (draining) {
      return;
    }
    boolean wasServing = machine.orElseThrow().isServing();
    on(new Event.Tick(steady(), parts.clock.getAsLong(), link.list()));
    if (machine.orElseThrow().isServing() != wasServing) {
      link.beatSoon();
    }
    groups.forEach(
        (id, known) -> {
          if (!machine.orElseThrow().owns(id)) {
            known.outbox.disown();
          }
        });
    tickedAt = steady();
    figures = OwnershipFigures.of(machine.orElseThrow());
  }

  private static long steady() {
    return PeerLink.now();
  }

  private void on(Event event) {
    machine.ifPresent(of -> of.on(event, this::carryOut));
  }

  // --- what the machine wants ---

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Fetch fetch -> fetch(fetch);
      // Not now: the machine is deciding.
      case Effect.Restore restore -> context.runOnContext(none -> restore(restore));
      case Effect.Evaluate evaluate -> await(evaluate);
      case Effect.Publish publish -> publish(publish);
      case Effect.Keep keep -> folder.ifPresent(states -> states.write(keep.state()));
      case Effect.HandOver handOver ->
          exchange
              .handOver(handOver.to(), handOver.state())
              .onFailure(failure -> LOG.debug("not handed over", failure));
      case Effect.Abandon abandon -> {
        // A process that stops still sends the alerts that it has taken (notifications.drain).
        if (!draining) {
          groups.values().forEach(known -> known.outbox.abandon());
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

  private void fetch(Effect.Fetch fetch) {
    List<Long> keys = fetch.groups().stream().map(GroupHash::of).toList();
    exchange
        .states(fetch.from(), keys)
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      if (done.succeeded()) {
                        done.result().forEach(state -> on(new Event.Came(state)));
                      } else {
                        LOG.debug("states of {} did not arrive", fetch.from(), done.cause());
                        on(new Event.FetchFailed(fetch.from(), fetch.groups()));
                      }
                    }));
  }

  private void await(Effect.Evaluate evaluate) {
    Known known = groups.get(evaluate.before().group());
    long slot = evaluate.slot();
    long deadline = slot + deadlineMillis(known.group);
    data.arrived(slot - queryOffset(known.group), deadline)
        .onSuccess(
            arrived -> {
              if (!arrived) {
                counts.late();
              }
              evaluate(evaluate, known.group, deadline);
            });
  }

  private long queryOffset(RuleGroup group) {
    return group.queryOffset().orElse(parts.settings.queryOffset().toMillis());
  }

  private long deadlineMillis(RuleGroup group) {
    return parts.settings.deadline().map(each -> each.toMillis()).orElse(group.interval() / 2);
  }

  private void evaluate(Effect.Evaluate evaluate, RuleGroup group, long deadline) {
    long begun = System.nanoTime();
    TenantScope scope;
    try {
      scope = scope(group);
    } catch (QueryFailure e) {
      postpone(evaluate.term(), group.id(), evaluate.slot(), e);
      return;
    }
    GroupEvaluation.evaluate(
            group,
            evaluate.before(),
            evaluate.slot(),
            queries(group, scope, deadline),
            samples -> writeNow(evaluate.term(), samples).toCompletionStage(),
            settings(scope))
        .whenComplete(
            (done, failure) ->
                context.runOnContext(
                    none -> {
                      if (failure != null) {
                        postpone(evaluate.term(), group.id(), evaluate.slot(), failure);
                      } else {
                        evaluated(evaluate, done, begun);
                      }
                    }));
  }

  private GroupEvaluation.Settings settings(TenantScope scope) {
    return new GroupEvaluation.Settings(
        Labels.of(parts.settings.externalLabels()),
        parts.externalUrl.get(),
        parts.settings.resendDelay().toMillis(),
        parts.settings.queryOffset().toMillis(),
        switch (parts.settings.partial()) {
          case KEEP -> RuleGroup.Partial.KEEP;
          case EVALUATE -> RuleGroup.Partial.EVALUATE;
        },
        scope.labels(),
        scope.others());
  }

  private void postpone(long term, RuleGroup.Id group, long slot, Throwable why) {
    counts.postponed();
    Throwable cause = cause(why);
    if (cause instanceof RetryLater || cause instanceof QueryFailure) {
      LOG.debug("evaluation {} of {} is postponed: {}", slot, group.key(), cause.getMessage());
    } else {
      LOG.warn("evaluation {} of {} failed and is retried", slot, group.key(), cause);
    }
    on(new Event.NotEvaluated(term, group, slot));
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  private TenantScope scope(RuleGroup group) throws QueryFailure {
    return TenantScope.of(parts.guard.access(), group.id().tenant())
        .orElseThrow(
            () ->
                new QueryFailure(
                    QueryFailure.Kind.FORBIDDEN,
                    "there is no tenant " + group.id().tenant() + " in the tenants file"));
  }

  private RuleQueries queries(RuleGroup group, TenantScope scope, long patience) {
    return new RuleQueries(
        parts.querier,
        scope.caller(),
        patience,
        parts.lookback,
        Math.min(parts.timeout, Math.max(LEAST_TIMEOUT_MILLIS, group.interval())),
        parts.clock,
        () -> !parts.view.get().gateways().isEmpty(),
        () ->
            link.list().listed().filter(names -> !names.isEmpty()).isPresent()
                && machine.filter(of -> of.live().isEmpty()).isPresent());
  }

  /** Restores a state that no query API has from the series of alerts that are stored. */
  private void restore(Effect.Restore restore) {
    Known known = groups.get(restore.group());
    if (known == null) {
      return;
    }
    TenantScope scope;
    try {
      scope = scope(known.group);
    } catch (QueryFailure e) {
      postpone(restore.term(), restore.group(), restore.slot(), e);
      return;
    }
    // That of the group's first slot: what the store does not tell until then is not waited for.
    long deadline = restore.slot() + known.group.interval() + deadlineMillis(known.group);
    Restoration.restored(
            known.group,
            parts.clock.getAsLong(),
            queries(known.group, scope, deadline),
            settings(scope))
        .whenComplete(
            (state, failure) ->
                context.runOnContext(none -> restored(restore, deadline, state, failure)));
  }

  private void restored(
      Effect.Restore restore, long deadline, Optional<GroupState> state, Throwable failure) {
    if (failure == null) {
      on(new Event.Restored(restore.term(), restore.group(), state));
    } else if (parts.clock.getAsLong() < deadline || cause(failure) instanceof RetryLater) {
      postpone(restore.term(), restore.group(), restore.slot(), failure);
    } else {
      LOG.warn(
          "the stored alerts of {} cannot be read, so they start from the beginning: {}",
          restore.group().key(),
          cause(failure).toString());
      on(new Event.Restored(restore.term(), restore.group(), Optional.empty()));
    }
  }

  private Future<Void> writeNow(long term, List<GroupEvaluation.ResultSample> samples) {
    Promise<Void> stored = Promise.promise();
    context.runOnContext(
        none -> writer.writeNow(samples, () -> mayPublish(term)).onComplete(stored));
    return stored.future();
  }

  private boolean mayPublish(long term) {
    return machine.filter(of -> of.mayPublish(term, steady())).isPresent();
  }

  private void evaluated(Effect.Evaluate evaluate, GroupEvaluation.Outcome done, long begun) {
    long nanos = System.nanoTime() - begun;
    counts.evaluated(
        done.after(),
        nanos / 1e9,
        (parts.clock.getAsLong() - evaluate.slot()) / 1e3,
        done.samples().size() + done.written());
    counts.outOfScope(done.outside());
    outcome = done;
    long took = TimeUnit.NANOSECONDS.toMillis(nanos);
    on(new Event.Evaluated(evaluate.term(), done.after(), steady(), took));
    outcome = null;
  }

  private void publish(Effect.Publish publish) {
    RuleGroup.Id id = publish.after().group();
    Known known = groups.get(id);
    if (known == null || !mayPublish(publish.term())) {
      return;
    }
    // Of an alert that changed while its group waited, only the last state is told.
    Outbox outbox = known.outbox;
    long slot = publish.after().slot();
    long interval = known.group.interval();
    long late = Math.max(0, Math.floorDiv(parts.clock.getAsLong() - slot, interval) * interval);
    outbox.add(
        publish.before(),
        slot,
        outcome.alerts().stream().map(each -> each.later(slot, late)).toList());
    if (publish.tell()) {
      List<GroupEvaluation.Notice> alerts = outbox.take();
      long tenure = outbox.tenure();
      if (!alerts.isEmpty()) {
        parts.notifier.send(id.tenant(), alerts, () -> isCurrent(outbox, tenure));
      }
    }
    writer.write(
        id,
        outcome.samples(),
        () -> {
          // Not now: the machine may be deciding.
          context.runOnContext(none -> on(new Event.Written(publish.term(), publish.after())));
        });
  }

  // --- what others want ---

  Future<Void> came(GroupState state) {
    return link.call(
        () -> {
          on(new Event.Came(state));
          return null;
        });
  }

  /**
   * States that others may have.
   *
   * @param keys none for all newest ones, stored or not
   */
  Future<List<GroupState>> own(List<Long> keys) {
    return link.call(
        () -> {
          OwnershipMachine of =
              machine.orElseThrow(() -> new IllegalStateException("the rules do not run yet"));
          if (keys.isEmpty()) {
            return List.copyOf(of.states());
          }
          return keys.stream().flatMap(key -> of.state(key).stream()).toList();
        });
  }

  /**
   * Returns true if this process still speaks for a group: false while it has reason to think that
   * another one has gone on with it. A process that stops owned it until then.
   */
  private boolean isCurrent(Outbox outbox, long tenure) {
    return outbox.isCurrent(tenure)
        && (draining || steady() - tickedAt <= OwnershipMachine.LEASE_MILLIS);
  }

  /** The newest state of each group, wherever it is evaluated. Never fails. */
  public Future<Map<RuleGroup.Id, GroupState>> states() {
    if (machine.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    List<Future<List<GroupState>>> asked = new ArrayList<>();
    asked.add(own(List.of()));
    machine.get().live().forEach(name -> asked.add(exchange.states(name, List.of())));
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
    OwnershipFigures.declare(meters, () -> figures);
    writer.declare(meters);
    meters.counter(
        "rule_state_failures",
        "States of rules on disk that could not be read or written.",
        () -> folder.map(StateFolder::failures).orElse(0L));
  }

  /** Stores what has been evaluated, and tells the others that this process stops. */
  @Override
  public void close() {
    if (machine.isPresent()) {
      try {
        link.call(
                () -> {
                  draining = true;
                  return null;
                })
            .compose(none -> idle(System.nanoTime()))
            .compose(
                none ->
                    link.call(
                        () -> {
                          on(new Event.Stopping());
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
              return isLate || writer.isIdle() && machine.orElseThrow().isIdle();
            })
        .compose(
            idle -> {
              if (idle) {
                return Future.succeededFuture();
              }
              Promise<Void> pause = Promise.promise();
              vertx.setTimer(20, timer -> pause.complete());
              return pause.future().compose(none -> idle(begun));
            });
  }
}
