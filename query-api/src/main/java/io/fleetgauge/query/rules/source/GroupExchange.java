package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the groups that are set by API equal on all query APIs, and looks after rule files: sends
 * what a client set to the others at once, and asks each of them every few seconds what it has that
 * is newer. Safe for all threads.
 */
public final class GroupExchange implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupExchange.class);
  private static final String VERSIONS = "/v1/rules/versions";
  private static final String READ = "/v1/rules/read";
  private static final String GROUPS = "/v1/rules/groups";
  private static final int MAX_BODY_BYTES = 32 << 20;
  private static final int MAX_READ_BYTES = 4 << 20;
  private static final int MAX_NAMES = 10_000;
  private static final long TIMEOUT_MILLIS = 2_000;
  private static final long LOOK_MILLIS = 2_000;
  private static final long ASK_MILLIS = 5_000;

  private final Vertx vertx;
  private final RuleSource source;
  private final WebRequests http;
  private final Supplier<List<URI>> peers;
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private final LongAdder failures = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final long[] timers = new long[2];

  /**
   * @param http signs requests as the cluster's own
   * @param peers the addresses of the other query APIs
   */
  public GroupExchange(
      Vertx vertx, RuleSource source, WebRequests http, Supplier<List<URI>> peers) {
    this.vertx = vertx;
    this.source = source;
    this.http = http;
    this.peers = peers;
  }

  /** Mounts what the other query APIs ask for, and begins to look and ask. */
  public void start(Router router, Guard guard) {
    router
        .get(VERSIONS)
        .handler(guard.needsPeer())
        .handler(done -> answer(done, () -> StoredGroupForm.versions(store().versions())));
    Guard.readBody(router.post(READ).handler(guard.needsPeer()), MAX_BODY_BYTES)
        .handler(
            done ->
                answer(
                    done,
                    () ->
                        StoredGroupForm.groups(
                            store().read(StoredGroupForm.versions(body(done)), MAX_READ_BYTES))));
    Guard.readBody(router.post(GROUPS).handler(guard.needsPeer()), MAX_BODY_BYTES)
        .handler(
            done ->
                answer(
                    done,
                    () -> {
                      take(StoredGroupForm.groups(body(done)));
                      return new byte[0];
                    }));
    timers[0] =
        vertx.setPeriodic(
            LOOK_MILLIS,
            id ->
                vertx
                    .executeBlocking(
                        () -> {
                          source.files().look();
                          return null;
                        })
                    .onFailure(failure -> LOG.error("looking at rule files failed", failure)));
    timers[1] = vertx.setPeriodic(ASK_MILLIS, id -> ask());
  }

  private GroupStore store() {
    return source.store();
  }

  private static byte[] body(RoutingContext done) {
    return done.body().buffer() == null ? new byte[0] : done.body().buffer().getBytes();
  }

  private void answer(RoutingContext done, Callable<byte[]> bytes) {
    vertx
        .executeBlocking(bytes, false)
        .onSuccess(
            body ->
                done.response()
                    .putHeader("Content-Type", "application/octet-stream")
                    .end(Buffer.buffer(body)))
        .onFailure(
            failure ->
                done.response()
                    .setStatusCode(failure instanceof WireException ? 400 : 500)
                    .end(failure.getMessage() + "\n"));
  }

  private void take(List<StoredGroup> groups) throws IOException {
    received.add(groups.size());
    store().merge(groups);
  }

  /**
   * Sets a group here, and sends it to the others. Completes when it is on the disk here, and each
   * of the others has it or did not take it in time.
   *
   * @return fails with {@link InvalidRules} or {@link RuleLimit}
   */
  public Future<Void> set(String tenant, String namespace, byte[] text) {
    return vertx
        .executeBlocking(() -> store().set(tenant, namespace, text), false)
        .compose(stored -> send(List.of(stored)));
  }

  /** Deletes a group here and there; answers whether there was one. */
  public Future<Boolean> delete(RuleGroup.Id id) {
    return vertx
        .executeBlocking(() -> store().delete(id), false)
        .compose(
            mark ->
                mark.isEmpty()
                    ? Future.succeededFuture(false)
                    : send(List.of(mark.get())).map(true));
  }

  /** Deletes all groups of a namespace here and there; answers whether there were any. */
  public Future<Boolean> delete(String tenant, String namespace) {
    return vertx
        .executeBlocking(() -> store().delete(tenant, namespace), false)
        .compose(marks -> marks.isEmpty() ? Future.succeededFuture(false) : send(marks).map(true));
  }

  /**
   * Reads rule files again.
   *
   * @return fails with {@link InvalidRules}
   */
  public Future<Void> reload() {
    return vertx.executeBlocking(
        () -> {
          source.files().reload();
          return null;
        },
        false);
  }

  private Future<Void> send(List<StoredGroup> groups) {
    byte[] body = StoredGroupForm.groups(groups);
    return Future.join(
            peers.get().stream()
                .map(
                    peer ->
                        request(peer, HttpMethod.POST, GROUPS, Optional.of(body))
                            .onFailure(failure -> failed(peer, failure)))
                .toList())
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** Asks every other query API for what is newer there; one round at a time. */
  Future<Void> ask() {
    if (!isAsking.compareAndSet(false, true)) {
      return Future.succeededFuture();
    }
    return Future.join(
            peers.get().stream()
                .map(peer -> ask(peer).onFailure(failure -> failed(peer, failure)))
                .toList())
        .<Void>mapEmpty()
        .otherwiseEmpty()
        .eventually(
            () ->
                vertx.executeBlocking(
                    () -> {
                      store().forget();
                      return null;
                    },
                    false))
        .eventually(
            () -> {
              isAsking.set(false); // before whoever waits for this round may ask for the next one
              return Future.succeededFuture();
            });
  }

  private Future<Void> ask(URI peer) {
    return request(peer, HttpMethod.GET, VERSIONS, Optional.empty())
        .compose(
            answer ->
                vertx.executeBlocking(
                    () -> store().newer(StoredGroupForm.versions(answer.body().getBytes())), false))
        .compose(wanted -> fetch(peer, wanted));
  }

  /** Fetches in pieces: an answer may have fewer groups than were asked for. */
  private Future<Void> fetch(URI peer, List<StoredGroup.Version> wanted) {
    if (wanted.isEmpty()) {
      return Future.succeededFuture();
    }
    List<StoredGroup.Version> some = wanted.subList(0, Math.min(MAX_NAMES, wanted.size()));
    return request(peer, HttpMethod.POST, READ, Optional.of(StoredGroupForm.versions(some)))
        .compose(
            answer ->
                vertx.executeBlocking(
                    () -> {
                      List<StoredGroup> groups = StoredGroupForm.groups(answer.body().getBytes());
                      take(groups);
                      return groups.size();
                    },
                    false))
        .compose(
            count ->
                count == 0
                    ? Future.succeededFuture()
                    : fetch(peer, wanted.subList(Math.min(count, wanted.size()), wanted.size())));
  }

  private Future<HttpAnswer> request(
      URI peer, HttpMethod method, String path, Optional<byte[]> body) {
    var request = http.to(method, peer.resolve(path), TIMEOUT_MILLIS).longestAnswer(MAX_BODY_BYTES);
    body.ifPresent(request::body);
    return request
        .send()
        .compose(
            answer ->
                answer.status() == 200
                    ? Future.succeededFuture(answer)
                    : Future.failedFuture("status " + answer.status() + ": " + answer.body()));
  }

  private void failed(URI peer, Throwable failure) {
    failures.increment();
    LOG.debug("rule groups could not be exchanged with {}", peer, failure);
  }

  /** Declares what is counted. */
  public void declare(Meters meters) {
    meters.counter(
        "rule_exchange_failures",
        "Requests for rule groups to other query APIs that failed.",
        failures::sum);
    meters.counter(
        "rule_groups_received",
        "Rule groups that other query APIs sent, deleted ones included.",
        received::sum);
  }

  @Override
  public void close() {
    for (long timer : timers) {
      vertx.cancelTimer(timer);
    }
  }
}
