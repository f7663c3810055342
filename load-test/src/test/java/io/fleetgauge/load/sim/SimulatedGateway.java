package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.AdmissionControl;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.LaneHosts;
import io.fleetgauge.gateway.ingest.host.MemoryEnvironment;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.serve.FragmentRunner;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A gateway that runs the production code which decides, on a simulated disk, clock and network.
 */
final class SimulatedGateway {
  /** No clock is further ahead or behind, ms. */
  static final int MOST_DRIFT = 1_000;

  private static final Duration DAY = Duration.ofDays(1);
  private static final long DRAIN = 20_000;

  /** Records that are not forced are on the disk so long after they were written. */
  private static final long SYNC_MILLIS = 100;

  /** A record on its way to the disk. */
  private static final class Entry {
    final String host;
    final byte[] record;
    final long[] times;
    boolean written;
    boolean synced;

    Entry(String host, byte[] record) {
      this.host = host;
      this.record = record;
      this.times = ticks(record, tick -> true).mapToLong(Frame.Tick::time).toArray();
    }
  }

  private static Stream<Frame.Tick> ticks(byte[] frames, Predicate<Frame.Tick> wanted) {
    List<Frame.Tick> ticks = new ArrayList<>();
    FrameDecoder decoder = new FrameDecoder(frames);
    try {
      while (decoder.hasNext()) {
        if (decoder.next() instanceof Frame.Tick tick && wanted.test(tick)) {
          ticks.add(tick);
        }
      }
    } catch (WireException e) {
      throw new IllegalStateException(e);
    }
    return ticks.stream();
  }

  private final Simulation simulation;
  private final SimulatedCluster cluster;
  private final Map<URI, SimulatedGateway> others;
  private final String id;
  private final int replication;
  private final Ownership ownership;
  private final long drift;
  private final Ledger ledger;
  private final StoreLimits limits;

  // The disk.
  private List<Entry> disk = new ArrayList<>();
  private OwnershipTable keptTable = OwnershipTable.EMPTY;
  private long diskMillis = 3;
  private long diskBytesPerMilli = Long.MAX_VALUE;

  private Life life;
  private int lives;
  private long frozenUntil = -1;

  SimulatedGateway(
      Simulation simulation,
      SimulatedCluster cluster,
      Map<URI, SimulatedGateway> others,
      Ledger ledger,
      String id,
      int replication) {
    this(simulation, cluster, others, ledger, id, replication, DAY);
  }

  /** One that keeps samples for another time than a day. */
  SimulatedGateway(
      Simulation simulation,
      SimulatedCluster cluster,
      Map<URI, SimulatedGateway> others,
      Ledger ledger,
      String id,
      int replication,
      Duration retention) {
    this.limits =
        new StoreLimits(
            retention,
            1L << 40,
            DAY,
            DAY.dividedBy(2),
            StoreLimits.DEFAULT_FUTURE,
            1_000_000,
            1_000_000,
            1_000_000);
    this.simulation = simulation;
    this.cluster = cluster;
    this.others = others;
    this.ledger = ledger;
    this.id = id;
    this.replication = replication;
    this.ownership = new Ownership(id);
    this.drift = simulation.random.nextInt(2 * MOST_DRIFT) - MOST_DRIFT;
    others.put(address(), this);
    ledger.add(this);
  }

  String id() {
    return id;
  }

  URI address() {
    return URI.create("http://" + id + ":9500");
  }

  /** The run of its process; null while there is none. */
  Life life() {
    return life;
  }

  boolean isAlive() {
    return life != null;
  }

  boolean isAwake() {
    return life != null && simulation.now() >= frozenUntil;
  }

  boolean knowsATable() {
    return known().epoch() > 0;
  }

  OwnershipTable known() {
    return life == null ? keptTable : life.view().table();
  }

  ClusterView view() {
    return life == null ? ClusterView.EMPTY : life.view();
  }

  /** The hosts that are in the registry, as it sees it. */
  Set<String> registered() {
    return cluster.sideOf(life.member).orElseThrow().hosts.keySet();
  }

  /** The exchange with other gateways. */
  Peers peers() {
    return life.access.peers();
  }

  // --- what happens to it ---

  void start() {
    life = new Life(++lives);
    Life mine = life;
    mine.member.join();
    // Reading the journal takes its time; what comes meanwhile waits.
    simulation.after(
        20 + simulation.random.nextInt(500),
        () -> {
          if (mine == life) {
            mine.recover();
            if (!mine.leaving) {
              mine.member.activate();
            }
          }
        });
    simulation.every(
        100,
        () -> {
          if (mine != life) {
            return false;
          }
          if (isAwake() && mine.hosts.dueInMillis() == 0) {
            mine.hosts.timePassed();
          }
          return true;
        });
  }

