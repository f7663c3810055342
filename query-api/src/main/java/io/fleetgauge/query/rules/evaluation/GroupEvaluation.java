package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Evaluates a rule group at one slot: what it answers is a function of the state before and of what
 * {@link Queries} answers.
 *
 * <p>The rules have the results that they would have one after the other; those that do not read
 * what another one writes are asked at the same time.
 */
public final class GroupEvaluation {
  /** Answers instant queries; several may be under way at once. */
  public interface Queries {
    /**
     * @param time ms since the epoch
     * @return fails with a {@link io.fleetgauge.promql.query.QueryFailure} if the query has no
     *     answer: that is an error of the rule, and so is a {@link RuntimeException}; any other
     *     failure ends the evaluation
     */
    CompletionStage<QueryAnswer> instant(Expr expression, long time);

    /** A clock for how long rules take, ns; 0 where that is not measured. */
    default long nanoTime() {
      return 0;
    }
  }

  /**
   * The answer of a query.
   *
   * @param missing hosts that the answer lacks, empty if whole
   */
  public record QueryAnswer(Answer.Result result, List<String> missing) {}

  /** Stores samples that a later rule of the group reads. */
  @FunctionalInterface
  public interface Writer {
    /** Completes when queries see the samples; if it fails, the evaluation fails. */
    CompletionStage<Void> write(List<DerivedSample> samples);
  }

  /**
   * The settings of an evaluation, besides the group.
   *
   * @param externalLabels external labels in templates
   * @param externalUrl of the console, without a slash at its end
   * @param resendDelay after how long a firing alert is sent again, ms
   * @param queryOffset of groups that name none, ms
   * @param partial of groups that name none
   * @param scopeLabels labels that every result of the tenant has, whatever its rules say
   * @param scope matchers that every result has to match besides; others are not written
   */
  public record Settings(
      Labels externalLabels,
      String externalUrl,
      long resendDelay,
      long queryOffset,
      RuleGroup.Partial partial,
      Labels scopeLabels,
      List<Matcher> scope) {
    /** Settings of rules that may write everything. */
    public Settings(
        Labels externalLabels,
        String externalUrl,
        long resendDelay,
        long queryOffset,
        RuleGroup.Partial partial) {
      this(externalLabels, externalUrl, resendDelay, queryOffset, partial, Labels.EMPTY, List.of());
    }
  }

  /**
   * The result of a slot.
   *
   * @param samples that have still to be written, staleness markers included
   * @param alerts to send now: firing ones that are due, and resolved ones
   * @param written number of samples that the writer has had before
   * @param outside number of samples that are not written, because they are outside of the scope
   */
  public record Outcome(
      GroupState after,
      List<DerivedSample> samples,
      List<Notice> alerts,
      int written,
      int outside) {}

  /**
   * An alert as it is sent. Times in ms since the epoch.
   *
   * @param labels final, without external labels
   * @param endsAt when it was resolved; of a firing alert, until when it is valid unless it is sent
   *     again
   */
  public record Notice(
      Labels labels,
      SortedMap<String, String> annotations,
      long startsAt,
      long endsAt,
      String generatorUrl) {
    /**
     * The same, told later than at its slot: a firing alert is valid for as much longer.
     *
     * @param millis the delay
     */
    public Notice later(long slot, long millis) {
      return endsAt > slot
          ? new Notice(labels, annotations, startsAt, endsAt + millis, generatorUrl)
          : this;
    }
  }

  private final RuleGroup group;
  private final GroupState before;
  private final long slot;
  private final long sampleTime;
  private final Writer writer;
  private final RuleEvaluation rules;
  private final RuleStep[] steps;
  private final Map<Labels, DerivedSample> seriesWritten = new HashMap<>();
  private final List<DerivedSample> samples = new ArrayList<>();
  private int handed;

  private GroupEvaluation(
      RuleGroup group,
      GroupState before,
      long slot,
      Queries queries,
      Writer writer,
      Settings settings) {
    this.group = group;
    this.before = before.under(group);
    this.slot = slot;
    this.sampleTime = slot - group.queryOffset().orElse(settings.queryOffset());
    this.writer = writer;
    this.rules = new RuleEvaluation(group, slot, queries, settings);
    this.steps = new RuleStep[group.rules().size()];
  }

