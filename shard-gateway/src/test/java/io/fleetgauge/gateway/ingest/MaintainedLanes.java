package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.ManualPeers;
import io.fleetgauge.gateway.packing.FramePacking;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two lane threads of gateway g1 with their journal, their store and what maintains them. */
abstract class MaintainedLanes {
  static final long MINUTE = 60_000;
  static final long BLOCK = HostWriter.BLOCK_MILLIS;
  static final Duration RETENTION = HostWriter.MEMORY.multipliedBy(6);
  static final long STEP = 15_000;
  static final RollupKey POWER = new RollupKey("power", RollupShape.Kind.LATEST, 0);
  static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, "power"),
                  List.of("Hostname"),
                  true,
                  List.of())));

  @TempDir Path folder;
  final ManualPeers peers = new ManualPeers();
  final Map<String, FrameEncoder> runs = new HashMap<>();
  volatile ClusterView view = ClusterView.EMPTY;
  volatile long now;

  /** For the next store that is opened. */
  long maxBlockBytes = 1L << 30;

  Journal journal;
  Store store;
  LaneThreads threads;
  Maintenance maintenance;

  @BeforeEach
  void start() throws Exception {
    journal =
        Journal.open(
            new Journal.Settings(
                folder.resolve("journal"),
                Journal.Sync.NEVER,
                Duration.ofHours(1),
                1 << 20,
                1_000,
                1L << 30,
                1L << 20),
            new FramePacking());
    store =
        new Store(
            folder.resolve("blocks"),
            new StoreLimits(
                retention(),
                maxBlockBytes,
                HostWriter.MEMORY,
                HostWriter.MEMORY.dividedBy(2),
                HostWriter.MEMORY,
                100,
                100,
                100),
            Dimensions.DEFAULT,
            RULES,
            usageRetention());
    threads =
        new LaneThreads(
            store,
            journal,
            new ClusterAccess(
                "g1", 1, () -> view, (host, admission) -> {}, (host, report) -> {}, peers),
            () -> now,
            () -> now,
            2);
    maintenance = new Maintenance(threads);
  }

  Duration retention() {
    return RETENTION;
  }

  Duration usageRetention() {
    return Duration.ZERO;
  }

  @AfterEach
  void close() throws Exception {
    threads.all().forEach(LaneThread::shutdown);
    maintenance.shutdown();
    for (LaneThread thread : threads.all()) {
      thread.awaitEnd(5);
    }
    maintenance.awaitEnd(5);
    journal.close();
  }

  void recover() throws Exception {
    new Recovery(threads).run(JournalTail.none());
  }

  void restart() throws Exception {
    close();
    runs.clear();
    start();
    recover();
  }

  void maintain() throws Exception {
    maintenance.run().get(120, TimeUnit.SECONDS);
  }

  void removeStray(String host) throws Exception {
    LaneThread lane = threads.of(host);
    lane.call(
            hosts -> {
              maintenance.remove(lane, host);
              return true;
            })
        .get(120, TimeUnit.SECONDS);
  }

  String hostOfOtherThread(String host) {
    LaneThread other =
        threads.all().stream().filter(thread -> thread != threads.of(host)).findFirst().get();
    return hostsOfThread(other, 1).getFirst();
  }

  List<String> hostsOfThread(LaneThread thread, int count) {
    List<String> hosts = new ArrayList<>();
    for (int i = 1; hosts.size() < count; i++) {
      if (threads.of("n" + i) == thread) {
        hosts.add("n" + i);
      }
    }
    return hosts;
  }

  static CountDownLatch hold(LaneThread lane) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    lane.run(
        () -> {
          started.countDown();
          try {
            busy.await(120, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    started.await();
    return busy;
  }

  /** Takes a tick a minute, and lets the clock go with them. */
  List<Long> take(String host, long from, long to) throws Exception {
    List<Long> times = new ArrayList<>();
    CompletableFuture<IntakeAnswer> last = null;
    for (long time = from; time < to; time += MINUTE) {
      now = time;
      last = send(host, body(host, time));
      times.add(time);
    }
    assertThat(last.get(120, TimeUnit.SECONDS)).isInstanceOf(IntakeAnswer.Kept.class);
    return times;
  }

  byte[] body(String host, long time) {
    Labels power = Labels.of(Labels.NAME, "power", "Hostname", host);
    return runs.computeIfAbsent(host, name -> new FrameEncoder(name, 7))
        .encode(new Tick.Builder().add(power, time).at(time));
  }

  CompletableFuture<IntakeAnswer> send(String host, byte[] body) {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    LaneThread lane = threads.of(host);
    lane.run(() -> lane.hosts().host(host).take(body, 0, answer::complete));
    return answer;
  }

  List<Long> times(String host) throws Exception {
    Selection all = new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE);
    List<Series> found =
        store.select(List.of(host), all, 1_000_000, incomplete -> {}, StopCheck.NEVER);
    return found.isEmpty() ? List.of() : Arrays.stream(found.getFirst().times()).boxed().toList();
  }
}
