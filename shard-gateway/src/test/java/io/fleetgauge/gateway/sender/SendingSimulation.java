package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.WriteOutcome;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gateways that send to one receiver, in one thread and from a seed. Production and this simulation
 * execute the same classes down to the store; network, time, death and the table are drawn here.
 */
final class SendingSimulation {
  private static final long STEP = 500;

  /** Samples that are newer need not have been sent, ms. */
  private static final long NEW = 20_000;

  private static final long START = 1_800_000_000_000L;
  private static final int SERIES = 3;
  private static final SenderSettings SETTINGS =
      new SenderSettings(
          "r",
          URI.create("http://127.0.0.1/"),
          Version.V1,
          Map.of(),
          List.of(),
          false,
          true,
          Relabelling.NONE,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          20,
          4,
          10_000,
          AccessSettings.NONE);

  private final Random random;
  private final Path folder;
  private final Map<String, Gateway> gateways = new TreeMap<>();
  private final Map<String, Holders> table = new TreeMap<>();
  private final PriorityQueue<Due> network = new PriorityQueue<>();
  private final Set<Sample> stored = new HashSet<>();
  private final Map<Sample, List<Arrival>> received = new HashMap<>();

  /** Takeovers and restarts, by host, ms. */
  private final Map<String, List<Long>> disturbances = new HashMap<>();

  private long now = START;
  private long epoch = 1;
  private long number;
  private boolean isAway;
  private boolean losesAnswers;

  /** Ticks of which a part came late: other gateways are told only which ticks these are. */
  private final Set<String> lateTicks = new HashSet<>();

  record Sample(Labels series, long time) {}

  /** A sample that has arrived at the receiver. */
  record Arrival(String gateway, int life, long at) {}

  private record Due(long at, long number, Runnable what) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int order = Long.compare(at, other.at);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  private record Tick(String host, long time, int from, int to) {}

  private final class Gateway {
    private final String name;
    private final List<Tick> journal = new ArrayList<>();
    private int life;
    private boolean isAlive;
    private boolean isRecovered;
    private final Set<String> whole = new HashSet<>();
    private Store store;
    private SentRecords records;
    private ReceiverSender sender;
    private HeldHosts hosts;
    private Deque<Runnable> thread = new ArrayDeque<>();

    Gateway(String name) {
      this.name = name;
    }

    void start() throws IOException {
      isAlive = true;
      isRecovered = false;
      life++;
      thread = new ArrayDeque<>();
      whole.clear();
      store = new Store(folder.resolve(name), HostWriter.limits(1_000), Dimensions.DEFAULT);
      records = new SentRecords(folder.resolve(name).resolve("sent"));
      records.open();
      records.begun("r", START);
      int own = life;
      sender =
          new ReceiverSender(
              SETTINGS,
              new HostSamples(store, SETTINGS),
              series -> send(this, own, series),
              thread::add,
              () -> now,
              () -> now - 24 * 3_600_000L);
      hosts =
          new HeldHosts(
              new HeldHosts.Surroundings(
                  name,
                  store,
                  (host, since) -> whole.contains(host),
                  () -> isRecovered,
                  () -> now,
                  () -> now - 24 * 3_600_000L),
              records,
              List.of(sender));
      store.onLate(hosts);
      for (int i = 0; i < journal.size(); i++) {
        Tick tick = journal.get(i);
        if (records.position().isBefore(0, i)) {
          hosts.replayed(tick.host, tick.time);
        }
        append(tick, Lane.Source.JOURNAL);
      }
      isRecovered = true;
    }

    void take(Tick tick, Lane.Source source) {
      journal.add(tick);
      append(tick, source);
    }

    private void append(Tick tick, Lane.Source source) {
      Lane lane = store.lane(tick.host);
      Lane.Handle[] handles = new Lane.Handle[tick.to - tick.from];
      double[] values = new double[handles.length];
      for (int i = 0; i < handles.length; i++) {
        handles[i] = lane.handle(labels(tick.host, tick.from + i));
        values[i] = tick.time % 1_000 + i;
      }
      lane.append(source, tick.time, Long.MAX_VALUE, handles, values, null, new WriteOutcome());
    }

    void look() {
      hosts.follow(view());
      sender.look();
      run();
    }

    void run() {
      for (Runnable task = thread.poll(); task != null; task = thread.poll()) {
        task.run();
      }
    }

