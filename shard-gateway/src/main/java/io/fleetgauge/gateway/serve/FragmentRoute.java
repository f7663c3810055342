package io.fleetgauge.gateway.serve;

import io.fleetgauge.promql.fair.LightWork;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fair.YieldToLightQueries;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@link FragmentProtocol}. What only says how much there is never waits behind what reads
 * samples: the cost of a query is known before the query waits.
 */
public final class FragmentRoute {
  private static final Logger LOG = LoggerFactory.getLogger(FragmentRoute.class);

  private static final int MAX_BODY_BYTES = 8 << 20;
  private static final long SAMPLES_MILLIS = 10_000;

  /** So much work is done in well below a millisecond, if no sample is read from disk. */
  private static final long LITTLE_WORK = 10_000;

  private final FragmentRunner runner;
  private final FragmentPlaces estimates;
  private final FragmentPlaces places;
  private final FragmentCounts counts;
  private final BooleanSupplier isMemoryShort;
  private final Tracer tracer;
  private final LightWork light = new LightWork();

  /**
   * @param threads how many light fragments are executed at once, beside half as many heavy ones
   * @param isMemoryShort whether queries are refused to leave memory for samples
   * @param tracer makes the gateway's part of the trace of a query
   */
  public FragmentRoute(
      Vertx vertx,
      FragmentRunner runner,
      int threads,
      FragmentCounts counts,
      BooleanSupplier isMemoryShort,
      Tracer tracer) {
    this.runner = runner;
    this.estimates = new FragmentPlaces(vertx, "estimates", 1, 1);
    this.places = new FragmentPlaces(vertx, "fragments", threads, Math.max(1, threads / 2));
    this.counts = counts;
    this.isMemoryShort = isMemoryShort;
    this.tracer = tracer;
  }

  /** Declares the metrics of this class. */
  public void declare(Meters meters) {
    meters.gauge(
        "fragments_waiting", "Fragments of queries that wait for a thread.", this::waiting);
  }

  private long waiting() {
    return places.waiting() + estimates.waiting();
  }

  /**
   * @param guard authenticates query APIs
   */
  public void mount(Router router, Handler<RoutingContext> guard) {
    Guard.readBody(router.post(FragmentProtocol.PATH).handler(guard), MAX_BODY_BYTES)
        .handler(this::run);
  }

  private void run(RoutingContext http) {
    byte[] body = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    long arrived = System.nanoTime();
    Fragment fragment;
    try {
      // Before the rest is read: it may be large, and memory is low.
      if (isMemoryShort.getAsBoolean() && FragmentCodec.kind(body) != Question.Kind.CHANGES) {
        counts.shed.increment();
        http.response()
            .setStatusCode(503)
            .putHeader("Retry-After", "2")
            .end("memory is low: queries are rejected before samples are; try again in 2 s");
        return;
      }
      fragment = FragmentCodec.decode(body);
    } catch (WireException e) {
      http.response().setStatusCode(400).end(String.valueOf(e.getMessage()));
      return;
    }
    if (fragment.question() instanceof ChangesQuestion) {
      // Frequent and fast, so executed on the event loop.
      atOnce(http, fragment, StopCheck.NEVER);
      return;
    }
    counts.answered.increment();
    AtomicBoolean closed = new AtomicBoolean();
    // The end handler of a span would replace a close handler of the response.
    http.addEndHandler(ended -> closed.set(true));
    Span span = span(http, fragment);
    Optional<FragmentAnswer> quick =
        fragment.load().isHeavy() ? Optional.empty() : runner.quickly(fragment);
    if (quick.isPresent()) {
      light.begin();
      light.end();
      answer(http, FragmentCodec.encode(quick.get(), fragment.question()));
      return;
    }
    Load load = runner.load(fragment);
    boolean heavy = load.isHeavy();
    StopCheck ended = stopCheck(fragment, closed, arrived);
    if (load.work() <= LITTLE_WORK && runner.isInMemory(fragment)) {
      // Another thread would take longer to wake up.
      light.begin();
      try {
        atOnce(http, fragment, ended);
      } finally {
        light.end();
      }
      return;
    }
    StopCheck stop = heavy ? new YieldToLightQueries(ended, light, half(fragment, arrived)) : ended;
    if (!heavy) {
      light.begin();
    }
    Span wait = span.child("wait for a thread");
    (fragment.question().isWork() ? places : estimates)
        .execute(
            load,
            () -> {
              wait.end();
              return executed(fragment, stop);
            })
        .onComplete(
            done -> {
              if (!heavy) {
                light.end();
              }
            })
        .onSuccess(bytes -> answer(http, bytes))
        .onFailure(failure -> fail(http, failure));
  }

  /** The gateway's part of the trace of a query, if the query API traces it. */
  private Span span(RoutingContext http, Fragment fragment) {
    String header = http.request().getHeader(Span.HEADER);
    if (header == null) {
      return Span.NONE;
    }
    Span span = tracer.serve("execute a fragment", header);
    if (span.isRecorded()) {
      span.with("fleetgauge.fragment", fragment.question().kind().name().toLowerCase(Locale.ROOT))
          .with("fleetgauge.tenant", fragment.load().tenant());
      http.addEndHandler(
          done -> {
            if (http.response().getStatusCode() != 200) {
              span.failed(
                  done.failed()
                      ? String.valueOf(done.cause().getMessage())
                      : "status " + http.response().getStatusCode());
            }
            span.end();
          });
    }
    return span;
  }

  private void atOnce(RoutingContext http, Fragment fragment, StopCheck stop) {
    try {
      answer(http, executed(fragment, stop));
    } catch (TooManySamples | QueryFailure e) {
      fail(http, e);
    }
  }

  private byte[] executed(Fragment fragment, StopCheck stop) throws TooManySamples, QueryFailure {
    Optional<QueryFailure> over = stop.reason();
    if (over.isPresent()) {
      throw over.get();
    }
    return FragmentCodec.encode(runner.run(fragment, stop), fragment.question());
  }

  private static void answer(RoutingContext http, byte[] bytes) {
    http.response().putHeader("Content-Type", "application/octet-stream").end(Buffer.buffer(bytes));
  }

  private void fail(RoutingContext http, Throwable failure) {
    if (failure instanceof QueryFailure) {
      counts.stopped.increment();
    }
    int status =
        switch (failure) {
          case TooManySamples many -> 422;
          case QueryFailure over -> 503;
          default -> {
            LOG.error("a fragment could not be executed", failure);
            yield 500;
          }
        };
    http.response().setStatusCode(status).end(String.valueOf(failure.getMessage()));
  }

  /** When half of a fragment's time is over; reading samples alone is given some seconds. */
  private static long half(Fragment fragment, long arrived) {
    long millis = fragment.question().timeoutMillis();
    return arrived + (millis == Long.MAX_VALUE ? SAMPLES_MILLIS : millis) * 500_000;
  }

  private static StopCheck stopCheck(Fragment fragment, AtomicBoolean closed, long arrived) {
    long millis = fragment.question().timeoutMillis();
    return () ->
        closed.get()
            ? Optional.of(
                new QueryFailure(
                    QueryFailure.Kind.CANCELED, "the query API has closed the connection"))
            : (System.nanoTime() - arrived) / 1_000_000 >= millis
                ? Optional.of(
                    new QueryFailure(
                        QueryFailure.Kind.TIMEOUT, "the timeout of " + millis + " ms is over"))
                : Optional.empty();
  }
}
