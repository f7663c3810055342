package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.ExtentsQuestion;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.LabelSetsQuestion;
import io.fleetgauge.promql.fragment.LabelValuesQuestion;
import io.fleetgauge.promql.fragment.MetadataQuestion;
import io.fleetgauge.promql.fragment.NewestQuestion;
import io.fleetgauge.promql.fragment.OwnersQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.RetentionQuestion;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.fragment.UsageExtentQuestion;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.ClusterRead;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A question of another cluster, for the gateways of this one.
 *
 * @param seen makes the answer to what was asked of that to the question
 * @param since the earlier look that the answer is to tell changes since
 */
record GatewayRead<A extends Result>(
    GatewayReads gateways,
    Question<A> question,
    Asked.Seeing<A> seen,
    List<String> without,
    Optional<Changes> since)
    implements ClusterRead<ClusterAnswer<A>> {

  @Override
  public String description() {
    return "read of another cluster: " + question.kind().name().toLowerCase(Locale.ROOT);
  }

  @Override
  public ClusterRead<ClusterAnswer<A>> within(
      List<Matcher> scope, List<String> tenants, long samples) throws QueryFailure {
    Question<A> limited = limited(samples);
    if (scope.isEmpty() && tenants.isEmpty()) {
      return new GatewayRead<>(gateways, limited, seen, without, since);
    }
    List<Asked<A>> all =
        new Questions(new Selecting.Scoped(scope, tenants)).of(unlabelled(limited, scope));
    if (all.isEmpty()) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "a part of a query selects no series");
    }
    Asked<A> scoped = all.getFirst();
    return new GatewayRead<>(
        gateways,
        scoped.question(),
        isLabelIn(scope) ? none -> unfit() : scoped.seen(),
        without,
        since);
  }

  /** Returns true if the label to be added would take the place of one that the scope names. */
  private boolean isLabelIn(List<Matcher> scope) {
    return question instanceof PartsQuestion asked
        && asked
            .label()
            .filter(label -> scope.stream().anyMatch(each -> each.name().equals(label.name())))
            .isPresent();
  }

  /** A scope is of stored labels: parts with the label are evaluated by who asks, of samples. */
  @SuppressWarnings("unchecked") // an answer to parts
  private A unfit() {
    return (A) new PartsQuestion.Unfit("a scope names the label " + ClustersSettings.LABEL);
  }

  @SuppressWarnings("unchecked") // the same question without a label
  private Question<A> unlabelled(Question<A> asked, List<Matcher> scope) {
    return asked instanceof PartsQuestion parts && isLabelIn(scope)
        ? (Question<A>) parts.withoutLabel()
        : asked;
  }

  /** With no larger limits than those of the caller's tenant. */
  @SuppressWarnings("unchecked") // the same question with other limits
  private Question<A> limited(long samples) {
    if (question instanceof SamplesQuestion asked) {
      return (Question<A>)
          new SamplesQuestion(Math.min(asked.budget(), samples), asked.selections());
    }
    if (question instanceof PartsQuestion asked) {
      Query.Settings settings = asked.settings();
      return (Question<A>)
          new PartsQuestion(
              asked.start(),
              asked.end(),
              asked.step(),
              settings.withMaxSamples(Math.min(settings.maxSamples(), samples)),
              asked.timeoutMillis(),
              asked.parts(),
              Optional.empty(),
              asked.label());
    }
    return question;
  }

  @Override
  public long millis() {
    if (question instanceof PartsQuestion asked) {
      return asked.parts().stream()
          .mapToLong(part -> part.grid().end() - part.grid().start())
          .reduce(asked.end() - asked.start(), Math::max);
    }
    return question instanceof UsageQuestion asked
        ? asked.period().to() - asked.period().from()
        : 0;
  }

  @Override
  public List<SamplesRead> reads() {
    if (question instanceof SamplesQuestion asked) {
      return asked.selections().stream().map(each -> new SamplesRead(each, 1, 0)).toList();
    }
    if (question instanceof UsageQuestion asked) {
      return asked.selections().stream().map(SamplesRead::ofUsage).toList();
    }
    return question instanceof PartsQuestion asked ? reads(asked) : List.of();
  }

  private static List<SamplesRead> reads(PartsQuestion asked) {
    List<SamplesRead> all = new ArrayList<>();
    try {
      for (PartsQuestion.Part part : asked.parts()) {
        all.addAll(Engine.reads(asked.query(part), part.grid()));
      }
    } catch (ParseException | QueryFailure e) {
      return all; // the gateways say why
    }
    return all;
  }

  @Override
  public boolean rollups() {
    return question instanceof PartsQuestion asked
        && asked.parts().stream().allMatch(PartsQuestion.Part::rollups);
  }

  @Override
  public List<List<Matcher>> selectors() {
    return switch (question) {
      case LabelNamesQuestion asked -> asked.search().matchers();
      case LabelValuesQuestion asked -> asked.search().matchers();
      case LabelSetsQuestion asked -> asked.search().matchers();
      case OwnersQuestion asked -> asked.search().matchers();
      case SamplesQuestion _,
          PartsQuestion _,
          ExtentsQuestion _,
          ChangesQuestion _,
          MetadataQuestion _,
          HostsQuestion _,
          NewestQuestion _,
          ReductionsQuestion _,
          SeveralQuestion _,
          UsageQuestion _,
          UsageExtentQuestion _,
          RetentionQuestion _ ->
          List.of();
    };
  }

  @Override
  public Future<Gathered<ClusterAnswer<A>>> read(ReadOptions options) {
    Set<String> left = new HashSet<>(without);
    return ClusterReads.read(gateways, question, left, since, options)
        .compose(
            read -> {
              try {
                List<A> answers = new ArrayList<>();
                for (A answer : read.answers()) {
                  answers.add(seen.of(answer));
                }
                return Future.succeededFuture(
                    new Gathered<>(
                        new ClusterAnswer<>(answers, read.coverage(), read.changes()),
                        read.coverage()));
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
            });
  }
}
