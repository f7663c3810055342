package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.bus.BusMessage.AmongQueryApis;
import io.fleetgauge.cluster.bus.BusMessage.UsageGrants;
import io.fleetgauge.cluster.bus.BusMessage.UsageReport;
import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Query APIs that share limits over a simulated bus, in one thread and from a seed. The state
 * machines are the real ones; time, network and queries are simulated. Messages travel in their
 * real form.
 */
final class SimulatedApis {
  static final String TENANT = "a";
  private static final int STEP_MILLIS = 5;

  private final Random random;
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

  private record Delivery(long at, long order, Api to, byte[] bytes) {}

  SimulatedApis(long seed, int limit) {
    this.random = new Random(seed);
    this.limit = limit;
  }

  /** A query API; its users want to run {@link #demand} queries of the tenant at once. */
  final class Api {
    final int index;
    final Peer self;
    final PeerDirectory peers;
    final SharedUsage usage;
    private final long tickPhase = random.nextInt(100);
    private final List<Long> ends = new ArrayList<>();
    private int demand;
    private boolean isUp = true;
    private long sequence;
    private int queryMillis = 200;

    private Api(int index, String name) {
      this.index = index;
      this.self = new Peer(name, now + index, random.nextLong());
      this.peers = new PeerDirectory(self);
      this.usage = new SharedUsage(peers, key -> limit);
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
      return self.name();
    }

    /** Messages that it has sent so far. */
    long sent() {
      return sequence;
    }

    int allowed() {
      return usage.allowed(TENANT, limit, now);
    }

    private void runQueries() {
      ends.removeIf(end -> end <= now);
      while (ends.size() < Math.min(demand, allowed())) {
        ends.add(now + 1 + random.nextInt(queryMillis));
      }
    }

    private void tick() {
      send(usage.tick(uses(), now));
    }

    private Map<String, SharedUsage.Use> uses() {
      Map<String, SharedUsage.Use> uses = new HashMap<>();
      if (demand > 0 || !ends.isEmpty()) {
        uses.put(TENANT, new SharedUsage.Use(ends.size(), Math.max(0, demand - ends.size())));
      }
      return uses;
    }

    private void send(List<? extends AmongQueryApis> messages) {
      for (AmongQueryApis message : messages) {
        byte[] bytes = MessageForm.toBytes(new Envelope(self, ++sequence, now, message));
        for (Api to : apis) {
          boolean passes =
              to.isUp
                  && to != this
                  && !cuts.contains(List.of(index, to.index))
                  && random.nextDouble() >= loss;
          if (passes) {
            // As over one connection: in order.
            long last =
                inFlight.stream()
                    .filter(each -> each.to() == to && each.bytes() != bytes)
                    .mapToLong(Delivery::at)
                    .max()
                    .orElse(0);
            long at = Math.max(last, now + 1 + random.nextInt(delayMillis));
            inFlight.add(new Delivery(at, ++order, to, bytes));
          }
        }
      }
    }

    private void receive(byte[] bytes) {
      Envelope envelope;
      try {
        envelope = MessageForm.fromBytes(bytes);
      } catch (WireException e) {
        throw new AssertionError(e);
      }
      peers.heard(envelope.sender(), now);
      switch (envelope.message()) {
        case UsageReport report -> send(usage.heard(envelope.sender(), report, now));
        case UsageGrants grants -> {
          if (usage.heard(envelope.sender(), grants, now)) {
            tick();
          }
        }
        case BusMessage.Leaving leaving -> peers.left(envelope.sender());
        default -> throw new AssertionError(envelope.message());
      }
    }

    /** Another message than a report has come from a query API. */
    void hears(Api other) {
      peers.heard(other.self, now);
    }

    void stop(boolean saysGoodbye) {
      isUp = false;
      ends.clear();
      demand = 0;
      if (saysGoodbye) {
        send(List.of(new BusMessage.Leaving()));
      }
      long up = apis.stream().filter(api -> api.isUp).count();
      apis.forEach(api -> api.peers.members((int) up));
    }
  }

  Api start() {
    return start("api-" + apis.size());
  }

  /** Starts one of this name; one that had it before has ended. */
  Api start(String name) {
    Api api = new Api(apis.size(), name);
    apis.add(api);
    int up = (int) apis.stream().filter(each -> each.isUp).count();
    apis.forEach(each -> each.peers.members(up));
    api.usage.joined(now);
    return api;
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
          next.to().receive(next.bytes());
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
    assertThat(running()).as("queries running at %s", now).isLessThanOrEqualTo(most);
  }

  int running() {
    return apis.stream().mapToInt(Api::running).sum();
  }

  Random random() {
    return random;
  }
}
