package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.template.Answers.UnknownAnswer;
import io.fleetgauge.query.rules.template.Template;
import io.fleetgauge.query.rules.template.TemplateData;
import io.fleetgauge.query.rules.template.TemplateFailure;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Labels and annotations of the alerts of a rule at a slot.
 *
 * <p>A template that asks a query whose answer is not known is expanded again when it is.
 */
final class Expansions {
  private static final Logger LOG = LoggerFactory.getLogger(Expansions.class);

  /** Most queries that the templates of one rule ask at a slot. */
  static final int MAX_QUERIES = 1_000;

  /** Most characters that the templates of one rule make at a slot. */
  static final int MAX_CHARACTERS = 1 << 25;

  /** The annotation of an alert whose evaluation did not see all hosts. */
  static final String PARTIAL = "partial";

  /** Most hosts that a text names. */
  private static final int MAX_NAMED = 10;

  private final RuleGroup group;
  private final Rule.Alerting rule;
  private final long slot;
  private final GroupEvaluation.Queries queries;
  private final GroupEvaluation.Settings settings;
  private final TreeSet<String> missing;
  private final String completeness;
  private final SortedMap<String, String> labels;
  private final Map<String, String> externalLabels = new TreeMap<>();
  private final Map<String, KnownAnswer> known = new HashMap<>();
  private final List<AlertingStep.AlertElement> done = new ArrayList<>();
  private long characters;
  private boolean isLogged;

  /** The answer of a query; either is null. */
  private record KnownAnswer(List<Answer.Sample> samples, String error) {}

  Expansions(
      RuleGroup group,
      Rule.Alerting rule,
      long slot,
      GroupEvaluation.Queries queries,
      GroupEvaluation.Settings settings,
      Collection<String> missing) {
    this.group = group;
    this.rule = rule;
    this.slot = slot;
    this.queries = queries;
    this.settings = settings;
    this.missing = new TreeSet<>(missing);
    this.completeness = completeness(this.missing);
    this.labels = group.labels(rule);
    Labels external = settings.externalLabels();
    for (int i = 0; i < external.size(); i++) {
      externalLabels.put(external.name(i), external.value(i));
    }
  }

  /** Hosts that the rule's query and those of its templates could not see. */
  List<String> missing() {
    return List.copyOf(missing);
  }

  private static String completeness(TreeSet<String> missing) {
    if (missing.isEmpty()) {
      return "complete";
    }
    List<String> named = missing.stream().limit(MAX_NAMED).toList();
    int more = missing.size() - named.size();
    return "without "
        + (missing.size() == 1 ? "host " : missing.size() + " hosts: ")
        + String.join(", ", named)
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** One alert for each sample, in their order. */
  CompletableFuture<List<AlertingStep.AlertElement>> of(List<Answer.Sample> samples) {
    while (done.size() < samples.size()) {
      long before = characters;
      try {
        done.add(expanded(samples.get(done.size())));
      } catch (UnknownAnswer open) {
        characters = before; // the alert is expanded again
        CompletableFuture<Void> asked = ask(open.query());
        if (!asked.isDone()) {
          return asked.thenCompose(_ -> of(samples));
        }
        if (asked.isCompletedExceptionally()) {
          return asked.thenApply(_ -> done);
        }
      }
    }
    return CompletableFuture.completedFuture(done);
  }

  private CompletableFuture<Void> ask(String query) {
    if (known.size() >= MAX_QUERIES) {
      known.put(
          query, new KnownAnswer(null, "more than " + MAX_QUERIES + " queries in one evaluation"));
      return CompletableFuture.completedFuture(null);
    }
    Expr expression;
    try {
      expression = Parser.parse(query);
    } catch (ParseException e) {
      known.put(query, new KnownAnswer(null, e.getMessage()));
      return CompletableFuture.completedFuture(null);
    }
    return queries
        .instant(expression, slot)
        .handle(
            (seen, failure) -> {
              known.put(query, failure == null ? answered(seen) : refused(failure));
              return (Void) null;
            })
        .toCompletableFuture();
  }

  private KnownAnswer answered(GroupEvaluation.QueryAnswer seen) {
    missing.addAll(seen.missing());
    return switch (seen.result()) {
      case Answer.Vector vector -> new KnownAnswer(vector.samples(), null);
      case Answer.Scalar scalar ->
          new KnownAnswer(List.of(new Answer.Sample(Labels.EMPTY, scalar.value())), null);
      case Answer.Text _, Answer.Matrix _ ->
          new KnownAnswer(null, "rule result is not a vector or scalar");
    };
  }

  private static KnownAnswer refused(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof QueryFailure) {
      return new KnownAnswer(null, cause.getMessage());
    }
    throw new CompletionException(cause);
  }

  private List<Answer.Sample> answer(String query) throws UnknownAnswer, TemplateFailure {
    KnownAnswer answer = known.get(query);
    if (answer == null) {
      throw new UnknownAnswer(query);
    }
    if (answer.error() != null) {
      throw new TemplateFailure(answer.error());
    }
    return answer.samples();
  }

  // --- one alert ---

  private AlertingStep.AlertElement expanded(Answer.Sample sample) throws UnknownAnswer {
    double value = sample.histogram() == null ? sample.value() : 0;
    Map<String, String> own = new TreeMap<>();
    for (int i = 0; i < sample.labels().size(); i++) {
      own.put(sample.labels().name(i), sample.labels().value(i));
    }
    TemplateData data =
        new TemplateData(
            own,
            externalLabels,
            settings.externalUrl(),
            value,
            sample.histogram(),
            slot,
            completeness,
            !missing.isEmpty());
    Labels alert = sample.labels().without(Labels.NAME);
    for (var label : labels.entrySet()) {
      alert = alert.with(label.getKey(), expanded(label.getValue(), data));
    }
    alert = alert.with(Alerts.NAME, rule.name()).with(settings.scopeLabels());
    SortedMap<String, String> annotations = new TreeMap<>();
    for (var annotation : rule.annotations().entrySet()) {
      annotations.put(annotation.getKey(), expanded(annotation.getValue(), data));
    }
    if (!missing.isEmpty()) {
      annotations.put(PARTIAL, completeness);
    }
    return new AlertingStep.AlertElement(alert, annotations, value);
  }

  private String expanded(String text, TemplateData data) throws UnknownAnswer {
    if (!text.contains("{{")) {
      return text;
    }
    if (characters > MAX_CHARACTERS) {
      return failed("the templates of the rule make more than " + MAX_CHARACTERS + " characters");
    }
    try {
      String expanded = Template.expand(text, data, this::answer);
      characters += expanded.length();
      return expanded;
    } catch (TemplateFailure e) {
      return failed(e.getMessage());
    } catch (RuntimeException | StackOverflowError e) {
      if (!isLogged) {
        isLogged = true;
        LOG.warn("a template of alert {} of {} failed", rule.name(), group.id().key(), e);
      }
      return failed(e.toString());
    }
  }

  private String failed(String why) {
    String text = "<error expanding template: " + why + ">";
    characters += text.length();
    return text;
  }
}
