package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.OtherClusterSettings;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Another cluster, which is asked through its query APIs. A light read ends at the cluster's
 * deadline; a heavy one when four fifths of the query's time are over, or when the cluster is gone.
 * Nothing is believed that was not asked for. Thread-safe.
 */
final class RemoteCluster implements Place {
  /** A body of this size is decoded faster than another thread wakes up. */
  private static final long SMALL_BYTES = 256 << 10;

  private static final long WATCH_MILLIS = 250;
  private static final int MAX_TEXT = 500;

  private final Vertx vertx;
  private final OtherClusterSettings settings;
  private final ClusterAccess access;
  private final ClusterHealth health;
  private final WorkerExecutor light;
  private final WorkerExecutor heavy;
  private final AtomicInteger current = new AtomicInteger();
  private final AtomicBoolean probing = new AtomicBoolean();
  private final LongAdder reads = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private volatile long epoch = -1;

  /**
   * @param light where large answers of light queries are decoded
   * @param heavy where those of heavy queries are
   */
  RemoteCluster(
      Vertx vertx,
      OtherClusterSettings settings,
      ClusterAccess access,
      WorkerExecutor light,
      WorkerExecutor heavy) {
    this.vertx = vertx;
    this.settings = settings;
    this.access = access;
    this.light = light;
    this.heavy = heavy;
    this.health = new ClusterHealth(settings.timeout().toMillis(), System::nanoTime);
  }

  @Override
  public String name() {
    return settings.name();
  }

  @Override
  public Optional<String> refusal(String tenant) {
    return access.of(tenant).isPresent()
        ? Optional.empty()
        : Optional.of("tenant " + tenant + " is not in " + settings.section() + ".tenants");
  }

  @Override
  public long epoch() {
    return epoch;
  }

  ClusterHealth health() {
    return health;
  }

  long reads() {
    return reads.sum();
  }

  long failures() {
    return failures.sum();
  }

  @Override
  public <A extends Result> Future<ClusterAnswer<A>> read(
      Question<A> question, Set<String> without, Optional<Changes> since, ReadOptions options) {
    Optional<ClusterAccess.Way> way = access.of(options.load().tenant());
    if (way.isEmpty()) {
      return Future.failedFuture(missing("the tenant is not known there"));
    }
    if (!health.gone().isEmpty()) {
      failures.increment();
      return Future.failedFuture(missing(health.gone()));
    }
    long position = since.map(RemoteCluster::position).orElse(ClusterQuestion.NOT_ASKED);
    return sent(question, without, position, options, way.get());
  }

  private static long position(Changes last) {
    return last.position() instanceof Long number ? number : ClusterQuestion.START;
  }

  /** Asks a small question as the query API itself, also when the cluster seems gone. */
  <A extends Result> Future<ClusterAnswer<A>> own(Question<A> question) {
    ReadOptions options =
        new ReadOptions(Load.OWN, settings.timeout().toMillis(), new Cancellation());
    return sent(question, Set.of(), ClusterQuestion.NOT_ASKED, options, access.own());
  }

  @Override
  public Future<Changes> changes(Optional<Changes> last) {
    if (!health.gone().isEmpty()) {
      return Future.failedFuture(missing(health.gone()));
    }
    long position = last.map(RemoteCluster::position).orElse(ClusterQuestion.START);
    ReadOptions options =
        new ReadOptions(Load.OWN, settings.timeout().toMillis(), new Cancellation());
    return sent(
            new ChangesQuestion(ChangesQuestion.Since.START),
            Set.of(),
            position,
            options,
            access.own())
        .compose(
            answer ->
                answer
                    .changes()
                    .map(Future::succeededFuture)
                    .orElseGet(() -> Future.failedFuture(missing("it told no changes"))));
  }

  // --- one request ---

