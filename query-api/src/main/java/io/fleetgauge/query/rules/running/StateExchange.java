package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.GroupStateForm;
import io.fleetgauge.query.rules.ownership.Event;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import java.util.ArrayList;
import java.util.List;

/** States of groups between query APIs, as the package draws them. Safe for all threads. */
final class StateExchange {
  private static final String STATES = "/v1/rules/states";
  private static final String STATE = "/v1/rules/state";
  private static final long TIMEOUT_MILLIS = 4_000;
  private static final int KEY_BYTES = 8;

  private final PeerLink link;
  private final RuleOwner owner;

  StateExchange(PeerLink link, RuleOwner owner) {
    this.link = link;
    this.owner = owner;
  }

  /** Has others' requests answered; those that come before the rules run fail. */
  void mount(Router router, Guard guard) {
    link.answer(router, guard, STATES, body -> own(keys(body)).map(StateExchange::bytes));
    link.answer(router, guard, STATE, body -> came(GroupStateForm.read(body)));
  }

  private Future<byte[]> came(GroupState state) {
    return link.call(
        () -> {
          owner.on(new Event.Came(state));
          return new byte[0];
        });
  }

  /**
   * States that others may have.
   *
   * @param keys none for all newest ones, stored or not
   */
  Future<List<GroupState>> own(List<Long> keys) {
    return link.call(
        () -> {
          OwnershipMachine of =
              owner
                  .machine()
                  .orElseThrow(() -> new IllegalStateException("the rules do not run yet"));
          if (keys.isEmpty()) {
            return List.copyOf(of.states());
          }
          return keys.stream().flatMap(key -> of.state(key).stream()).toList();
        });
  }

  /**
   * Asks for states.
   *
   * @param groups none for all that the other one owns
   */
  Future<List<GroupState>> states(String from, List<Long> groups) {
    return link.post(from, STATES, bytesOf(groups), TIMEOUT_MILLIS)
        .compose(
            body -> {
              try {
                return Future.succeededFuture(states(body));
              } catch (WireException e) {
                return Future.failedFuture(e);
              }
            });
  }

  Future<Void> handOver(String to, GroupState state) {
    return link.post(to, STATE, GroupStateForm.toBytes(state), TIMEOUT_MILLIS).mapEmpty();
  }

  static byte[] bytesOf(List<Long> groups) {
    WireWriter out = new WireWriter(8 + KEY_BYTES * groups.size()).uvar(groups.size());
    groups.forEach(out::u64);
    return out.toBytes();
  }

  static List<Long> keys(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int count = in.count(KEY_BYTES, "the number of groups");
    List<Long> groups = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      groups.add(in.u64("a group"));
    }
    in.end("the groups");
    return groups;
  }

  static byte[] bytes(List<GroupState> states) {
    WireWriter out = new WireWriter(1024).uvar(states.size());
    for (GroupState state : states) {
      byte[] part = GroupStateForm.toBytes(state);
      out.uvar(part.length).raw(part, 0, part.length);
    }
    return out.toBytes();
  }

  static List<GroupState> states(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int count = in.count(1, "the number of states");
    List<GroupState> states = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = in.uint(in.left(), "a length");
      states.add(GroupStateForm.read(in.raw(length, "a state")));
    }
    in.end("the states");
    return states;
  }
}
