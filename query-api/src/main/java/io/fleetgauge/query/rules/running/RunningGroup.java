package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.derived.DerivedWriter;
import io.fleetgauge.query.derived.SlotData;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.Restoration;
import io.fleetgauge.query.rules.notify.Outbox;
import io.fleetgauge.query.rules.ownership.Effect;
import io.fleetgauge.query.rules.ownership.Event;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group that is known here. Each of its slots waits for its samples, is evaluated, and, if the
 * owner then still wants it, is stored and told, in the order of the methods. For the link's event
 * loop.
 */
final class RunningGroup {
  private static final Logger LOG = LoggerFactory.getLogger(RunningGroup.class);
  private static final long LEAST_TIMEOUT_MILLIS = 1_000;

  private final RulesEnvironment environment;
  private final RulesSettings settings;
  private final Context context;
  private final RuleOwner owner;
  private final SlotData data;
  private final DerivedWriter<RuleGroup.Id> writer;
  private final RuleCounts counts;
  private final Outbox outbox = new Outbox();
  private RuleGroup group;

  RunningGroup(
      RuleGroup group,
      RulesEnvironment environment,
      RuleOwner owner,
      SlotData data,
      DerivedWriter<RuleGroup.Id> writer,
      RuleCounts counts) {
    this.group = group;
    this.environment = environment;
    this.settings = environment.settings();
    this.context = environment.link().context();
    this.owner = owner;
    this.data = data;
    this.writer = writer;
    this.counts = counts;
  }

  /** The group may be defined anew; slots from now on are evaluated so. */
  void define(RuleGroup now) {
    group = now;
  }

  // --- a group begins ---

  /** Restores a state that no query API has from the series of alerts that are stored. */
  void restore(Effect.Restore of) {
    // That of the group's first slot: what the store does not tell until then is not waited for.
    long deadline = of.slot() + group.interval() + deadlineMillis();
    inScope(
        of.term(),
        of.slot(),
        scope ->
            Restoration.restored(
                    group,
                    environment.clock().getAsLong(),
                    queries(environment.stored(), scope, deadline),
                    evaluationSettings(scope))
                .whenComplete(
                    (state, failure) ->
                        context.runOnContext(none -> restored(of, deadline, state, failure))));
  }

  private void restored(
      Effect.Restore of, long deadline, Optional<GroupState> state, Throwable failure) {
    if (failure == null) {
      owner.on(new Event.Restored(of.term(), of.group(), state));
    } else if (environment.clock().getAsLong() < deadline || cause(failure) instanceof RetryLater) {
      postpone(of.term(), of.slot(), failure);
    } else {
      LOG.warn(
          "the stored alerts of {} cannot be read, so they start from the beginning: {}",
          of.group().key(),
          cause(failure).toString());
      owner.on(new Event.Restored(of.term(), of.group(), Optional.empty()));
    }
  }

  // --- a slot, from top to bottom ---

  /** Waits for the samples of a slot, until its deadline, and evaluates it. */
  void evaluate(Effect.Evaluate of) {
    long deadline = of.slot() + deadlineMillis();
    long offset = group.queryOffset().orElse(settings.queryOffset().toMillis());
    data.arrived(of.slot() - offset, deadline)
        .onSuccess(
            arrived -> {
              if (!arrived) {
                counts.late();
              }
              inScope(of.term(), of.slot(), scope -> evaluate(of, scope, deadline));
            });
  }

  private void evaluate(Effect.Evaluate of, TenantScope scope, long deadline) {
    long begun = System.nanoTime();
    GroupEvaluation.evaluate(
            group,
            of.before(),
            of.slot(),
            queries(environment.querier(), scope, deadline),
            samples -> writeNow(of.term(), samples).toCompletionStage(),
            evaluationSettings(scope))
        .whenComplete(
            (outcome, failure) ->
                context.runOnContext(
                    none -> {
                      if (failure != null) {
                        postpone(of.term(), of.slot(), failure);
                      } else {
                        evaluated(of, outcome, System.nanoTime() - begun);
                      }
                    }));
  }

