package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.form.PartResultForm;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.ProvidedPart;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.Aliases;
import java.util.ArrayList;
import java.util.IdentityHashMap;
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

    PartsQuestion.Answer run(PartsQuestion asked) throws Exception {
      try {
        List<PartResult> results = new ArrayList<>();
        for (PartsQuestion.Part part : asked.parts()) {
          Query query = asked.query(part);
          Expr expr = query.expr();
          Optional<String> obstacle = Planner.obstacle(expr, part.partial(), hostLabels);
          if (obstacle.isPresent()) {
            return new PartsQuestion.Unfit(obstacle.get());
          }
          Grid grid = part.grid();
          SeriesSource source = source(Planner.needsHosts(expr, part.partial()));
          Optional<PartResult> result =
              part.partial()
                  ? Engine.partials(query, (Expr.Aggregate) expr, grid, source, StopCheck.NEVER)
                  : Optional.of(Engine.columns(query, expr, grid, source, StopCheck.NEVER));
          if (result.isEmpty() || !PartResultForm.fits(result.get())) {
            return new PartsQuestion.Unfit("it cannot be handed over exactly");
          }
          results.add(result.get());
        }
        List<String> notes = results.stream().map(none -> "").toList();
        return new PartsQuestion.Results(
            List.of(), results, notes, 0, hostLabels, Optional.empty());
      } catch (QueryFailure e) {
        return new PartsQuestion.Unfit(e.getMessage());
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
    Map<Expr, ProvidedPart> provided = planned.cuts().isEmpty() ? Map.of() : ask(planned);
    pushedDown = !provided.isEmpty();
    return Engine.run(planned.query(), whole(), provided, StopCheck.NEVER);
  }

  private Map<Expr, ProvidedPart> ask(Planned planned) throws Exception {
    PartsQuestion question = PartsQuestion.of(planned, 1_000);
    List<PartsQuestion.Answer> answers = new ArrayList<>();
    for (Shard shard : shards) {
      List<String> hosts = List.copyOf(shard.hosts());
      byte[] asked = FragmentCodec.encode(new Fragment(Load.OWN, 0, hosts, question));
      PartsQuestion read = (PartsQuestion) FragmentCodec.decode(asked).question();
      byte[] answer = FragmentCodec.encode(new FragmentAnswer(0, hosts, shard.run(read)), question);
      answers.add((PartsQuestion.Answer) FragmentCodec.decode(answer, question).result());
    }
    EvaluatedParts merged = question.merged(planned, answers);
    Map<Expr, ProvidedPart> provided = new IdentityHashMap<>();
    for (int i = 0; i < merged.parts().size(); i++) {
      provided.put(planned.cuts().get(i).expr(), merged.parts().get(i));
    }
    return provided;
  }
}
