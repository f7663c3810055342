package io.fleetgauge.cluster.peers;

import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends and answers heartbeats, and requests to other query APIs by name. What depends on the list
 * runs on the same event loop: one that stands still sends no sign of life. Safe for all threads.
 */
public final class PeerLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);
  private static final String HEARTBEAT = "/v1/peers/heartbeat";
  private static final long TICK_MILLIS = 100;
  private static final long TIMEOUT_MILLIS = 2_000;
  private static final long LEAVE_MILLIS = 1_000;
  private static final int MAX_BODY_BYTES = 64 << 20;
  private static final int OK = 200;
  private static final long NO_TIMER = -1;

  /** A query API that is frozen is not sent heartbeats without end. */
  private static final int BEATS_AT_ONCE = 3;

  private final Vertx vertx;
  private final Context context;
  private final OutgoingHttp http;
  private final long life = new SecureRandom().nextLong() | 1;
  private final List<Consumer<PeerList>> listeners = new ArrayList<>();
  private final Map<String, AtomicInteger> beating = new ConcurrentHashMap<>();
  private volatile Map<String, URI> addresses = Map.of();
  private volatile Optional<PeerMachine> machine = Optional.empty();
  private volatile PeerList list = new PeerList(0, "", List.of(), Optional.empty(), 1);
  private long ticks = NO_TIMER;
  private IntSupplier members = () -> 1;
  private Optional<Map<String, URI>> found = Optional.empty();

  private PeerLink(Vertx vertx, OutgoingHttp http) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.http = http;
  }

  /**
   * Mounts what other query APIs ask; until {@link #start} they are told to ask again.
   *
   * @param http signs requests as the cluster's own
   */
  public static PeerLink mount(Router router, Guard guard, Vertx vertx, OutgoingHttp http) {
    PeerLink link = new PeerLink(vertx, http);
    link.answer(
        router,
        guard,
        HEARTBEAT,
        body -> {
          Heartbeat beat = HeartbeatForm.fromBytes(body);
          return link.call(() -> HeartbeatForm.toBytes(link.heard(beat)));
        });
    return link;
  }

  /**
   * Begins to send heartbeats.
   *
   * @param name of this query API, which it keeps over restarts
   * @param count number of query APIs that the cluster's membership shows, this one included; never
   *     waits
   */
  public void start(String name, IntSupplier count) {
    context.runOnContext(
        none -> {
          members = count;
          machine = Optional.of(new PeerMachine(name, life));
          tick();
          ticks = vertx.setPeriodic(TICK_MILLIS, timer -> tick());
        });
  }

  /** The other query APIs that have joined, by name. */
  public void found(Map<String, URI> others) {
    addresses = Map.copyOf(others);
    run(() -> found = Optional.of(Map.copyOf(others)));
  }

  /** The names of the other query APIs that have joined. */
  public Set<String> names() {
    return addresses.keySet();
  }

  /** Tells this process's starts apart. */
  public long life() {
    return life;
  }

  /** The event loop on which everything that depends on the list runs. */
  public Context context() {
    return context;
  }

  /** The newest list. */
  public PeerList list() {
    return list;
  }

  /** Time in ms of the clock that {@link Peer} has; never goes back. */
  public static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) & Long.MAX_VALUE;
  }

  /** Runs a task on the event loop, soon; once the link has started. */
  public void run(Runnable task) {
    context.runOnContext(none -> task.run());
  }

  /** As {@link PeerMachine#tell}; on the event loop only. */
  public void tell(String topic, boolean isUrgent, Supplier<byte[]> note) {
    machine.orElseThrow().tell(topic, isUrgent, note);
  }

  /** As {@link PeerMachine#beatSoon}; on the event loop only. */
  public void beatSoon() {
    machine.ifPresent(PeerMachine::beatSoon);
  }

  /** Calls a listener with each list and with each tick, on the event loop. */
  public void onChange(Consumer<PeerList> listener) {
    listeners.add(listener);
  }

  private void tick() {
    PeerMachine of = machine.orElseThrow();
    of.listed(found.map(Map::keySet), members.getAsInt(), now());
    changed();
    of.tick(now(), this::send);
  }

  private void changed() {
    list = machine.orElseThrow().list();
    listeners.forEach(listener -> listener.accept(list));
  }

  private Heartbeat heard(Heartbeat beat) {
    PeerMachine of = machine.orElseThrow(() -> new IllegalStateException("not started yet"));
    if (of.heard(beat, now())) {
      changed();
    }
    return of.to(beat.from(), now());
  }

  private void send(String to, Heartbeat beat) {
    AtomicInteger underWay = beating.computeIfAbsent(to, none -> new AtomicInteger());
    if (underWay.get() >= BEATS_AT_ONCE) {
      return;
    }
    underWay.incrementAndGet();
    post(to, HEARTBEAT, HeartbeatForm.toBytes(beat), TIMEOUT_MILLIS)
        .onComplete(done -> underWay.decrementAndGet())
        .onSuccess(
            body ->
                run(
                    () -> {
                      try {
                        if (machine.orElseThrow().heard(HeartbeatForm.fromBytes(body), now())) {
                          changed();
                        }
                      } catch (WireException e) {
                        LOG.debug("the response of {} cannot be read", to, e);
                      }
                    }))
        .onFailure(
            failure -> LOG.debug("query API {} did not respond to a heartbeat", to, failure));
  }

  // --- requests ---

  /** Sends a request to a query API; answers with the body of its response. */
  public Future<byte[]> post(String to, String path, byte[] body, long timeoutMillis) {
    URI address = addresses.get(to);
    if (address == null) {
      return Future.failedFuture("it is not known where " + to + " is reached");
    }
    return http.to(address, HttpMethod.POST, path, timeoutMillis)
        .header("Content-Type", "application/octet-stream")
        .body(body)
        .send()
        .compose(PeerLink::body);
  }

  private static Future<byte[]> body(HttpAnswer answer) {
    return answer.status() == OK
        ? Future.succeededFuture(answer.body().getBytes())
        : Future.failedFuture("status " + answer.status() + ": " + answer.body());
  }

  /** Answers a request of another query API. */
  public interface Answering {
    Future<byte[]> answer(byte[] body) throws WireException;
  }

  /** Answers POST requests of other query APIs, and of nobody else. */
  public void answer(Router router, Guard guard, String path, Answering answering) {
    Guard.readBody(
            router
                .post(path)
                .handler(guard.needsPeer())
                .handler(
                    new BodyPace(BodyPace.OF_QUESTIONS, (done, why) -> end(done, 408, text(why)))),
            MAX_BODY_BYTES)
        .handler(done -> answer(done, answering));
  }

  private void answer(RoutingContext done, Answering answering) {
    Context loop = vertx.getOrCreateContext();
    Buffer body = done.body().buffer();
    try {
      answering
          .answer(body == null ? new byte[0] : body.getBytes())
          .onComplete(
              answered ->
                  loop.runOnContext(
                      none -> {
                        if (answered.succeeded()) {
                          end(done, OK, Buffer.buffer(answered.result()));
                        } else {
                          end(done, 503, text(String.valueOf(answered.cause().getMessage())));
                        }
                      }));
    } catch (WireException e) {
      end(done, 400, text(e.getMessage()));
    }
  }

  private static Buffer text(String text) {
    return Buffer.buffer(text + "\n");
  }

  private static void end(RoutingContext done, int status, Buffer body) {
    if (!done.response().closed()) {
      done.response().setStatusCode(status).end(body);
    }
  }

  /** Does work on the event loop. */
  public <T> Future<T> call(Callable<T> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(
        none -> {
          try {
            promise.complete(work.call());
          } catch (Exception e) {
            promise.fail(e);
          }
        });
    return promise.future();
  }

  /** Says goodbye, and sends no heartbeat any more. */
  @Override
  public void close() {
    try {
      call(() -> {
            vertx.cancelTimer(ticks); // the membership that it counts ends after this
            machine.ifPresent(of -> of.leave(now(), this::send));
            return null;
          })
          .await(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the other query APIs were not notified that this one stops");
    }
  }
}