  /** Later rules of the group read these samples, so they are stored before the others. */
  private Future<Void> writeNow(long term, List<DerivedSample> samples) {
    return environment
        .link()
        .call(() -> writer.writeNow(samples, () -> owner.mayPublish(term)))
        .compose(stored -> stored)
        .recover(failure -> Future.failedFuture(new RetryLater(failure.getMessage())));
  }

  private void evaluated(Effect.Evaluate of, GroupEvaluation.Outcome outcome, long nanos) {
    counts.evaluated(
        outcome.after(),
        nanos / 1e9,
        (environment.clock().getAsLong() - of.slot()) / 1e3,
        outcome.samples().size() + outcome.written());
    counts.outOfScope(outcome.outside());
    long took = TimeUnit.NANOSECONDS.toMillis(nanos);
    owner.on(new Event.Evaluated(of.term(), outcome, PeerLink.now(), took));
  }

  /** Stores the samples of a slot, and tells its alerts. */
  void publish(Effect.Publish of) {
    if (!owner.mayPublish(of.term())) {
      return;
    }
    writer.write(
        group.id(),
        of.outcome().samples(),
        () -> {
          // Not now: the machine may be deciding.
          context.runOnContext(none -> owner.on(new Event.Written(of.term(), of.after())));
        });
    // Of an alert that changed while its group waited, only the last state is told.
    long slot = of.after().slot();
    long behind = Math.max(0, environment.clock().getAsLong() - slot);
    long late = behind - behind % group.interval();
    outbox.add(
        of.before(),
        slot,
        of.outcome().alerts().stream().map(each -> each.later(slot, late)).toList());
    if (of.tell()) {
      List<Notice> alerts = outbox.take();
      long tenure = outbox.tenure();
      if (!alerts.isEmpty()) {
        environment
            .notifier()
            .send(group.id().tenant(), alerts, () -> outbox.isCurrent(tenure) && owner.isCurrent());
      }
    }
  }

  // --- alerts that are not to be told any more ---

  /** Another query API may have gone on: nothing that waits or was told is current any more. */
  void abandon() {
    outbox.abandon();
  }

  /** Alerts are current only while this query API owns the group. */
  void disownUnlessOwned() {
    if (!owner.owns(group.id())) {
      outbox.disown();
    }
  }

  // --- what an evaluation needs ---

  private void inScope(long term, long slot, Consumer<TenantScope> work) {
    TenantScope scope;
    try {
      scope = TenantScope.of(environment.guard().access(), group.id().tenant());
    } catch (QueryFailure e) {
      context.runOnContext(none -> postpone(term, slot, e)); // the machine may be deciding
      return;
    }
    work.accept(scope);
  }

  private void postpone(long term, long slot, Throwable why) {
    counts.postponed();
    Throwable cause = cause(why);
    String key = group.id().key();
    if (cause instanceof RetryLater || cause instanceof QueryFailure) {
      LOG.debug("evaluation {} of {} is postponed: {}", slot, key, cause.getMessage());
    } else {
      LOG.warn("evaluation {} of {} failed and is retried", slot, key, cause);
    }
    owner.on(new Event.NotEvaluated(term, group.id(), slot));
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  private long deadlineMillis() {
    return settings.deadline().map(each -> each.toMillis()).orElse(group.interval() / 2);
  }

  private RuleQueries queries(Querier querier, TenantScope scope, long patience) {
    return new RuleQueries(
        querier,
        scope.caller(),
        patience,
        environment.lookback(),
        Math.min(environment.timeout(), Math.max(LEAST_TIMEOUT_MILLIS, group.interval())),
        environment.clock(),
        () -> environment.view().map(view -> !view.get().gateways().isEmpty()).orElse(true),
        owner::isAlone);
  }

  private GroupEvaluation.Settings evaluationSettings(TenantScope scope) {
    return new GroupEvaluation.Settings(
        Labels.of(settings.externalLabels()),
        environment.externalUrl().get(),
        settings.resendDelay().toMillis(),
        settings.queryOffset().toMillis(),
        switch (settings.partial()) {
          case KEEP -> RuleGroup.Partial.KEEP;
          case EVALUATE -> RuleGroup.Partial.EVALUATE;
        },
        scope.labels(),
        scope.others());
  }
}
