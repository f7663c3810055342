package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.ManualPeers;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of samples after they were taken in; of gateway g1 with two lane threads. */
class MaintenanceTest {
  private static final long MINUTE = 60_000;
  private static final long BLOCK = HostWriter.BLOCK_MILLIS;
  private static final Duration RETENTION = HostWriter.MEMORY.multipliedBy(6);
  private static final long STEP = 15_000;
  private static final RollupKey POWER = new RollupKey("power", RollupKey.Kind.LATEST, 0);
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, "power"),
                  List.of("Hostname"),
                  true,
                  List.of())));

  @TempDir private Path folder;
  private final ManualPeers peers = new ManualPeers();
  private final Map<String, FrameEncoder> runs = new HashMap<>();
  private volatile ClusterView view = ClusterView.EMPTY;
  private volatile long now;
  private Journal journal;
  private Store store;
  private LaneThreads threads;
  private Maintenance maintenance;

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
                1L << 20));
    store =
        new Store(
            folder.resolve("blocks"),
            new StoreLimits(
                RETENTION,
                1L << 30,
                HostWriter.MEMORY,
                HostWriter.MEMORY.dividedBy(2),
                HostWriter.MEMORY,
                100,
                100,
                100),
            Dimensions.DEFAULT,
            RULES);
    threads =
        new LaneThreads(
            store,
            journal,
            new ClusterAccess("g1", 1, () -> view, host -> {}, (host, report) -> {}, peers),
            () -> now,
            2);
    maintenance = new Maintenance(threads);
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

  private void recover() throws Exception {
    new Recovery(threads).run();
  }

  private void restart() throws Exception {
    close();
    runs.clear();
    start();
    recover();
  }

  // --- blocks and the journal ---

  @Test
  void nothingIsMovedBeforeThePastHasBeenRead() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    close();
    start();
    maintain();
    assertThat(folder.resolve("blocks")).doesNotExist();
    recover();
    maintain();
    assertThat(store.blockCount()).isEqualTo(3);
  }

  @Test
  void aHostThatWasAwayForLongIsSealedBlockByBlockInOneGo() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 6 * BLOCK + MINUTE);
    maintain();
    assertThat(store.counts().blocks.written.sum()).isEqualTo(5);
    assertThat(store.payloadBytes()).as("what is left in memory is measured").isPositive();
    assertThat(times("n1")).isEqualTo(taken);
    restart();
    assertThat(times("n1")).isEqualTo(taken);
  }

  @Test
  void aSegmentIsDeletedWhenTheSamplesOfAllItsHostsAreInBlocks() throws Exception {
    recover();
    String stopped = hostOfOtherThread("n1");
    List<Long> all = new ArrayList<>();
    byte[] only = body(stopped, 0);
    for (long time = 0; time < 5 * BLOCK; time += MINUTE) {
      all.addAll(take("n1", time, time + MINUTE));
      // It comes again and again, so this host's time does not go on.
      send(stopped, only).get(20, TimeUnit.SECONDS);
    }
    int segments = journal.segments();
    assertThat(segments).isGreaterThan(10);
    maintain();
    assertThat(store.blockFiles("n1")).hasSize(3);
    assertThat(store.blockFiles(stopped)).isEmpty();
    assertThat(journal.segments()).as("the other host needs them").isEqualTo(segments);
    now += 3 * BLOCK;
    maintain();
    assertThat(store.blockFiles(stopped)).hasSize(1);
    assertThat(journal.segments()).isLessThanOrEqualTo(2);
    restart();
    assertThat(times("n1")).isEqualTo(all);
    assertThat(times(stopped)).containsExactly(0L);
    assertThat(threads.counts.recordsLost.sum()).isZero();
  }

  @Test
  void whileBlocksCannotBeWrittenTheJournalKeepsTheirSamples() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 4 * BLOCK + MINUTE);
    assertThat(maintenance.blockTrouble()).isEmpty();
    Files.writeString(folder.resolve("blocks"), "a file where the folder should be");
    int segments = journal.segments();
    maintain();
    assertThat(maintenance.blockTrouble()).startsWith("blocks cannot be written: ");
    assertThat(store.counts().blocks.failures.sum()).isEqualTo(1);
    assertThat(journal.segments()).isEqualTo(segments);
    assertThat(times("n1")).isEqualTo(taken);
    maintain();
    assertThat(store.counts().blocks.failures.sum()).as("it is tried again").isEqualTo(2);
    Files.delete(folder.resolve("blocks"));
    restart();
    assertThat(times("n1")).isEqualTo(taken);
    maintain();
    assertThat(store.blockCount()).isEqualTo(3);
    assertThat(journal.segments()).isLessThan(segments);
  }

  @Test
  void troubleWithBlocksEndsWhenOneCanBeWritten() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    Files.writeString(folder.resolve("blocks"), "a file where the folder should be");
    maintain();
    assertThat(maintenance.blockTrouble()).isNotEmpty();
    Files.delete(folder.resolve("blocks"));
    maintain();
    assertThat(maintenance.blockTrouble()).isEmpty();
    assertThat(store.blockCount()).isEqualTo(3);
  }

  @Test
  void aBlockOfAHostIsNotBegunWhileAnotherIsWritten() throws Exception {
    recover();
    take("n1", 0, 3 * BLOCK + MINUTE);
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    CompletableFuture<Void> first = maintenance.run();
    CompletableFuture<Void> second = maintenance.run();
    busy.countDown();
    first.get(20, TimeUnit.SECONDS);
    second.get(20, TimeUnit.SECONDS);
    assertThat(store.counts().blocks.written.sum()).isEqualTo(2);
    assertThat(store.blockCount()).isEqualTo(2);
  }

  @Test
  void expiredBlocksAreRemovedFromTheDisk() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    maintain();
    List<Path> files = store.blockFiles("n1");
    assertThat(files).hasSize(3);
    now = RETENTION.toMillis() + 2 * BLOCK;
    List<Long> newer = take("n1", now, now + MINUTE);
    now += MINUTE;
    maintain();
    endMaintenance();
    assertThat(files.subList(0, 2)).noneMatch(Files::exists);
    assertThat(times("n1")).contains(newer.getFirst()).doesNotContain(0L, BLOCK);
  }

  @Test
  void samplesThatExpiredInMemoryAreNotWritten() throws Exception {
    recover();
    take("n1", 0, 2 * BLOCK);
    now = 2 * RETENTION.toMillis();
    maintain();
    maintain();
    assertThat(store.counts().blocks.written.sum()).isZero();
    assertThat(store.hosts()).as("nothing is left of the host").doesNotContain("n1");
    assertThat(journal.segments()).isLessThanOrEqualTo(2);
  }

  @Test
  void aHostThatHasSamplesOrIsCopiedHereIsNotForgotten() throws Exception {
    recover();
    take("n1", 0, MINUTE);
    view = copies("n2");
    threads.of("n2").call(hosts -> hosts.host("n2").timePassed()).get(20, TimeUnit.SECONDS);
    threads.of("n3").call(hosts -> hosts.host("n3").now(0)).get(20, TimeUnit.SECONDS);
    maintain();
    assertThat(store.hosts()).containsExactlyInAnyOrder("n1", "n2");
    assertThat(isServed("n1")).isTrue();
    assertThat(isServed("n2")).isTrue();
    assertThat(isServed("n3")).isFalse();
  }

  // --- hosts that are kept elsewhere ---

  @Test
  void aStrayIsRemovedWithItsBlocksButNotWhileOneOfThemIsWritten() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 3 * BLOCK + MINUTE);
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    CompletableFuture<Void> sealing = maintenance.run();
    lane.run(() -> maintenance.removeStray(lane, "n1"));
    busy.countDown();
    sealing.get(20, TimeUnit.SECONDS);
    assertThat(times("n1")).isEqualTo(taken);
    assertThat(threads.counts.straysRemoved.sum()).isZero();
    List<Path> files = store.blockFiles("n1");
    assertThat(files).hasSize(2);
    removeStray("n1");
    assertThat(store.hosts()).isEmpty();
    assertThat(store.seriesCount()).isZero();
    assertThat(isServed("n1")).isFalse();
    assertThat(threads.counts.straysRemoved.sum()).isEqualTo(1);
    endMaintenance();
    assertThat(files).noneMatch(Files::exists);
  }

  @Test
  void theJournalOfAStrayIsDeletedToo() throws Exception {
    recover();
    take("n1", 0, BLOCK);
    int segments = journal.segments();
    maintain();
    assertThat(journal.segments()).as("it is needed").isEqualTo(segments);
    removeStray("n1");
    maintain();
    assertThat(journal.segments()).isEqualTo(1);
  }

  // --- copies ---

  @Test
  void allCopiesAreEqualSinceTheOneThatWasComparedLongestAgo() throws Exception {
    recover();
    maintain();
    assertThat(maintenance.copiesEqualAt()).as("no copy").isZero();
    String other = hostOfOtherThread("n1");
    view = copies("n1", other);
    now = 5_000;
    beginCopy("n1", 1);
    maintain();
    assertThat(maintenance.copiesEqualAt()).as("it was never compared").isZero();
    becomeEqual("n1");
    maintain();
    assertThat(maintenance.copiesEqualAt()).isEqualTo(5_000);
    now = 7_000;
    beginCopy(other, 1);
    becomeEqual(other);
    maintain();
    assertThat(maintenance.copiesEqualAt()).isEqualTo(5_000);
    now = 9_000;
    beginCopy("n1", 2);
    becomeEqual("n1");
    maintain();
    assertThat(maintenance.copiesEqualAt()).isEqualTo(7_000);
  }

  // --- rollups ---

  @Test
  void allRollupsOfAllHostsAreComputed() throws Exception {
    recover();
    List<String> hosts = List.of("n1", hostOfOtherThread("n1"), "n3", "n4");
    for (String host : hosts) {
      take(host, 0, 4 * BLOCK);
    }
    reduce();
    for (String host : hosts) {
      assertThat(lastStep(host)).as(host).isEqualTo(4 * BLOCK - MINUTE);
    }
    take("n3", 4 * BLOCK, 4 * BLOCK + 10 * MINUTE);
    reduce();
    assertThat(lastStep("n3")).isEqualTo(4 * BLOCK + 9 * MINUTE);
  }

  @Test
  void noRollupIsComputedOfHalfThePast() throws Exception {
    recover();
    take("n1", 0, 10 * MINUTE);
    close();
    start();
    for (LaneThread thread : threads.all()) {
      assertThat(thread.reducing).isFalse();
    }
    maintenance.reduce();
    threads.of("n1").call(hosts -> true).get(20, TimeUnit.SECONDS);
    recover();
    assertThat(store.lane("n1").rollups(POWER, 0, Long.MAX_VALUE / 2)).isEmpty();
    reduce();
    assertThat(lastStep("n1")).isEqualTo(9 * MINUTE);
  }

  @Test
  void aHostThatIsRemovedMeanwhileDoesNotHoldUpTheRollupsOfOthers() throws Exception {
    recover();
    List<String> hosts = hostsOfThread(threads.of("n1"), 3);
    for (String host : hosts) {
      take(host, 0, 10 * MINUTE);
    }
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    maintenance.reduce();
    List<String> order = new ArrayList<>();
    lane.run(() -> order.addAll(lane.hosts().names()));
    lane.run(
        () -> {
          for (String host : hosts) {
            if (!host.equals(order.getLast())) {
              maintenance.removeStray(lane, host);
            }
          }
        });
    busy.countDown();
    await().until(() -> !lane.reducing.get());
    assertThat(store.hosts()).containsExactly(order.getLast());
    assertThat(lastStep(order.getLast())).isEqualTo(9 * MINUTE);
  }

  // --- the end ---

  @Test
  void maintenanceEndsWhenTheLanesCloseWhileABlockIsWritten() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 3 * BLOCK + MINUTE);
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    CompletableFuture<Void> maintained = maintenance.run();
    threads.all().forEach(LaneThread::shutdown);
    maintenance.reduce();
    busy.countDown();
    maintained.get(20, TimeUnit.SECONDS);
    for (LaneThread thread : threads.all()) {
      assertThat(thread.reducing).isFalse();
    }
    restart();
    assertThat(times("n1")).isEqualTo(taken);
  }

  private void maintain() throws Exception {
    maintenance.run().get(20, TimeUnit.SECONDS);
  }

  /** Waits until the files that are not needed are removed; no block can be written later. */
  private void endMaintenance() throws Exception {
    maintenance.shutdown();
    maintenance.awaitEnd(20);
  }

  private void reduce() {
    maintenance.reduce();
    await().until(() -> threads.all().stream().noneMatch(thread -> thread.reducing.get()));
  }

  private long lastStep(String host) {
    long last = -1;
    for (RollupPage page : store.lane(host).rollups(POWER, 0, Long.MAX_VALUE / 2)) {
      last = Math.max(last, page.end(STEP) - STEP);
    }
    return last;
  }

  private void removeStray(String host) throws Exception {
    LaneThread lane = threads.of(host);
    lane.call(
            hosts -> {
              maintenance.removeStray(lane, host);
              return true;
            })
        .get(20, TimeUnit.SECONDS);
  }

  private boolean isServed(String host) throws Exception {
    return threads.of(host).call(hosts -> hosts.find(host).isPresent()).get(20, TimeUnit.SECONDS);
  }

  /** The owner of these hosts is g2. */
  private static ClusterView copies(String... hosts) {
    TreeMap<String, Holders> table = new TreeMap<>();
    for (String host : hosts) {
      List<Holders.Copy> copy = List.of(new Holders.Copy("g1", 3, false));
      table.put(host, new Holders("g2", 3, Set.of(), copy, Optional.empty()));
    }
    return new ClusterView(
        new OwnershipTable(1, 3, List.of("g1", "g2"), table),
        Map.of("g1", URI.create("http://g1:9500"), "g2", URI.create("http://g2:9500")),
        false);
  }

  private void beginCopy(String host, long session) throws Exception {
    CompletableFuture<Peers.CopyAnswer> answer = new CompletableFuture<>();
    threads
        .of(host)
        .run(
            () ->
                threads
                    .of(host)
                    .hosts()
                    .host(host)
                    .copied(
                        new Peers.Copy(host, 3, "g2", session, 1, 0, new byte[0]),
                        answer::complete));
    answer.get(20, TimeUnit.SECONDS);
  }

  /** What the gateway has asked the owner for comes, and is what is here. */
  private void becomeEqual(String host) throws Exception {
    await().until(() -> !peers.pulls.isEmpty());
    peers.pulls.remove().done().accept(new Peers.Pulled(true, true, Map.of()));
    for (int i = 0; i < 2; i++) {
      threads.of(host).call(hosts -> true).get(20, TimeUnit.SECONDS);
    }
  }

  private String hostOfOtherThread(String host) {
    LaneThread other =
        threads.all().stream().filter(thread -> thread != threads.of(host)).findFirst().get();
    return hostsOfThread(other, 1).getFirst();
  }

  private List<String> hostsOfThread(LaneThread thread, int count) {
    List<String> hosts = new ArrayList<>();
    for (int i = 1; hosts.size() < count; i++) {
      if (threads.of("n" + i) == thread) {
        hosts.add("n" + i);
      }
    }
    return hosts;
  }

  private static CountDownLatch hold(LaneThread lane) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    lane.run(
        () -> {
          started.countDown();
          try {
            busy.await(20, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    started.await();
    return busy;
  }

  /** Takes a tick a minute, and lets the clock go with them. */
  private List<Long> take(String host, long from, long to) throws Exception {
    List<Long> times = new ArrayList<>();
    CompletableFuture<IntakeAnswer> last = null;
    for (long time = from; time < to; time += MINUTE) {
      now = time;
      last = send(host, body(host, time));
      times.add(time);
    }
    assertThat(last.get(20, TimeUnit.SECONDS)).isInstanceOf(IntakeAnswer.Kept.class);
    return times;
  }

  private byte[] body(String host, long time) {
    Labels power = Labels.of(Labels.NAME, "power", "Hostname", host);
    return runs.computeIfAbsent(host, name -> new FrameEncoder(name, 7))
        .encode(new Tick.Builder().add(power, time).at(time));
  }

  private CompletableFuture<IntakeAnswer> send(String host, byte[] body) {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    LaneThread lane = threads.of(host);
    lane.run(() -> lane.hosts().host(host).take(body, 0, answer::complete));
    return answer;
  }

  private List<Long> times(String host) throws Exception {
    Selection all = new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE);
    List<Series> found =
        store.select(List.of(host), all, 1_000_000, incomplete -> {}, StopCheck.NEVER);
    return found.isEmpty() ? List.of() : Arrays.stream(found.getFirst().times()).boxed().toList();
  }
}
