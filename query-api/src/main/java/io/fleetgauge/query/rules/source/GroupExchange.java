package io.fleetgauge.query.rules.source;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
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
  private static final int MAX_READ_BYTES = 4 << 20;
  private static final int MAX_NAMES = 10_000;
  private static final long TIMEOUT_MILLIS = 2_000;
  private static final long LOOK_MILLIS = 2_000;
  private static final long ASK_MILLIS = 5_000;

  private final Vertx vertx;
  private final RuleSource source;
  private final PeerLink link;
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private final LongAdder failures = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final long[] timers = new long[2];

  /**
   * @param link reaches the other query APIs
   */
  public GroupExchange(Vertx vertx, RuleSource source, PeerLink link) {
    this.vertx = vertx;
    this.source = source;
    this.link = link;
  }

  /** Mounts what the other query APIs ask for, and begins to look and ask. */
  public void start(Router router, Guard guard) {
    link.answer(
        router, guard, VERSIONS, body -> work(() -> StoredGroupForm.versions(store().versions())));
    link.answer(
        router,
        guard,
        READ,
        body -> {
          List<StoredGroup.Version> wanted = StoredGroupForm.versions(body);
          return work(() -> StoredGroupForm.groups(store().read(wanted, MAX_READ_BYTES)));
        });
    link.answer(
        router,
        guard,
        GROUPS,
        body -> {
          List<StoredGroup> groups = StoredGroupForm.groups(body);
          return work(
              () -> {
                take(groups);
                return new byte[0];
              });
        });
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
                    .onFailure(failure -> LOG.error("checking rule files failed", failure)));
    timers[1] = vertx.setPeriodic(ASK_MILLIS, id -> ask());
  }

  private GroupStore store() {
    return source.store();
  }

  private <T> Future<T> work(Callable<T> work) {
    return vertx.executeBlocking(work, false);
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
    return work(() -> store().set(tenant, namespace, text))
        .compose(stored -> send(List.of(stored)));
  }

  /** Deletes a group here and there; answers whether there was one. */
  public Future<Boolean> delete(RuleGroup.Id id) {
    return work(() -> store().delete(id))
        .compose(
            mark ->
                mark.isEmpty()
                    ? Future.succeededFuture(false)
                    : send(List.of(mark.get())).map(true));
  }

  /** Deletes all groups of a namespace here and there; answers whether there were any. */
  public Future<Boolean> delete(String tenant, String namespace) {
    return work(() -> store().delete(tenant, namespace))
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
    return all(peer -> request(peer, GROUPS, body).mapEmpty());
  }

  /** Does something with each of the others; whatever fails is counted. */
  private Future<Void> all(Function<String, Future<Void>> each) {
    return Future.join(
            link.names().stream()
                .map(peer -> each.apply(peer).onFailure(failure -> failed(peer, failure)))
                .toList())
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** Asks every other query API for what is newer there; one round at a time. */
  Future<Void> ask() {
    if (!isAsking.compareAndSet(false, true)) {
      return Future.succeededFuture();
    }
    return all(this::ask)
        .eventually(
            () ->
                work(
                    () -> {
                      store().forget();
                      return null;
                    }))
        .eventually(
            () -> {
              isAsking.set(false); // before whoever waits for this round may ask for the next one
              return Future.succeededFuture();
            });
  }

  private Future<Void> ask(String peer) {
    return request(peer, VERSIONS, new byte[0])
        .compose(answer -> work(() -> store().newer(StoredGroupForm.versions(answer))))
        .compose(wanted -> fetch(peer, wanted));
  }

  /** Fetches in pieces: an answer may have fewer groups than were asked for. */
  private Future<Void> fetch(String peer, List<StoredGroup.Version> wanted) {
    if (wanted.isEmpty()) {
      return Future.succeededFuture();
    }
    List<StoredGroup.Version> some = wanted.subList(0, Math.min(MAX_NAMES, wanted.size()));
    return request(peer, READ, StoredGroupForm.versions(some))
        .compose(
            answer ->
                work(
                    () -> {
                      List<StoredGroup> groups = StoredGroupForm.groups(answer);
                      take(groups);
                      return groups.size();
                    }))
        .compose(
            count ->
                count == 0
                    ? Future.succeededFuture()
                    : fetch(peer, wanted.subList(Math.min(count, wanted.size()), wanted.size())));
  }

  private Future<byte[]> request(String peer, String path, byte[] body) {
    return link.post(peer, path, body, TIMEOUT_MILLIS);
  }

  private void failed(String peer, Throwable failure) {
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