    void tell() {
      Journal.Position position = new Journal.Position(0, journal.size());
      for (SentTells.Tell tell : hosts.tells(view())) {
        byte[] body = tell.body();
        Gateway to = gateways.get(tell.gateway());
        int own = life;
        later(
            () -> {
              boolean isTaken =
                  to.isAlive
                      && random.nextInt(10) > 0
                      && to.hosts.told(SentRecords.parse(new String(body, StandardCharsets.UTF_8)));
              later(
                  () -> {
                    if (life == own && isAlive) {
                      hosts.answered(tell, isTaken);
                    }
                  });
            });
      }
      try {
        records.write(position);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  SendingSimulation(long seed, Path folder) {
    this.random = new Random(seed);
    this.folder = folder;
  }

  SendingSimulation gateways(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Gateway each = new Gateway("g" + i);
      gateways.put(each.name, each);
      each.start();
    }
    return this;
  }

  /** Gives hosts an owner and a copy each. */
  SendingSimulation hosts(int count) {
    List<String> names = List.copyOf(gateways.keySet());
    for (int i = 0; i < count; i++) {
      String host = "h" + i;
      String owner = names.get(i % names.size());
      String copy = names.get((i + 1) % names.size());
      holders(host, owner, copy);
      gateways.get(copy).whole.add(host);
    }
    return this;
  }

  private void holders(String host, String owner, String copy) {
    Holders before = table.get(host);
    long since = before != null && before.owner().equals(owner) ? before.since() : ++epoch;
    table.put(
        host,
        new Holders(
            owner,
            since,
            Set.of(),
            copy == null ? List.of() : List.of(new Holders.Copy(copy, ++epoch, true)),
            Optional.empty()));
    if (before != null && !before.owner().equals(owner)) {
      disturbed(host);
    }
  }

  private void disturbed(String host) {
    disturbances.computeIfAbsent(host, none -> new ArrayList<>()).add(now);
  }

  private ClusterView view() {
    Map<String, URI> alive = new TreeMap<>();
    gateways.values().stream()
        .filter(each -> each.isAlive)
        .forEach(each -> alive.put(each.name, URI.create("http://" + each.name + ":1")));
    return new ClusterView(
        new OwnershipTable(1, epoch, List.copyOf(alive.keySet()), new TreeMap<>(table)),
        alive,
        false);
  }

  private static Labels labels(String host, int series) {
    return Labels.of(Labels.NAME, "m", "Hostname", host, "n", "" + series);
  }

  private void later(Runnable what) {
    network.add(new Due(now + 1 + random.nextInt(400), number++, what));
  }

  private Future<Receiver.Outcome> send(Gateway from, int life, List<Series> series) {
    Promise<Receiver.Outcome> answer = Promise.promise();
    later(
        () -> {
          boolean isLost = isAway || from.life != life && random.nextBoolean();
          if (!isLost) {
            for (Series each : series) {
              for (long time : each.times()) {
                received
                    .computeIfAbsent(new Sample(each.labels(), time), none -> new ArrayList<>())
                    .add(new Arrival(from.name, life, now));
              }
            }
          }
          boolean isAnswered = !isLost && !(losesAnswers && random.nextInt(20) == 0);
          later(
              () -> {
                if (from.life == life && from.isAlive) {
                  answer.complete(
                      isAnswered ? Receiver.Outcome.ACCEPTED : Receiver.Outcome.again(0, "away"));
                  from.run();
                }
              });
        });
    return answer.future();
  }

  SendingSimulation receiverIsAway(boolean away) {
    isAway = away;
    return this;
  }

  SendingSimulation answersAreLost() {
    losesAnswers = true;
    return this;
  }

  /**
   * Time passes, and every host sends each second: in two parts, some of which come late.
   *
   * @param late out of 100 parts so many
   */
  SendingSimulation run(Duration length, int late) {
    long end = now + length.toMillis();
    while (now < end) {
      now += STEP;
      if (now % 1_000 == 0) {
        for (String host : table.keySet()) {
          sends(new Tick(host, now, 0, 1), late);
          sends(new Tick(host, now, 1, SERIES), late);
        }
      }
      while (!network.isEmpty() && network.peek().at <= now) {
        network.poll().what.run();
      }
      for (Gateway each : gateways.values()) {
        if (each.isAlive) {
          each.look();
          if (now % 2_000 == 0) {
            each.tell();
          }
          if (now % 60_000 == 0) {
            each.hosts.repeatTells();
          }
        }
      }
    }
    return this;
  }

  private void sends(Tick tick, int late) {
    long delay = 0;
    if (random.nextInt(100) < late) {
      delay = 1_000 + random.nextInt(600_000);
      lateTicks.add(tick.host + " " + tick.time);
    }
    network.add(new Due(now + delay + random.nextInt(900), number++, () -> arrives(tick)));
  }

  /** A tick arrives at the owner, which acknowledges it when the copy has it. */
  private void arrives(Tick tick) {
    Holders holders = table.get(tick.host);
    Gateway owner = gateways.get(holders.owner());
    if (!owner.isAlive) {
      later(() -> arrives(tick));
      return;
    }
    owner.take(tick, Lane.Source.SENDER);
    for (int i = tick.from; i < tick.to; i++) {
      stored.add(new Sample(labels(tick.host, i), tick.time));
    }
    later(
        () -> {
          Holders then = table.get(tick.host);
          if (!owner.isAlive || !then.owner().equals(owner.name)) {
            arrives(tick); // not acknowledged: it is sent again
            return;
          }
          for (Holders.Copy copy : then.copies()) {
            gateways.get(copy.gateway()).take(tick, Lane.Source.JOURNAL);
          }
        });
  }

  /** Kills a gateway; copies become owners. */
  SendingSimulation kill(int which) {
    Gateway dead = gateways.get("g" + which);
    dead.isAlive = false;
    for (String host : List.copyOf(table.keySet())) {
      Holders holders = table.get(host);
      if (holders.owner().equals(dead.name)) {
        String next = holders.copies().getFirst().gateway();
        holders(host, next, null);
        copyTo(host, another(next));
      } else if (holders.copyOn(dead.name).isPresent()) {
        holders(host, holders.owner(), null);
        copyTo(host, another(holders.owner()));
      }
    }
    return this;
  }

  private String another(String than) {
    return gateways.values().stream()
        .filter(each -> each.isAlive && !each.name.equals(than))
        .findFirst()
        .map(each -> each.name)
        .orElse(null);
  }

  /** A gateway gets all that the owner has, and is a whole copy then. */
  private void copyTo(String host, String gateway) {
    if (gateway == null) {
      return;
    }
    Gateway copy = gateways.get(gateway);
    copy.whole.remove(host);
    for (Tick each : gateways.get(table.get(host).owner()).journal) {
      if (each.host.equals(host)) {
        copy.take(each, Lane.Source.JOURNAL);
      }
    }
    holders(host, table.get(host).owner(), gateway);
    copy.whole.add(host);
  }

  /** Kills a gateway that is there again before anybody has noticed. */
  SendingSimulation restart(int which) throws IOException {
    Gateway each = gateways.get("g" + which);
    table.forEach(
        (host, holders) -> {
          if (holders.owner().equals(each.name)) {
            disturbed(host);
          }
        });
    each.start();
    table.forEach(
        (host, holders) -> {
          if (holders.copyOn(each.name).isPresent()) {
            each.whole.add(host);
          }
        });
    return this;
  }

  /** A gateway that was killed is back, with what it had on its disk. */
  SendingSimulation revive(int which) throws IOException {
    gateways.get("g" + which).start();
    return this;
  }

  /** Hosts move: owner and copy change their places. */
  SendingSimulation move() {
    for (String host : List.copyOf(table.keySet())) {
      Holders holders = table.get(host);
      if (random.nextBoolean() && !holders.copies().isEmpty()) {
        String owner = holders.copies().getFirst().gateway();
        if (gateways.get(owner).whole.contains(host)) {
          gateways.get(holders.owner()).whole.add(host);
          holders(host, owner, holders.owner());
        }
      }
    }
    return this;
  }

  /** How far the newest samples at the receiver are behind, of the host that is furthest, ms. */
  long behind() {
    Map<String, Long> newest = new HashMap<>();
    received
        .keySet()
        .forEach(each -> newest.merge(each.series.value("Hostname"), each.time, Math::max));
    return table.keySet().stream()
        .mapToLong(host -> now - newest.getOrDefault(host, 0L))
        .max()
        .orElse(0);
  }

  SendingSimulation assertEverySampleArrived() {
    assertThat(stored).isNotEmpty();
    Set<Sample> missing = new HashSet<>(stored);
    missing.removeAll(received.keySet());
    missing.removeIf(each -> each.time > now - NEW);
    assertThat(missing).isEmpty();
    return this;
  }

  SendingSimulation assertNoneArrivedTwice() {
    received.forEach((sample, all) -> assertThat(all).as("%s", sample).hasSize(1));
    return this;
  }

  /**
   * A sample of a tick that was not late arrives twice only if it was sent the first time in the
   * last seconds before its host had another owner or its owner was killed; and no gateway sends it
   * twice.
   *
   * @param window ms
   */
  SendingSimulation assertRepeatedOnlyAround(long window) {
    received.forEach(
        (sample, all) -> {
          if (lateTicks.contains(sample.series.value("Hostname") + " " + sample.time)) {
            return;
          }
          List<Long> times = disturbances.getOrDefault(sample.series.value("Hostname"), List.of());
          for (int i = 1; i < all.size(); i++) {
            Arrival before = all.get(i - 1);
            Arrival after = all.get(i);
            assertThat(before.life == after.life && before.gateway.equals(after.gateway))
                .as("%s twice by one: %s", sample, all)
                .isFalse();
            assertThat(times)
                .as("%s arrived at %s and %s", sample, before, after)
                .anyMatch(at -> before.at > at - window && after.at >= at);
          }
        });
    return this;
  }
}
