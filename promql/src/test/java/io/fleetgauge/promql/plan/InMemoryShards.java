package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Provided;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.Aliases;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A query over shards that are all in memory: planned, asked in parts, merged, and evaluated from
 * samples where a shard refuses. Each question and answer travels as bytes.
 */
final class InMemoryShards {
  /** One gateway. */
  record Shard(List<String> hostLabels, Set<String> hosts, InMemorySeries series) {
    String hostOf(Labels labels) {
      return hostLabels.stream()
          .map(labels::value)
          .filter(value -> !value.isEmpty())
          .findFirst()
          .orElse("no-host");
    }

    private SeriesSource source(boolean needsHosts) {
      return (selection, receiver) ->
          series.select(
              selection,
              one -> {
                String host = needsHosts ? one.labels().value(Planner.HOST) : hostOf(one.labels());
                if (!hosts.contains(host)) {
                  throw new QueryFailure(
                      QueryFailure.Kind.EXECUTION, one.labels() + " is of another host");
                }
                receiver.accept(one);
              });
    }

    FragmentAnswer run(Fragment.Parts asked) throws Exception {
      List<String> covered = List.copyOf(hosts);
      try {
        ParseOptions options =
            new ParseOptions(
                asked.query().settings().features(),
                asked.query().end() - asked.query().start(),
                asked.query().step());
        Query query =
            Planner.prepared(
                asked.query().with(Parser.parse(asked.query().text(), options)),
                asked.scope(),
                asked.aliases());
        List<PartResult> results = new ArrayList<>();
        for (Fragment.Part part : asked.parts()) {
          Expr expr = Planner.part(query, part.number());
          Optional<String> obstacle = Planner.obstacle(expr, part.partial(), hostLabels);
          if (obstacle.isPresent()) {
            return new FragmentAnswer.Unfit(0, covered, obstacle.get());
          }
          Grid grid = part.grid();
          SeriesSource source = source(Planner.needsHosts(expr, part.partial()));
          Optional<PartResult> result =
              part.partial()
                  ? Engine.partials(query, (Expr.Aggregate) expr, grid, source, StopCheck.NEVER)
                  : Optional.of(Engine.columns(query, expr, grid, source, StopCheck.NEVER));
          if (result.isEmpty() || !FragmentCodec.fits(result.get())) {
            return new FragmentAnswer.Unfit(0, covered, "it cannot be handed over exactly");
          }
          results.add(result.get());
        }
        List<String> notes = results.stream().map(none -> "").toList();
        return new FragmentAnswer.Parts(0, covered, covered, results, notes, 0, hostLabels);
      } catch (QueryFailure e) {
        return new FragmentAnswer.Unfit(0, covered, e.getMessage());
      }
    }
  }

  private final List<Shard> shards;

  /** Whether the last query was answered from parts that shards evaluated. */
  private boolean pushedDown;

  InMemoryShards(List<Shard> shards) {
    this.shards = shards;
  }

  boolean pushedDown() {
    return pushedDown;
  }

  /** All series of all shards in one place. */
  InMemorySeries whole() {
    List<Series> all = new ArrayList<>();
    shards.forEach(shard -> all.addAll(shard.series().all()));
    return new InMemorySeries(all);
  }

  Answer run(Query query, Planner.Mode mode) throws Exception {
    return run(query, Aliases.NONE, mode);
  }

  Answer run(Query query, Aliases aliases, Planner.Mode mode) throws Exception {
    Planned planned = Planner.plan(query, List.of(), aliases, mode);
    Optional<Map<Expr, Provided>> provided =
        planned.cuts().isEmpty() ? Optional.empty() : ask(query, planned);
    pushedDown = provided.isPresent();
    return Engine.run(planned.query(), whole(), provided.orElse(Map.of()), StopCheck.NEVER);
  }

  private Optional<Map<Expr, Provided>> ask(Query query, Planned planned) throws Exception {
    List<Fragment.Part> parts =
        planned.cuts().stream()
            .map(cut -> new Fragment.Part(cut.number(), cut.grid(), cut.partial(), cut.rollups()))
            .toList();
    List<FragmentAnswer> answers = new ArrayList<>();
    for (Shard shard : shards) {
      Fragment.Parts asked =
          new Fragment.Parts(
              0,
              List.copyOf(shard.hosts()),
              query.unparsed(),
              List.of(),
              planned.aliases(),
              1_000,
              parts,
              Optional.empty());
      byte[] question = FragmentCodec.encode(new FragmentRequest(Load.OWN, asked));
      FragmentAnswer answer =
          shard.run((Fragment.Parts) FragmentCodec.decodeRequest(question).fragment());
      answers.add(FragmentCodec.decodeAnswer(FragmentCodec.encode(answer)));
    }
    if (answers.stream().anyMatch(FragmentAnswer.Unfit.class::isInstance)
        || !FragmentAnswer.Parts.haveSameHostLabels(answers)) {
      return Optional.empty();
    }
    Map<Expr, Provided> provided = new IdentityHashMap<>();
    for (int i = 0; i < planned.cuts().size(); i++) {
      provided.put(planned.cuts().get(i).expr(), merged(planned, i, answers));
    }
    return Optional.of(provided);
  }

  private static Provided merged(Planned planned, int index, List<FragmentAnswer> answers)
      throws QueryFailure {
    Planned.Cut cut = planned.cuts().get(index);
    List<Column> columns = new ArrayList<>();
    List<Partial> partials = new ArrayList<>();
    Set<Annotation> annotations = new LinkedHashSet<>();
    for (FragmentAnswer answer : answers) {
      PartResult result = ((FragmentAnswer.Parts) answer).parts().get(index);
      columns.addAll(result.columns());
      partials.addAll(result.partials());
      annotations.addAll(result.annotations());
    }
    if (cut.partial()) {
      columns = Engine.merged(planned.query(), (Expr.Aggregate) cut.expr(), cut.grid(), partials);
    } else {
      columns.sort(Comparator.comparing(Column::labels));
    }
    return new Provided(columns, List.copyOf(annotations));
  }
}
