package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what a {@link HedgeMachine} decides, all on one context. */
final class HedgedRead {
  private static final Logger LOG = LoggerFactory.getLogger(HedgedRead.class);
  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final Context context;
  private final GatewayHttp http;
  private final HedgeMachine machine;
  private final Asked asked;
  private final Promise<Result> result = Promise.promise();
  private final List<GatewayHttp.Call> calls = new ArrayList<>();
  private final List<ShardTime> times = new ArrayList<>();
  private long timer = NO_TIMER;
  private long bytes;

  /**
   * A question to an owner.
   *
   * @param load of the read
   * @param span that the read is a part of
   * @param epoch of the table that named the owner
   * @param deadline as {@link System#nanoTime} counts
   * @param delays of the owner
   * @param isThere true if the owner is in the cluster
   * @param hedges counts requests to replicas
   * @param since the owner is to say what had changed since then
   */
  record Asked(
      Question<?> question,
      Load load,
      Span span,
      long epoch,
      URI owner,
      long deadline,
      Delays delays,
      BooleanSupplier isThere,
      LongAdder hedges,
      Optional<ChangesQuestion.Since> since) {

    /** The fragment for a gateway and hosts: of changes, only those at the owner count. */
    Fragment of(URI gateway, List<String> hosts) {
      boolean withChanges = since.isPresent() && gateway.equals(owner);
      Question<?> asked =
          withChanges && question instanceof PartsQuestion parts
              ? parts.since(since.get())
              : question;
      return new Fragment(load, epoch, hosts, asked);
    }
  }

  /**
   * Result of the read.
   *
   * @param bytes of the answers when they were encoded
   */
  record Result(
      URI owner,
      List<FragmentAnswer> answers,
      boolean byReplicas,
      List<ShardTime> times,
      long bytes) {

    /** Changes at the owner, if it alone answered and said so. */
    Optional<ChangesQuestion.Answer> changes() {
      return !byReplicas
              && answers.size() == 1
              && answers.getFirst().result() instanceof PartsQuestion.Results parts
          ? parts.changes()
          : Optional.empty();
    }
  }

  HedgedRead(Vertx vertx, GatewayHttp http, HedgeMachine machine, Asked asked) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.http = http;
    this.machine = machine;
    this.asked = asked;
  }

  Future<Result> begin() {
    context.runOnContext(none -> carryOut(machine.begin()));
    return result.future();
  }

  void cancel() {
    context.runOnContext(none -> happened(new HedgeMachine.Event.Cancelled()));
  }

  private void happened(HedgeMachine.Event event) {
    carryOut(machine.on(event));
  }

  private void carryOut(List<HedgeMachine.Effect> effects) {
    for (HedgeMachine.Effect effect : effects) {
      switch (effect) {
        case HedgeMachine.Effect.Ask ask -> ask(ask.gateway(), ask.hosts());
        case HedgeMachine.Effect.Wait wait ->
            after(wait.millis(), () -> happened(new HedgeMachine.Event.PatienceOver()));
        case HedgeMachine.Effect.Watch watch ->
            after(
                watch.millis(),
                () -> happened(new HedgeMachine.Event.Watched(asked.isThere.getAsBoolean())));
        case HedgeMachine.Effect.Finish finish -> {
          end();
          result.tryComplete(
              new Result(asked.owner, finish.answers(), finish.byReplicas(), times, bytes));
        }
        case HedgeMachine.Effect.Fail fail -> {
          end();
          result.tryFail(fail.failure());
        }
      }
    }
  }

  private void after(long millis, Runnable task) {
    // An effect before this one may have ended the read.
    if (!result.future().isComplete()) {
      timer = vertx.setTimer(millis, id -> task.run());
    }
  }

  private void end() {
    vertx.cancelTimer(timer);
    calls.forEach(GatewayHttp.Call::cancel);
  }

  private void ask(URI gateway, List<String> hosts) {
    long began = System.nanoTime();
    long millis = (asked.deadline - began) / 1_000_000;
    if (millis <= 0) {
      failed(
          gateway,
          new QueryFailure(
              QueryFailure.Kind.TIMEOUT, "query timed out while waiting for the gateways"));
      return;
    }
    if (!gateway.equals(asked.owner)) {
      asked.hedges.increment();
    }
    Fragment fragment = asked.of(gateway, hosts);
    Span span = span(gateway, hosts, fragment);
    GatewayHttp.Call call = http.ask(gateway, fragment, span, millis);
    calls.add(call);
    call.answer()
        .onComplete(
            done -> {
              if (done.failed()) {
                span.failed(String.valueOf(done.cause().getMessage()));
              }
              span.end();
              context.runOnContext(
                  none -> {
                    if (done.succeeded()) {
                      answered(gateway, done.result(), System.nanoTime() - began);
                    } else {
                      failed(gateway, done.cause());
                    }
                  });
            });
  }

  private Span span(URI gateway, List<String> hosts, Fragment fragment) {
    if (!asked.span.isRecorded()) {
      return Span.NONE;
    }
    return asked
        .span
        .call("ask " + (gateway.equals(asked.owner) ? "owner" : "replica"))
        .with("server.address", gateway.getHost())
        .with("server.port", gateway.getPort())
        .with("fleetgauge.fragment", fragment.question().kind().name().toLowerCase(Locale.ROOT))
        .with("fleetgauge.hosts", hosts.size());
  }

  private void answered(URI gateway, GatewayHttp.Answer answer, long nanos) {
    if (gateway.equals(asked.owner) && !asked.load.isHeavy()) {
      asked.delays.took(nanos);
    }
    bytes += answer.bytes();
    times.add(new ShardTime(gateway.toString(), nanos, answer.answer().covered().size()));
    happened(new HedgeMachine.Event.Answered(gateway, answer.answer()));
  }

  private void failed(URI gateway, Throwable cause) {
    if (cause instanceof QueryFailure refused) {
      happened(new HedgeMachine.Event.Refused(gateway, refused));
      return;
    }
    if (!result.future().isComplete()) {
      LOG.warn("gateway {} did not respond: {}", gateway, cause.getMessage());
    }
    happened(new HedgeMachine.Event.Failed(gateway));
  }
}