  /**
   * @param power whether the machine goes with the process, and all that was not synced with it
   */
  void crash(boolean power) {
    disk.removeIf(entry -> power ? !entry.synced : !entry.written);
    SimulatedMember dead = life.member;
    life = null;
    ledger.ended(id);
    frozenUntil = -1;
    // The port of a dead process refuses, which is noticed soon; a machine without power is silent.
    simulation.after(power ? 5_000 : 300, () -> cluster.remove(dead));
  }

  /** Its folders are removed while it does not run. */
  void loseStore() {
    disk.clear();
    keptTable = OwnershipTable.EMPTY;
  }

  void freeze(long millis) {
    frozenUntil = simulation.now() + millis;
  }

  void slowDisk(long millis, long forMillis) {
    diskMillis = millis;
    simulation.after(forMillis, () -> diskMillis = 3);
  }

  /**
   * @param bytesPerMilli that its disk writes, from now on
   */
  void diskPace(long bytesPerMilli) {
    diskBytesPerMilli = bytesPerMilli;
  }

  /** Number of times that replicas of its hosts fell behind since its process began. */
  long replicasLost() {
    return life.counts().replicasLost().values().stream().mapToLong(Long::longValue).sum();
  }

  /** Begins to leave; goes when its hosts have moved away, or after a while. */
  void drain(Runnable gone) {
    Life mine = life;
    mine.leaving = true;
    mine.member.retire();
    long began = simulation.now();
    simulation.every(
        50,
        () -> {
          if (mine != life) {
            return false;
          }
          if (ownership.hasToWaitToLeave(view()) && simulation.now() - began < DRAIN) {
            return true;
          }
          mine.member.leave();
          disk.removeIf(entry -> !entry.written);
          life = null;
          ledger.ended(id);
          gone.run();
          return false;
        });
  }

  // --- requests ---

  /** Runs what a request asks for when it is awake; a dead one never does. */
  private void serve(Runnable work) {
    Life mine = life;
    if (mine == null) {
      return;
    }
    if (isAwake()) {
      work.run();
    } else {
      simulation.after(
          frozenUntil - simulation.now(),
          () -> {
            if (mine == life) {
              serve(work);
            }
          });
    }
  }

  /** Takes frames of a probe, as the route and the intake do. */
  void post(
      String host, byte[] body, long epoch, long acknowledged, Consumer<IntakeAnswer> answer) {
    serve(
        () -> {
          Optional<IntakeAnswer> refusal = life.admission.refusal(host, Sender.UNLIMITED, epoch);
          if (refusal.isPresent()) {
            answer.accept(refusal.get());
            return;
          }
          life.host(host)
              .take(
                  body,
                  acknowledged,
                  said -> {
                    if (said instanceof IntakeAnswer.Kept kept) {
                      ledger.answered(id, host, view().table(), acknowledged(body, kept));
                    }
                    answer.accept(said);
                  });
        });
  }

  private static List<Long> acknowledged(byte[] body, IntakeAnswer.Kept kept) {
    return ticks(body, tick -> tick.run() == kept.run() && tick.sequence() <= kept.sequence())
        .map(Frame.Tick::time)
        .toList();
  }

  /** Takes in a page of samples that another gateway has. */
  void merge(String host, byte[] page, Consumer<Boolean> kept) throws WireException {
    life.host(host).merge(page, kept);
  }

  /**
   * Tells whether a connection to it can be made: refused by a dead process, silent when frozen.
   */
  <T> void ask(
      SimulatedGateway to,
      long timeout,
      T otherwise,
      Consumer<Consumer<T>> question,
      Consumer<T> answer) {
    boolean[] answered = {false};
    Life mine = life;
    Consumer<T> once =
        said -> {
          if (!answered[0] && mine == life) {
            answered[0] = true;
            answer.accept(said);
          }
        };
    simulation.after(timeout, () -> once.accept(otherwise));
    simulation.send(
        id,
        to.id,
        () -> {
          if (!to.isAlive()) {
            simulation.send(to.id, id, () -> once.accept(otherwise));
          } else {
            to.serve(
                () -> question.accept(said -> simulation.send(to.id, id, () -> once.accept(said))));
          }
        });
  }