  private <A extends Result> Future<ClusterAnswer<A>> sent(
      Question<A> question,
      Set<String> without,
      long position,
      ReadOptions options,
      ClusterAccess.Way way) {
    reads.increment();
    boolean isHeavy = options.load().isHeavy();
    long share = Math.max(1, options.timeoutMillis() - options.timeoutMillis() / 5);
    long millis = isHeavy ? share : Math.min(share, health.deadlineMillis());
    byte[] body = new ClusterQuestion(millis, position, List.copyOf(without), question).encode();
    Span span =
        options
            .span()
            .call("ask cluster")
            .with("fleetgauge.cluster", settings.name())
            .with("fleetgauge.fragment", question.kind().name().toLowerCase(Locale.ROOT));
    Attempt attempt = new Attempt(way, body, span, health.now(), millis, isHeavy);
    options.cancellation().onCancel(attempt::giveUp);
    Promise<ClusterAnswer<A>> promise = Promise.promise();
    if (isHeavy) {
      watch(attempt, promise);
    }
    attempt
        .send(current.get(), settings.urls().size() + 1)
        .compose(answer -> decoded(question, options, attempt, answer))
        .onComplete(
            done -> {
              if (done.failed()) {
                failures.increment();
                span.failed(String.valueOf(done.cause().getMessage()));
              }
              span.end();
              if (done.succeeded()) {
                promise.tryComplete(done.result());
              } else {
                promise.tryFail(failure(done.cause()));
              }
            });
    return promise.future();
  }

  /** Gives a long read up when the cluster is gone, which short reads find out. */
  private <A extends Result> void watch(Attempt attempt, Promise<ClusterAnswer<A>> promise) {
    vertx.setPeriodic(
        WATCH_MILLIS,
        timer -> {
          if (promise.future().isComplete()) {
            vertx.cancelTimer(timer);
          } else if (!health.gone().isEmpty()) {
            vertx.cancelTimer(timer);
            promise.tryFail(missing(health.gone()));
            attempt.giveUp();
          } else if ((health.now() - attempt.began) / 1_000_000 > health.deadlineMillis()) {
            probe();
          }
        });
  }

  private void probe() {
    if (probing.compareAndSet(false, true)) {
      own(new HostsQuestion(List.of())).onComplete(done -> probing.set(false));
    }
  }

  private QueryFailure failure(Throwable cause) {
    return cause instanceof QueryFailure known
        ? known
        : missing(String.valueOf(cause.getMessage()));
  }

  private QueryFailure missing(String why) {
    return new QueryFailure(QueryFailure.Kind.UNAVAILABLE, why);
  }

  /** One request to the query APIs of the cluster, one after the other. */
  private final class Attempt {
    private final ClusterAccess.Way way;
    private final byte[] body;
    private final Span span;
    private final long began;
    private final long millis;
    private final boolean isHeavy;
    private volatile boolean isGivenUp;
    private volatile WebRequest request;

    /**
     * @param millis time to wait
     * @param isHeavy whether it is not known how long the cluster may take
     */
    Attempt(
        ClusterAccess.Way way, byte[] body, Span span, long began, long millis, boolean isHeavy) {
      this.way = way;
      this.body = body;
      this.span = span;
      this.began = began;
      this.millis = millis;
      this.isHeavy = isHeavy;
    }

    void giveUp() {
      isGivenUp = true;
      WebRequest sent = request;
      if (sent != null) {
        sent.giveUp();
      }
    }

