package io.fleetgauge.query.rules.source;

import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the groups that are set by API equal on all query APIs, and looks after rule files: sends
 * what a client set to the others at once, and asks one whose digest of them differs what it has
 * that is newer. Safe for all threads.
 */
public final class GroupExchange implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupExchange.class);
  private static final String VERSIONS = "/v1/rules/versions";
  private static final String READ = "/v1/rules/read";
  private static final String GROUPS = "/v1/rules/groups";
  private static final int MAX_READ_BYTES = 4 << 20;
  private static final int MAX_NAMES = 10_000;
  private static final long TIMEOUT_MILLIS = 2_000;
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  /** The topic in heartbeats. */
  private static final String TOPIC = "rule-groups";

  /** Digests differ for a moment while what a client set is sent. */
  private static final long GRACE_MILLIS = 1_000;

  private static final long ASK_AGAIN_MILLIS = 5_000;

  private final Vertx vertx;
  private final RuleSource source;
  private final PeerLink link;

  /** When those whose digests differ are asked, by {@link PeerLink#now}; for its event loop. */
  private final Map<String, Long> askAt = new HashMap<>();

  private final LongAdder failures = new LongAdder();
  private final LongAdder received = new LongAdder();
  private Optional<FilePoller> looks = Optional.empty();

  /**
   * @param link reaches the other query APIs
   */
  public GroupExchange(Vertx vertx, RuleSource source, PeerLink link) {
    this.vertx = vertx;
    this.source = source;
    this.link = link;
  }

  /** Mounts what the other query APIs ask for, and begins to look. */
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
    looks = Optional.of(FilePoller.start(vertx, "rule files", LOOK_EVERY, this::look));
  }

  private void look() {
    source.files().look();
    try {
      store().forget();
    } catch (IOException e) {
      LOG.warn("a rule group that was deleted long ago stays on the disk: {}", e.toString());
    }
  }

  /** Begins to compare digests with the others; the link has started. */
  public void join() {
    link.run(
        () -> {
          link.tell(TOPIC, false, this::note);
          link.onChange(this::compare);
        });
  }

  private byte[] note() {
    return new WireWriter(Long.BYTES).u64(store().digest()).toBytes();
  }

  private void compare(PeerList list) {
    byte[] own = note();
    long now = PeerLink.now();
    askAt.keySet().retainAll(list.liveNames());
    for (Peer peer : list.live()) {
      if (peer.note(TOPIC).filter(theirs -> Arrays.equals(theirs, own)).isPresent()) {
        askAt.remove(peer.name());
      } else if (askAt.computeIfAbsent(peer.name(), none -> now + GRACE_MILLIS) <= now) {
        askAt.put(peer.name(), Long.MAX_VALUE); // one request at a time
        ask(peer.name())
            .onFailure(failure -> failed(peer.name(), failure))
            .onComplete(
                done ->
                    link.run(() -> askAt.replace(peer.name(), PeerLink.now() + ASK_AGAIN_MILLIS)));
      }
    }
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
    return work(
        () -> {
          source.files().reload();
          return null;
        });
  }

  private Future<Void> send(List<StoredGroup> groups) {
    byte[] body = StoredGroupForm.groups(groups);
    return Future.join(
            link.names().stream()
                .map(
                    peer -> request(peer, GROUPS, body).onFailure(failure -> failed(peer, failure)))
                .toList())
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** Asks another query API for what is newer there. */
  Future<Void> ask(String peer) {
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
        "Failed requests for rule groups to other query APIs.",
        failures::sum);
    meters.counter(
        "rule_groups_received",
        "Rule groups that other query APIs sent, deleted ones included.",
        received::sum);
  }

  @Override
  public void close() {
    looks.ifPresent(FilePoller::close);
  }
}