  /** Samples of a host, in memory. */
  List<Series> samples(String host) {
    try {
      return life.store.select(
          List.of(host),
          new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE),
          Long.MAX_VALUE,
          none -> {},
          StopCheck.NEVER);
    } catch (TooManySamples | QueryFailure e) {
      throw new IllegalStateException(e);
    }
  }

  /** The times of a host that lie on its disk, or would if it were killed now. */
  Set<Long> timesOnDisk(String host) {
    Set<Long> times = new HashSet<>();
    for (Entry entry : disk) {
      if (entry.host.equals(host) && (entry.written || life != null)) {
        for (long time : entry.times) {
          times.add(time);
        }
      }
    }
    return times;
  }

  /** The times of a host in its answer to a query; empty when the answer names it as incomplete. */
  Optional<Set<Long>> query(String host, long askerEpoch) {
    FragmentAnswer answer;
    try {
      answer =
          life.queries.run(
              new Fragment(
                  Load.OWN,
                  askerEpoch,
                  List.of(host),
                  new SamplesQuestion(
                      Long.MAX_VALUE,
                      List.of(new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE)))),
              StopCheck.NEVER);
    } catch (TooManySamples | QueryFailure e) {
      throw new AssertionError(e);
    }
    if (!answer.covered().contains(host)) {
      return Optional.empty();
    }
    Set<Long> times = new HashSet<>();
    ((SamplesQuestion.Answer) answer.result())
        .series()
        .getFirst()
        .forEach(series -> LongStream.of(series.times()).forEach(times::add));
    return Optional.of(times);
  }

  /** One run of the process. */
  final class Life extends MemoryEnvironment implements SimulatedMember.Host {
    final int number;
    final LaneHosts hosts = new LaneHosts(this, store::lane, host -> true);
    final FragmentRunner queries =
        new FragmentRunner(
            store,
            new HostLabels(List.of("Hostname")),
            ownership,
            this::view,
            (host, since) -> wholeCopies.getOrDefault(host, -1L) == since,
            this::isRecovered,
            tenants -> Map.of());
    final ClusterAccess access;
    final AdmissionControl admission;
    final SimulatedMember member =
        new SimulatedMember(simulation, cluster, this, Optional.of(replication), keptTable);
    boolean leaving;
    private final Queue<Entry> unsynced = new ArrayDeque<>();
    private long diskFreeAt;

    Life(int number) {
      super(limits);
      this.number = number;
      this.access =
          new ClusterAccess(
              id,
              replication,
              member::view,
              member::register,
              member::report,
              new SimulatedPeers(SimulatedGateway.this, this, others));
      this.admission = new AdmissionControl(access, () -> false, counts(), this::clock);
    }

    HostIntake host(String host) {
      return hosts.host(host);
    }

    void recover() {
      for (Entry entry : List.copyOf(disk)) {
        if (entry.written) {
          try {
            host(entry.host).replay(entry.record);
          } catch (WireException e) {
            throw new AssertionError("gateway " + id + " cannot read its own journal", e);
          }
          entry.synced |= !unsynced.contains(entry);
        }
      }
      isRecovered = true;
      hosts.recovered();
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public Optional<URI> address() {
      return Optional.of(SimulatedGateway.this.address());
    }

    @Override
    public boolean isRunning() {
      return this == life;
    }

    @Override
    public boolean isAwake() {
      return isRunning() && SimulatedGateway.this.isAwake();
    }

    @Override
    public void keep(OwnershipTable table) {
      keptTable = table;
    }

    @Override
    public void publish(ClusterView next) {
      ledger.learned(id, next.table());
      hosts.timePassed();
    }

    ClusterView view() {
      return member.view();
    }

    @Override
    public ClusterAccess cluster() {
      return access;
    }

    @Override
    public void onLane(Runnable work) {
      at(simulation.now(), () -> serve(work));
    }

    /** One segment for each life: what a later life reads begins with its dictionaries. */
    @Override
    public long segment() {
      return number;
    }

    @Override
    protected void write(String host, byte[] record, boolean forced, Consumer<Boolean> done) {
      Entry entry = new Entry(host, record);
      disk.add(entry);
      unsynced.add(entry);
      long writtenAt =
          Math.max(diskFreeAt, simulation.now())
              + 1
              + simulation.random.nextLong(diskMillis)
              + record.length / diskBytesPerMilli;
      // As in the journal, what comes after a forced record is written when that is on the disk.
      diskFreeAt = forced ? writtenAt + 1 + simulation.random.nextLong(2 * diskMillis) : writtenAt;
      at(
          writtenAt,
          () -> {
            entry.written = true;
            ledger.journaled(id, host, entry.times, false);
            if (!forced) {
              done.accept(true);
            }
          });
      at(
          forced ? diskFreeAt : writtenAt + SYNC_MILLIS,
          () -> {
            sync();
            if (forced) {
              done.accept(true);
            }
          });
    }

    /** All that was written before is on the disk. */
    private void sync() {
      while (!unsynced.isEmpty() && unsynced.element().written) {
        Entry entry = unsynced.remove();
        entry.synced = true;
        ledger.journaled(id, entry.host, entry.times, true);
      }
    }

    /** Does something if this life has not ended by then. */
    private void at(long time, Runnable work) {
      simulation.after(
          time - simulation.now(),
          () -> {
            if (this == life) {
              work.run();
            }
          });
    }

    @Override
    public long clock() {
      return Simulation.EPOCH + simulation.now() + drift;
    }

    @Override
    public long steadyMillis() {
      return simulation.now();
    }
  }
}
