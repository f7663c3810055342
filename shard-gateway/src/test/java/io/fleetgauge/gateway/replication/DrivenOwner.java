package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.OwnerSide.Effect;
import io.fleetgauge.gateway.replication.OwnerSide.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An owner of one host, driven by hand. */
abstract class DrivenOwner {
  final List<Effect> effects = new ArrayList<>();
  final Map<String, Long> deliveries = new HashMap<>();
  OwnerSide owner = new OwnerSide(true, 100);
  long now = 1;

  void open(String... peers) {
    on(replicas(peers));
    for (String peer : peers) {
      answered(peer, 1, ReplicaReply.KEPT);
    }
  }

  /** Replica a says that it is whole. */
  void callWhole() {
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    answered("a", 1, ReplicaReply.WHOLE);
    assertThat(owner.synced()).containsExactly("a");
  }

  /** Replicas that the table does not call synced. */
  static Event replicas(String... peers) {
    Map<String, Boolean> named = new TreeMap<>();
    for (String peer : peers) {
      named.put(peer, false);
    }
    return new Event.Replicas(named);
  }

  static Event taken(long body) {
    return new Event.Taken(body, 100);
  }

  List<Effect> on(Event event) {
    effects.clear();
    owner.on(event, now, effects::add);
    for (Effect each : effects) {
      if (each instanceof Effect.Send send) {
        deliveries.put(send.peer() + send.number(), send.delivery());
      }
    }
    return effects;
  }

  /** Looks as often as it is done in production until some time has passed. */
  void look(long millis) {
    long until = now + millis;
    while (now < until) {
      now = Math.min(until, now + OwnerSide.LONGEST_LOOK_MILLIS);
      on(new Event.TimePassed());
    }
  }

  List<Effect> answered(String peer, long number, ReplicaReply reply) {
    return on(new Event.Answered(peer, delivery(peer, number), reply));
  }

  /** The last delivery that began with a body of this number. */
  long delivery(String peer, long number) {
    return deliveries.get(peer + number);
  }

  Effect send(String peer, long number, List<Long> bodies) {
    return send(peer, session(peer), number, bodies);
  }

  Effect send(String peer, long session, long number, List<Long> bodies) {
    return new Effect.Send(peer, session, delivery(peer, number), number, bodies);
  }

  /** Sessions are numbered in the order in which they begin. */
  static long session(String peer) {
    return peer.equals("a") ? 101 : 102;
  }
}
