package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Queries;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.QueryAnswer;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Settings;
import io.fleetgauge.query.rules.evaluation.RuleState.Health;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Evaluates the rules of a group at one slot, each alone. */
final class RuleEvaluation {
  private static final Logger LOG = LoggerFactory.getLogger(RuleEvaluation.class);

  private final RuleGroup group;
  private final long slot;
  private final long queryTime;
  private final Queries queries;
  private final Settings settings;
  private final boolean keeps;

  RuleEvaluation(RuleGroup group, long slot, Queries queries, Settings settings) {
    this.group = group;
    this.slot = slot;
    this.queryTime = slot - group.queryOffset().orElse(settings.queryOffset());
    this.queries = queries;
    this.settings = settings;
    this.keeps = group.partial().orElse(settings.partial()) == RuleGroup.Partial.KEEP;
  }

  CompletionStage<RuleStep> evaluated(Rule rule, RuleState before) {
    long begin = queries.nanoTime();
    return attempt(() -> queries.instant(rule.expression(), queryTime))
        .thenCompose(
            seen ->
                switch (rule) {
                  case Rule.Recording recording ->
                      CompletableFuture.completedFuture(recorded(recording, before, seen));
                  case Rule.Alerting alerting -> alerted(alerting, before, seen);
                })
        .thenApply(this::inScope)
        .exceptionally(failure -> failed(rule, before, failure))
        .thenApply(step -> timed(step, queries.nanoTime() - begin));
  }

