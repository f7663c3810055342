package io.fleetgauge.probe.nccl;

import io.fleetgauge.probe.config.NcclSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.host.reading.Libc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the RAS ports of the jobs of this node, again and again. A job in a network
 * namespace of its own is read by a thread that enters it and ends after that.
 */
final class RasThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RasThread.class);

  /** Longer than the answer of 4,096 GPUs with four communicators each. */
  static final long MOST_BYTES = 16 << 20;

  /** Most time of a reading of one namespace, as a multiple of the time of an answer. */
  private static final int ANSWERS_PER_ROUND = 3;

  /** Most time of a reading of all namespaces, as a multiple of the time of an answer. */
  private static final int ANSWERS_PER_READING = 6;

  private static final int MOST_NAMESPACES = 64;

  /**
   * Each question is for all processes of a job, and each of its nodes has a probe that asks: a job
   * is asked at most 20 times a second.
   */
  private static final Duration PAUSE_PER_QUESTION = Duration.ofMillis(50);

  /** Whatever a job says of its size: other jobs of the node are read too. */
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /** How many readings that missed a job do not end its series. */
  private static final int MOST_AGE = 2;

  /** Between a reading and the next one after a process was told to be dead. */
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(2);

  private final NcclSettings settings;
  private final Path proc;
  private final Supplier<Optional<List<GpuProcesses>>> gpus;
  private final IntFunction<String> owner;
  private final RasClient client;
  private final RasMonitor monitor;
  private final List<InetSocketAddress> servers;
  private final Set<Integer> ports;
  private final Map<String, Long> errors = new TreeMap<>();
  private final Map<String, Long> events = new TreeMap<>();
  private final Thread thread;
  private volatile boolean isClosed;
  private volatile boolean isDenied;
  private volatile RasReadings newest;
  private volatile RasReadings.Counts counts = RasReadings.Counts.NONE;
  private String said = "";

  /** By all nodes of the largest job, if each has asked as often as this one. */
  private volatile int questions;

  private boolean hasMonitor;

  /** The series of the last reading, by GPU and communicator. */
  private Map<String, Kept> kept = Map.of();

  /**
   * @param age how many readings since have missed it
   */
  private record Kept(RasSeries series, int age) {
    String key() {
      return series.gpu() + " " + series.communicator();
    }
  }

  /** Processes in whose namespaces nobody answered last time: they come last. */
  private final Set<Integer> silent = new HashSet<>();

  /**
   * @param gpus the processes of each GPU; empty while the driver does not answer
   * @param owner what the owner of a process has in common, by the process
   */
  RasThread(
      NcclSettings settings,
      Path proc,
      Supplier<Optional<List<GpuProcesses>>> gpus,
      IntFunction<String> owner) {
    this.settings = settings;
    this.proc = proc;
    this.gpus = gpus;
    this.owner = owner;
    this.client = new RasClient(MOST_BYTES, settings.timeout());
    this.monitor = new RasMonitor(client);
    this.servers = settings.servers();
    this.ports = servers.stream().map(InetSocketAddress::getPort).collect(Collectors.toSet());
    this.thread = Thread.ofPlatform().daemon().name("nccl-ras").unstarted(this::run);
  }

  RasThread start() {
    thread.start();
    return this;
  }

  /** The newest readings that are not out of date. For any thread. */
  Optional<RasReadings> newest() {
    RasReadings now = newest;
    long longest = 2 * pause().toNanos() + 2L * ANSWERS_PER_READING * settings.timeout().toNanos();
    return Optional.ofNullable(now).filter(each -> System.nanoTime() - each.at() <= longest);
  }

  /** For any thread. */
  RasReadings.Counts counts() {
    return counts;
  }

  private void run() {
    while (!isClosed) {
      try {
        read();
      } catch (RuntimeException e) {
        LOG.error("reading the RAS ports of NCCL failed", e);
      }
      await(System.nanoTime() + pause().toNanos());
    }
  }

  private Duration pause() {
    Duration byNodes = PAUSE_PER_QUESTION.multipliedBy(questions);
    Duration wanted = byNodes.compareTo(LONGEST_PAUSE) < 0 ? byNodes : LONGEST_PAUSE;
    return wanted.compareTo(settings.every()) > 0 ? wanted : settings.every();
  }

  private void await(long until) {
    long earliest = System.nanoTime() + SHORTEST_PAUSE.toNanos();
    while (!isClosed && hasMonitor && System.nanoTime() - until < 0) {
      try {
        if (monitor.await(servers.getFirst(), until, this::event)) {
          sleep(earliest);
          return;
        }
      } catch (IOException e) {
        break;
      }
    }
    sleep(until);
  }

  private void sleep(long until) {
    try {
      TimeUnit.NANOSECONDS.sleep(until - System.nanoTime());
    } catch (InterruptedException e) {
      isClosed = true;
    }
  }

  /** Reads once. */
  void read() {
    List<GpuProcesses> now = gpus.get().orElse(List.of());
    Map<String, Kept> series = new LinkedHashMap<>();
    int unseen = 0;
    int answers = 0;
    int listeners = 0;
    int most = 0;
    boolean canMonitor = false;
    List<Holders> all = new ArrayList<>(Holders.of(now, proc, owner));
    all.sort(Comparator.comparing(holders -> silent.contains(holders.pid())));
    silent.clear();
    long deadline = System.nanoTime() + ANSWERS_PER_READING * settings.timeout().toNanos();
    for (Holders holders : all.subList(0, Math.min(all.size(), MOST_NAMESPACES))) {
      int listening = Listeners.count(net(holders), ports);
      listeners += listening;
      if (listening == 0) {
        continue;
      }
      RasRound round = round(holders, listening, deadline);
      if (round.answers() == 0) {
        silent.add(holders.pid());
      }
      add(round, holders, series);
      unseen += round.unseen();
      answers += round.answers();
      most = Math.max(most, round.nodes() * round.answers());
      canMonitor |= holders.isOwn() && round.hasMonitor();
    }
    kept = series;
    questions = most;
    hasMonitor = canMonitor;
    newest =
        new RasReadings(
            System.nanoTime(),
            series.values().stream().map(Kept::series).toList(),
            listeners == 0 ? OptionalInt.empty() : OptionalInt.of(answers == 0 ? 0 : 1),
            unseen);
    counts = new RasReadings.Counts(errors, events);
  }

  /** Adds what a round has read, and for a while what it has missed. */
  private void add(RasRound round, Holders holders, Map<String, Kept> series) {
    for (RasSeries each : round.series(settings.communicators())) {
      Kept now = new Kept(each, 0);
      series.put(now.key(), now);
    }
    if (round.unseen() == 0) {
      return;
    }
    for (Kept old : kept.values()) {
      boolean isHeld =
          holders.gpus().values().stream().anyMatch(gpus -> gpus.contains(old.series().gpu()));
      if (isHeld && old.age() < MOST_AGE) {
        series.putIfAbsent(old.key(), new Kept(old.series(), old.age() + 1));
      }
    }
  }

  private Path net(Holders holders) {
    return proc.resolve(Integer.toString(holders.pid())).resolve("net");
  }

  private RasRound round(Holders holders, int listening, long deadline) {
    if (System.nanoTime() - deadline >= 0) {
      return without(holders, listening);
    }
    return holders.isOwn() ? asked(holders, listening) : entered(holders, listening);
  }

  /** A reading in which nobody is asked. */
  private RasRound without(Holders holders, int listening) {
    return new RasRound(holders, listening, server -> null, this::failed, System.nanoTime());
  }

  private RasRound asked(Holders holders, int listening) {
    LocalAddresses addresses = LocalAddresses.of(net(holders));
    RasRound round =
        new RasRound(
            holders,
            listening,
            server -> client.status(server, addresses::has),
            this::failed,
            System.nanoTime() + ANSWERS_PER_ROUND * settings.timeout().toNanos());
    round.run(servers);
    return round;
  }

  /** A reading from within the namespace of others; without an answer when it must not be. */
  private RasRound entered(Holders holders, int listening) {
    RasRound without = without(holders, listening);
    if (!settings.namespaces() || isDenied) {
      return without;
    }
    RasRound[] result = {without};
    Thread inside =
        Thread.ofPlatform()
            .daemon()
            .name("nccl-ras-inside")
            .start(
                () -> {
                  Path namespace = proc.resolve(Integer.toString(holders.pid())).resolve("ns/net");
                  int error = Libc.enterNetwork(namespace.toString());
                  if (error == 0) {
                    result[0] = asked(holders, listening);
                  } else {
                    denied(namespace, error);
                  }
                });
    try {
      inside.join();
    } catch (InterruptedException e) {
      isClosed = true;
    }
    return inside.isAlive() ? without : result[0];
  }

  private void denied(Path namespace, int error) {
    String why = Libc.message(error);
    failed(new RasFailure(RasFailure.Reason.DENIED, why));
    if (error == Libc.PERMISSION || error == Libc.ACCESS) {
      isDenied = true; // otherwise its process has just ended
      LOG.info(
          "{} cannot be entered ({}); jobs with a network of their own are counted in"
              + " gpu_nccl_ras_jobs_unseen",
          namespace,
          why);
    }
  }

  private void failed(RasFailure failure) {
    errors.merge(failure.reason().label(), 1L, Long::sum);
    if (!said.equals(failure.getMessage()) && failure.reason() != RasFailure.Reason.DENIED) {
      said = failure.getMessage();
      LOG.info("a RAS port of NCCL did not answer: {}", said);
    }
  }

  private void event(String name) {
    events.merge(name, 1L, Long::sum);
    counts = new RasReadings.Counts(errors, events);
  }

  @Override
  public void close() {
    isClosed = true;
    monitor.close();
    thread.interrupt();
  }
}
