package io.fleetgauge.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.peers.Heartbeat;
import io.fleetgauge.cluster.peers.HeartbeatForm;
import io.fleetgauge.cluster.peers.PeerMachine;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Query APIs that share limits by simulated heartbeats, in one thread and from a seed. The state
 * machines are the real ones; time, network and queries are simulated. Heartbeats travel in their
 * real form.
 */
final class SimulatedApis {
  static final String TENANT = "a";
  private static final int STEP_MILLIS = 5;

  private final Random random;
  private final long seed;
  private final int limit;
  private final List<Api> apis = new ArrayList<>();
  private final PriorityQueue<Delivery> inFlight =
      new PriorityQueue<>(
          Comparator.comparingLong(Delivery::at).thenComparingLong(Delivery::order));

  /** From whom to whom nothing passes. */
  private final Set<List<Integer>> cuts = new HashSet<>();

  private long order;
  private long now = 1_000_000;
  private int delayMillis = 20;
  private double loss;

  private record Delivery(long at, long order, Api from, Api to, byte[] bytes, boolean asks) {}

  SimulatedApis(long seed, int limit) {
    this.random = new Random(seed);
    this.seed = seed;
    this.limit = limit;
  }

  /** A query API; its users want to run {@link #demand} queries of the tenant at once. */
  final class Api {
    final int index;
    final PeerMachine peers;
    final LimitShares shares;
    private final String name;
    private final long tickPhase = random.nextInt(100);
    private final List<Long> ends = new ArrayList<>();
    private int demand;
    private boolean isUp = true;
    private long sent;
    private int queryMillis = 200;

    private Api(int index, String name) {
      this.index = index;
      this.name = name;
      this.peers = new PeerMachine(name, random.nextLong() | 1);
      this.shares = new LimitShares(peers.life(), key -> limit);
    }

    private void joined() {
      shares.joined(peers.list(), this::uses, now);
      peers.tell(ShareNote.TOPIC, true, shares::note);
    }

    Api wants(int queries) {
      demand = queries;
      return this;
    }

    Api queriesTake(int millis) {
      queryMillis = millis;
      return this;
    }

    int running() {
      return ends.size();
    }

    boolean isUp() {
      return isUp;
    }

    String name() {
      return name;
    }

    /** Heartbeats that it has sent so far. */
    long sent() {
      return sent;
    }

    int allowed() {
      return shares.allowed(TENANT, limit, now);
    }

    private void runQueries() {
      ends.removeIf(end -> end <= now);
      while (ends.size() < Math.min(demand, allowed())) {
        ends.add(now + 1 + random.nextInt(queryMillis));
      }
    }

    private void tick() {
      list(this);
      settle();
      peers.tick(now, this::beat);
    }

    private Map<String, LocalQueries.Use> uses() {
      Map<String, LocalQueries.Use> uses = new HashMap<>();
      if (demand > 0 || !ends.isEmpty()) {
        uses.put(TENANT, new LocalQueries.Use(ends.size(), Math.max(0, demand - ends.size())));
      }
      return uses;
    }

    private void settle() {
      shares.settle(peers.list(), this::uses, now);
    }

    private void beat(String to, Heartbeat beat) {
      // The newest one of that name: the others have ended.
      apis.reversed().stream()
          .filter(each -> each.name.equals(to))
          .findFirst()
          .ifPresent(each -> send(each, beat, true));
    }

    private void send(Api to, Heartbeat beat, boolean asks) {
      sent++;
      byte[] bytes = HeartbeatForm.toBytes(beat);
      boolean passes =
          to.isUp
              && to != this
              && !cuts.contains(List.of(index, to.index))
              && random.nextDouble() >= loss;
      if (passes) {
        inFlight.add(
            new Delivery(now + 1 + random.nextInt(delayMillis), ++order, this, to, bytes, asks));
      }
    }

    private void receive(Delivery delivery) {
      Heartbeat beat;
      try {
        beat = HeartbeatForm.fromBytes(delivery.bytes());
      } catch (WireException e) {
        throw new AssertionError(e);
      }
      if (peers.heard(beat, now)) {
        settle();
      }
      if (delivery.asks()) {
        send(delivery.from(), peers.to(beat.from(), now), false);
      }
    }

    void stop(boolean saysGoodbye) {
      ends.clear();
      demand = 0;
      if (saysGoodbye) {
        peers.leave(now, this::beat);
      }
      isUp = false;
      apis.forEach(SimulatedApis.this::list);
    }
  }

  Api start() {
    return start("api-" + apis.size());
  }

  /** Starts one of this name; one that had it before has ended. */
  Api start(String name) {
    Api api = new Api(apis.size(), name);
    apis.add(api);
    apis.forEach(this::list);
    api.joined();
    return api;
  }

  /** Each knows at once who is a member of the cluster. */
  private void list(Api of) {
    Set<String> up = new TreeSet<>();
    apis.stream().filter(each -> each.isUp).forEach(each -> up.add(each.name));
    int count = up.size();
    up.remove(of.name);
    of.peers.listed(Optional.of(up), count, now);
  }

  List<Api> start(int count) {
    List<Api> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(start());
    }
    return started;
  }

  void delays(int millis) {
    delayMillis = millis;
  }

  void loses(double share) {
    loss = share;
  }

  /** Cuts every pair of which one is chosen and the other is not. */
  void split(Predicate<Api> chosen) {
    for (Api one : apis) {
      for (Api other : apis) {
        if (chosen.test(one) && !chosen.test(other)) {
          cut(one, other);
        }
      }
    }
  }

  /** No message passes between two of them. */
  void cut(Api one, Api other) {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** No message passes from one to the other; those of the other arrive. */
  void cutOneWay(Api from, Api to) {
    cuts.add(List.of(from.index, to.index));
  }

  /** No message passes between any two. */
  void silence() {
    for (Api one : apis) {
      split(each -> each == one);
    }
  }

  void heal() {
    cuts.clear();
  }

  void runFor(long millis) {
    runFor(millis, () -> {});
  }

  /** Runs, and checks something at each step. */
  void runFor(long millis, Runnable check) {
    for (long end = now + millis; now < end; ) {
      now += STEP_MILLIS;
      while (!inFlight.isEmpty() && inFlight.peek().at() <= now) {
        Delivery next = inFlight.poll();
        if (next.to().isUp) {
          next.to().receive(next);
        }
      }
      for (Api api : apis) {
        if (api.isUp) {
          api.runQueries();
          if ((now + api.tickPhase) % 100 < STEP_MILLIS) {
            api.tick();
          }
        }
      }
      check.run();
    }
  }

  void assertNeverMoreThan(int most) {
    assertThat(running()).as("seed %s: queries running at %s", seed, now).isLessThanOrEqualTo(most);
  }

  int running() {
    return apis.stream().mapToInt(Api::running).sum();
  }

  Random random() {
    return random;
  }
}