    Future<HttpAnswer> send(int at, int left) {
      long remaining = millis - (health.now() - began) / 1_000_000;
      if (isGivenUp || remaining <= 0) {
        return Future.failedFuture(missing("no answer within " + millis + " ms"));
      }
      URI url = settings.urls().get(Math.floorMod(at, settings.urls().size()));
      URI target = URI.create(url + ClusterRoutes.PATH);
      request =
          way.requests()
              .to(HttpMethod.POST, target, remaining)
              .header("Content-Type", "application/octet-stream")
              .longestAnswer(settings.maxBytes())
              .body(body);
      way.tenants().ifPresent(names -> request.header("X-Scope-OrgID", names));
      if (!span.header().isEmpty()) {
        request.header(Span.HEADER, span.header());
      }
      return request
          .send()
          .compose(
              answer -> {
                // Who answers is there, whatever it says.
                health.answered(began, false);
                if (isForAnother(answer.status()) && left > 2 && !isGivenUp) {
                  current.compareAndSet(at, at + 1);
                  return send(at + 1, left - 1);
                }
                return Future.succeededFuture(answer);
              })
          .recover(
              failure -> {
                if (isGivenUp || !(failure instanceof HttpFailure why)) {
                  return Future.failedFuture(failure);
                }
                current.compareAndSet(at, at + 1);
                return switch (why.kind()) {
                  case UNREACHABLE, UNTRUSTED -> {
                    if (left > 1) {
                      yield send(at + 1, left - 1);
                    }
                    health.unreachable(began, why.getMessage());
                    yield Future.failedFuture(missing(why.getMessage()));
                  }
                  case TIMEOUT -> {
                    String text = "no answer within " + millis + " ms";
                    if (isHeavy || millis < health.deadlineMillis()) {
                      probe();
                    } else {
                      health.late(began, 2 * millis, text);
                    }
                    yield Future.failedFuture(missing(text));
                  }
                  case TOO_LONG -> Future.failedFuture(missing(why.getMessage()));
                };
              });
    }
  }

  /** Whether another query API of the cluster may answer. */
  private static boolean isForAnother(int status) {
    return status == 404 || status == 429 || status >= 500;
  }

  private <A extends Result> Future<ClusterAnswer<A>> decoded(
      Question<A> question, ReadOptions options, Attempt attempt, HttpAnswer answer) {
    long nanos = health.now() - attempt.began;
    if (answer.status() != 200) {
      String text = answer.text().strip();
      String why =
          "status "
              + answer.status()
              + (text.isEmpty() ? "" : ": " + text.substring(0, Math.min(MAX_TEXT, text.length())));
      return Future.failedFuture(missing(why));
    }
    health.answered(attempt.began, !options.load().isHeavy() && isOfData(question));
    return soon(
            options.load(),
            answer.body().length(),
            () -> ClusterAnswer.decode(answer.body().getBytes(), question))
        .compose(
            found -> {
              checkSteps(question, found);
              Coverage told = found.coverage();
              epoch = told.epoch();
              Coverage coverage =
                  new Coverage(
                      told.hosts(),
                      told.missing(),
                      told.epoch(),
                      List.of(
                          new ShardTime(
                              "cluster " + settings.name(),
                              nanos,
                              Math.max(0, told.hosts() - told.missing().size()))),
                      told.hedged(),
                      told.split());
              return Future.succeededFuture(
                  new ClusterAnswer<>(found.answers(), coverage, found.changes()));
            });
  }

  /** What has other steps than were asked for cannot be merged. */
  private static void checkSteps(Question<?> question, ClusterAnswer<?> found) {
    if (question instanceof PartsQuestion asked) {
      for (Result answer : found.answers()) {
        if (answer instanceof PartsQuestion.Results results) {
          for (int i = 0; i < asked.parts().size(); i++) {
            int steps = asked.parts().get(i).grid().size();
            PartResult part = results.parts().get(i);
            if (part.columns().stream().anyMatch(each -> each.steps() != steps)
                || part.partials().stream().anyMatch(each -> each.count().length != steps)) {
              throw new IllegalStateException("its answer has other steps than were asked for");
            }
          }
        }
      }
    }
  }

  /** Small questions, which are asked all the time, say nothing of how long others take. */
  private static boolean isOfData(Question<?> question) {
    return !(question instanceof ChangesQuestion) && !(question instanceof HostsQuestion);
  }

  private <T> Future<T> soon(Load load, long bytes, Decoding<T> work) {
    if (bytes > SMALL_BYTES) {
      return (load.isHeavy() ? heavy : light).executeBlocking(work::decode, false);
    }
    try {
      return Future.succeededFuture(work.decode());
    } catch (WireException | RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  /** Makes an answer of its bytes. */
  @FunctionalInterface
  private interface Decoding<T> {
    T decode() throws WireException;
  }
}
