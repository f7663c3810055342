package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Reads that begin in the same turn of an event loop go to the gateways in one request to each.
 * None waits for a later turn. Thread-safe.
 */
final class SharedReads {
  /** Reads of one request. */
  private static final int MOST = 64;

  private final Vertx vertx;
  private final Rounds rounds;
  private final LongAdder shared = new LongAdder();
  private Batch open;

  SharedReads(Vertx vertx, Rounds rounds) {
    this.vertx = vertx;
    this.rounds = rounds;
  }

  /** Number of reads that were not alone in their requests. */
  long shared() {
    return shared.sum();
  }

  /** One of the reads of a batch. */
  private record Member<A extends Result, T>(
      Question<A> question,
      ReadOptions options,
      Function<List<A>, T> merge,
      Promise<Gathered<T>> result) {

    /** Merges what gateways answered to the read at a place, with the coverage that it has. */
    @SuppressWarnings("unchecked") // an answer was decoded as one to the question at its place
    void merge(int place, List<FragmentAnswer> answers, Coverage coverage) {
      List<A> mine = new ArrayList<>(answers.size());
      Set<String> incomplete = new HashSet<>();
      for (FragmentAnswer answer : answers) {
        SeveralQuestion.One one = ((SeveralQuestion.Answer) answer.result()).answers().get(place);
        if (one.result() instanceof SeveralQuestion.Refusal refusal) {
          result.tryFail(new QueryFailure(QueryFailure.Kind.EXECUTION, refusal.reason()));
          return;
        }
        mine.add((A) one.result());
        if (!one.whole()) {
          incomplete.addAll(answer.covered());
          one.covered().forEach(incomplete::remove);
        }
      }
      result.tryComplete(new Gathered<>(merge.apply(mine), coverage.without(incomplete)));
    }

    void alone(Rounds rounds) {
      rounds.read(question, host -> true, options, merge).onComplete(result);
    }
  }

  /** Reads of one tenant, light also when taken together. Guarded by the lock of the outside. */
  private static final class Batch {
    private final List<Member<?, ?>> members = new ArrayList<>();
    private long work;

    boolean takes(Load load) {
      if (members.isEmpty()) {
        return true;
      }
      Load first = members.getFirst().options.load();
      return members.size() < MOST
          && first.tenant().equals(load.tenant())
          && first.weight() == load.weight()
          && !Load.isHeavy(work + load.work());
    }
  }

  /** Reads all hosts, as {@link Rounds#read} does. */
  <A extends Result, T> Future<Gathered<T>> read(
      Question<A> question, ReadOptions options, Function<List<A>, T> merge) {
    Member<A, T> member = new Member<>(question, options, merge, Promise.promise());
    synchronized (this) {
      if (open == null || !open.takes(options.load())) {
        Batch begun = new Batch();
        open = begun;
        vertx.runOnContext(none -> begin(begun));
      }
      open.members.add(member);
      open.work += options.load().work();
    }
    return member.result.future();
  }

  private void begin(Batch batch) {
    synchronized (this) {
      if (open == batch) {
        open = null;
      }
    }
    if (batch.members.size() == 1) {
      batch.members.getFirst().alone(rounds);
      return;
    }
    shared.add(batch.members.size());
    List<Question<?>> questions = new ArrayList<>();
    batch.members.forEach(each -> questions.add(each.question));
    rounds
        .answers(new SeveralQuestion(questions), host -> true, options(batch), answers -> answers)
        .onComplete(
            done -> {
              if (done.failed()) {
                // It may be for one of them only.
                batch.members.forEach(each -> each.alone(rounds));
              } else {
                merge(batch, done.result());
              }
            });
  }

  /** Cancelled when the last member is. */
  private static ReadOptions options(Batch batch) {
    ReadOptions first = batch.members.getFirst().options;
    Cancellation cancellation = new Cancellation();
    AtomicInteger wanted = new AtomicInteger(batch.members.size());
    long millis = 0;
    for (Member<?, ?> member : batch.members) {
      millis = Math.max(millis, member.options.timeoutMillis());
      member
          .options
          .cancellation()
          .onCancel(
              () -> {
                if (wanted.decrementAndGet() == 0) {
                  cancellation.cancel();
                }
              });
    }
    Load load = new Load(first.load().tenant(), first.load().weight(), batch.work);
    return new ReadOptions(load, millis, cancellation).within(first.span());
  }

  private void merge(Batch batch, Gathered<List<FragmentAnswer>> gathered) {
    List<FragmentAnswer> answers = gathered.value();
    for (int i = 0; i < batch.members.size(); i++) {
      Member<?, ?> member = batch.members.get(i);
      try {
        member.merge(i, answers, gathered.coverage());
      } catch (RuntimeException e) {
        member.result.tryFail(e);
      }
    }
  }
}