  /**
   * Evaluates one slot.
   *
   * @param before the state after an earlier slot; of this group, or of it as it was defined before
   * @param slot ms since the epoch, after the slot of {@code before}
   */
  public static CompletionStage<Outcome> evaluate(
      RuleGroup group,
      GroupState before,
      long slot,
      Queries queries,
      Writer writer,
      Settings settings) {
    if (slot <= before.slot()) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(
              "slot " + slot + " of " + group.id().key() + " is not after " + before.slot()));
    }
    GroupEvaluation evaluation =
        new GroupEvaluation(group, before, slot, queries, writer, settings);
    return evaluation
        .from(PreparedGroup.of(group).rounds(), 0)
        .thenApply(_ -> evaluation.outcome());
  }

  /** The markers that end all series of a group that is no longer there. */
  public static List<DerivedSample> ended(GroupState last, long time) {
    TreeSet<Labels> series = new TreeSet<>(last.ending());
    last.rules().forEach(rule -> series.addAll(rule.series()));
    return series.stream().map(labels -> DerivedSample.end(labels, time)).toList();
  }

  // --- rounds ---

  private CompletionStage<Void> from(List<RuleOrder.Round> rounds, int index) {
    if (index == rounds.size()) {
      return CompletableFuture.completedFuture(null);
    }
    RuleOrder.Round round = rounds.get(index);
    CompletableFuture<?>[] members =
        round.rules().stream()
            .map(place -> rule(place).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(members)
        .thenCompose(_ -> write(round))
        .thenCompose(_ -> from(rounds, index + 1));
  }

  private CompletionStage<Void> rule(int place) {
    Rule rule = group.rules().get(place);
    return rules.evaluated(rule, before.rules().get(place)).thenAccept(step -> steps[place] = step);
  }

  private CompletionStage<Void> write(RuleOrder.Round round) {
    List<DerivedSample> now = new ArrayList<>();
    for (int place : round.rules()) {
      steps[place] = withoutConflicts(steps[place]);
      now.addAll(steps[place].samples());
    }
    for (int place : round.rules()) {
      addEnds(before.rules().get(place).series(), steps[place].after().series(), now);
    }
    if (!round.seen() || now.isEmpty()) {
      samples.addAll(now);
      return CompletableFuture.completedFuture(null);
    }
    handed += now.size();
    return writer.write(List.copyOf(now));
  }

  /** Keeps the first of two samples of a series, as by Prometheus; the rule says so. */
  private RuleStep withoutConflicts(RuleStep step) {
    Set<Labels> refused = new LinkedHashSet<>();
    for (DerivedSample sample : step.samples()) {
      DerivedSample first = seriesWritten.putIfAbsent(sample.labels(), sample);
      if (first != null && !isSame(first, sample)) {
        refused.add(sample.labels());
      }
    }
    return refused.isEmpty() ? step : step.without(refused);
  }

  private static boolean isSame(DerivedSample one, DerivedSample other) {
    return Double.doubleToRawLongBits(one.value()) == Double.doubleToRawLongBits(other.value())
        && Objects.equals(one.histogram(), other.histogram());
  }

  /** Ends what was written at the slot before and now is not, unless another rule writes it. */
  private void addEnds(Collection<Labels> old, Collection<Labels> still, List<DerivedSample> out) {
    Set<Labels> kept = new HashSet<>(still);
    for (Labels series : old) {
      if (!kept.contains(series) && !seriesWritten.containsKey(series)) {
        out.add(DerivedSample.end(series, sampleTime));
      }
    }
  }

  private Outcome outcome() {
    addEnds(new TreeSet<>(before.ending()), List.of(), samples);
    List<RuleState> after = new ArrayList<>();
    List<Notice> notices = new ArrayList<>();
    TreeSet<String> missing = new TreeSet<>();
    int outside = 0;
    for (RuleStep step : steps) {
      outside += step.outside();
      after.add(step.after());
      notices.addAll(step.notices());
      missing.addAll(step.missing());
    }
    GroupState state =
        new GroupState(
            group.id(), slot, before.definition(), List.copyOf(missing), after, List.of());
    return new Outcome(state, List.copyOf(samples), List.copyOf(notices), handed, outside);
  }
}
