package io.fleetgauge.query.rules.running;

import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.GroupStateForm;
import io.fleetgauge.query.rules.ownership.Beat;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Requests to the other query APIs. Safe for all threads. */
final class PeerRequests {
  static final String BEAT = "/v1/rules/beat";
  static final String STATES = "/v1/rules/states";
  static final String STATE = "/v1/rules/state";

  private static final long BEAT_MILLIS = 2_000;
  private static final long STATES_MILLIS = 4_000;

  /** A query API that is frozen is not sent beats without end. */
  private static final int BEATS_AT_ONCE = 3;

  private static final int OK = 200;

  private final OutgoingHttp http;
  private final Map<String, AtomicInteger> beating = new ConcurrentHashMap<>();
  private volatile Map<String, URI> peers = Map.of();

  PeerRequests(OutgoingHttp http) {
    this.http = http;
  }

  /** Where the others are, by name. */
  void peers(Map<String, URI> found) {
    peers = Map.copyOf(found);
  }

  Set<String> names() {
    return peers.keySet();
  }

  /** Sends a beat; answers with that of the other one. */
  Future<Beat> beat(String to, Beat beat) {
    AtomicInteger underWay = beating.computeIfAbsent(to, none -> new AtomicInteger());
    if (underWay.get() >= BEATS_AT_ONCE) {
      return Future.failedFuture("earlier beats have not been answered");
    }
    underWay.incrementAndGet();
    return post(to, BEAT, BeatForm.toBytes(beat), BEAT_MILLIS)
        .onComplete(done -> underWay.decrementAndGet())
        .compose(body -> read(() -> BeatForm.fromBytes(body)));
  }

  /**
   * Asks for states.
   *
   * @param groups none for all that the other one owns
   */
  Future<List<GroupState>> states(String from, List<Long> groups) {
    return post(from, STATES, BeatForm.keys(groups), STATES_MILLIS)
        .compose(body -> read(() -> states(body)));
  }

  Future<Void> handOver(String to, GroupState state) {
    return post(to, STATE, GroupStateForm.toBytes(state), STATES_MILLIS).mapEmpty();
  }

  static List<GroupState> states(byte[] body) throws WireException {
    List<GroupState> states = new ArrayList<>();
    for (byte[] part : BeatForm.parts(body)) {
      states.add(GroupStateForm.read(part));
    }
    return states;
  }

  private interface Reading<T> {
    T read() throws WireException;
  }

  private static <T> Future<T> read(Reading<T> reading) {
    try {
      return Future.succeededFuture(reading.read());
    } catch (WireException e) {
      return Future.failedFuture(e);
    }
  }

  private Future<byte[]> post(String to, String path, byte[] body, long timeoutMillis) {
    URI address = peers.get(to);
    if (address == null) {
      return Future.failedFuture("it is not known where " + to + " is reached");
    }
    return http.to(address, HttpMethod.POST, path, timeoutMillis)
        .header("Content-Type", "application/octet-stream")
        .body(body)
        .send()
        .compose(PeerRequests::body);
  }

  private static Future<byte[]> body(HttpAnswer answer) {
    return answer.status() == OK
        ? Future.succeededFuture(answer.body().getBytes())
        : Future.failedFuture("status " + answer.status() + ": " + answer.body());
  }
}