  /** The result of {@code ask}, also of one that it throws. */
  private static <T> CompletableFuture<T> attempt(Supplier<CompletionStage<T>> ask) {
    try {
      return ask.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private RuleStep failed(Rule rule, RuleState before, Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof LimitExceeded) {
      // Prometheus forgets all alerts of such a rule.
      return new RuleStep(
          state(before, Health.ERR, cause.getMessage(), List.of(), before.series()),
          List.of(),
          List.of(),
          List.of());
    }
    if (cause instanceof QueryFailure) {
      return failed(before, cause.getMessage());
    }
    if (cause instanceof RuntimeException || cause instanceof StackOverflowError) {
      // A defect, which another attempt would meet again: the other rules of the group go on.
      LOG.warn("rule {} of {} could not be evaluated", rule.name(), group.id().key(), cause);
      return failed(before, cause.toString());
    }
    throw new CompletionException(cause);
  }

  private RuleStep failed(RuleState before, String why) {
    return new RuleStep(
        state(before, Health.ERR, why, before.alerts(), before.series()),
        List.of(),
        List.of(),
        List.of());
  }

  private static RuleStep timed(RuleStep step, long nanos) {
    RuleState after = step.after();
    return new RuleStep(
        new RuleState(
            after.rule(),
            after.health(),
            after.lastError(),
            after.lastEvaluation(),
            nanos,
            after.alerts(),
            after.series()),
        step.samples(),
        step.notices(),
        step.missing(),
        step.outside());
  }

  /** A tenant's rule writes only what the tenant may see; the rest makes it unhealthy. */
  private RuleStep inScope(RuleStep step) {
    if (step.samples().stream().allMatch(sample -> isInScope(sample.labels()))) {
      return step;
    }
    List<DerivedSample> kept =
        step.samples().stream().filter(sample -> isInScope(sample.labels())).toList();
    List<Labels> series = step.after().series().stream().filter(this::isInScope).toList();
    int outside = step.samples().size() - kept.size();
    Labels example =
        step.samples().stream()
            .map(DerivedSample::labels)
            .filter(labels -> !isInScope(labels))
            .findFirst()
            .orElseThrow();
    String error =
        "outside of the tenant's scope and not stored: %d of %d results, such as %s"
            .formatted(outside, step.samples().size(), example);
    return new RuleStep(
        state(step.after(), Health.ERR, error, step.after().alerts(), series),
        kept,
        step.notices(),
        step.missing(),
        outside);
  }

  private boolean isInScope(Labels labels) {
    for (Matcher matcher : settings.scope()) {
      if (!matcher.matches(labels)) {
        return false;
      }
    }
    return true;
  }

  private RuleState state(
      RuleState before,
      Health health,
      String error,
      List<AlertInstance> alerts,
      List<Labels> series) {
    return new RuleState(before.rule(), health, error, slot, 0, alerts, series);
  }

  /** The samples of a result, a scalar as one without labels. */
  private static List<Answer.Sample> samples(Answer.Result result) throws QueryFailure {
    return switch (result) {
      case Answer.Vector vector -> vector.samples();
      case Answer.Scalar scalar -> List.of(new Answer.Sample(Labels.EMPTY, scalar.value()));
      case Answer.Text _, Answer.Matrix _ ->
          throw new QueryFailure(
              QueryFailure.Kind.EXECUTION, "rule result is not a vector or scalar");
    };
  }

  private static QueryFailure failure(String message) {
    return new QueryFailure(QueryFailure.Kind.EXECUTION, message);
  }

  // --- recording rules ---

  private RuleStep recorded(Rule.Recording rule, RuleState before, QueryAnswer seen) {
    if (keeps && !seen.missing().isEmpty()) {
      return new RuleStep(
          state(before, Health.OK, "", List.of(), before.series()),
          List.of(),
          List.of(),
          seen.missing());
    }
    try {
      List<DerivedSample> written = new ArrayList<>();
      List<Labels> series = new ArrayList<>();
      Set<Labels> known = new HashSet<>();
      Map<String, String> own = group.labels(rule);
      for (Answer.Sample sample : samples(seen.result())) {
        Labels labels =
            Alerts.overridden(sample.labels().with(Labels.NAME, rule.name()), own)
                .with(settings.scopeLabels());
        if (!known.add(labels)) {
          throw failure(
              "vector contains metrics with the same labelset after applying rule labels");
        }
        series.add(labels);
        written.add(
            new DerivedSample(
                labels,
                queryTime,
                sample.histogram() == null ? sample.value() : Staleness.MARKER,
                sample.histogram()));
      }
      int limit = group.limit().orElse(0);
      if (limit > 0 && written.size() > limit) {
        throw failure("exceeded limit of " + limit + " with " + written.size() + " series");
      }
      return new RuleStep(
          state(before, Health.OK, "", List.of(), series), written, List.of(), seen.missing());
    } catch (QueryFailure e) {
      throw new CompletionException(e);
    }
  }

  // --- alerting rules ---

  private CompletionStage<RuleStep> alerted(
      Rule.Alerting rule, RuleState before, QueryAnswer seen) {
    AlertingStep alerts = new AlertingStep(group, rule, slot, settings);
    if (keeps && !seen.missing().isEmpty()) {
      return CompletableFuture.completedFuture(
          step(before, alerts.kept(before.alerts()), seen.missing()));
    }
    List<Answer.Sample> samples;
    try {
      samples = samples(seen.result());
    } catch (QueryFailure e) {
      return CompletableFuture.failedFuture(e);
    }
    Expansions expansions = new Expansions(group, rule, slot, queries, settings, seen.missing());
    return expansions
        .of(samples)
        .thenApply(
            series -> {
              if (keeps && !expansions.missing().isEmpty()) {
                return step(before, alerts.kept(before.alerts()), expansions.missing());
              }
              Map<Labels, AlertingStep.AlertElement> byLabels = new LinkedHashMap<>();
              for (AlertingStep.AlertElement one : series) {
                if (byLabels.put(one.labels(), one) != null) {
                  throw new CompletionException(
                      failure(
                          "vector contains metrics with the same labelset after applying alert"
                              + " labels"));
                }
              }
              try {
                return step(
                    before, alerts.evaluated(before.alerts(), byLabels), expansions.missing());
              } catch (LimitExceeded e) {
                throw new CompletionException(e);
              }
            });
  }

  private RuleStep step(RuleState before, AlertingStep.StepResult done, List<String> missing) {
    List<Labels> series = done.samples().stream().map(DerivedSample::labels).toList();
    return new RuleStep(
        state(before, Health.OK, "", done.alerts(), series),
        done.samples(),
        done.notices(),
        missing);
  }
}
