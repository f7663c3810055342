package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.shards.Cancellation;
import io.fleetgauge.query.shards.Coverage;
import io.fleetgauge.query.shards.Gathered;
import io.fleetgauge.query.shards.ReadOptions;
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

  /** How many reads were not alone in their requests. */
  long shared() {
    return shared.sum();
  }

  /** One of the reads of a batch. */
  private record Member<T>(
      Fragment fragment,
      ReadOptions options,
      Function<List<FragmentAnswer>, T> merge,
      Promise<Gathered<T>> result) {

    /** Merges what gateways answered to the read at a place, with the coverage that it has. */
    void merge(int place, List<FragmentAnswer> answers, Coverage coverage) {
      List<FragmentAnswer> mine = new ArrayList<>(answers.size());
      Set<String> incomplete = new HashSet<>();
      for (FragmentAnswer answer : answers) {
        FragmentAnswer one = ((FragmentAnswer.Several) answer).answers().get(place);
        if (one instanceof FragmentAnswer.Refused refused) {
          result.tryFail(new QueryFailure(QueryFailure.Kind.EXECUTION, refused.reason()));
          return;
        }
        mine.add(one);
        if (!one.covered().equals(answer.covered())) {
          incomplete.addAll(answer.covered());
          one.covered().forEach(incomplete::remove);
        }
      }
      result.tryComplete(new Gathered<>(merge.apply(mine), coverage.without(incomplete)));
    }
  }

  /** Reads of one tenant, light also when taken together. Guarded by the lock of the outside. */
  private static final class Batch {
    private final List<Member<?>> members = new ArrayList<>();
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
  <T> Future<Gathered<T>> read(
      Fragment fragment, ReadOptions options, Function<List<FragmentAnswer>, T> merge) {
    Member<T> member = new Member<>(fragment, options, merge, Promise.promise());
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
      alone(batch.members.getFirst());
      return;
    }
    shared.add(batch.members.size());
    Fragment.Several several =
        new Fragment.Several(
            0, List.of(), batch.members.stream().<Fragment>map(Member::fragment).toList());
    rounds
        .read(several, host -> true, options(batch), answers -> answers)
        .onComplete(
            done -> {
              if (done.failed()) {
                // It may be for one of them only.
                batch.members.forEach(this::alone);
              } else {
                merge(batch, done.result());
              }
            });
  }

  private <T> void alone(Member<T> member) {
    rounds
        .read(member.fragment, host -> true, member.options, member.merge)
        .onComplete(member.result);
  }

  /** Cancelled when the last member is. */
  private static ReadOptions options(Batch batch) {
    ReadOptions first = batch.members.getFirst().options;
    Cancellation cancellation = new Cancellation();
    AtomicInteger wanted = new AtomicInteger(batch.members.size());
    long millis = 0;
    for (Member<?> member : batch.members) {
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
    if (answers.stream().anyMatch(answer -> answer instanceof FragmentAnswer.Unfit)) {
      // A gateway of an earlier release answers reads one by one.
      batch.members.forEach(this::alone);
      return;
    }
    for (int i = 0; i < batch.members.size(); i++) {
      Member<?> member = batch.members.get(i);
      try {
        member.merge(i, answers, gathered.coverage());
      } catch (RuntimeException e) {
        member.result.tryFail(e);
      }
    }
  }
}
