package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.IngestCounts;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntakeTest {
  private static final URI G2 = URI.create("http://g2:9500");
  private static final ClusterView VIEW =
      new ClusterView(
          OwnershipTable.ofOwners(3, Map.of("n1", "g1", "n2", "g2")),
          Map.of("g1", URI.create("http://g1:9500"), "g2", G2),
          false);
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir private Path folder;
  private volatile ClusterView view = VIEW;
  private long now;
  private long memoryUsed;
  private final List<String> registered = new ArrayList<>();
  private Journal journal;
  private Store store;
  private Intake intake;
  private Duration retention = HOUR;
  private long maxBlockBytes = 1 << 30;

  @BeforeEach
  void start() throws Exception {
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    store =
        new Store(
            folder.resolve("blocks"),
            new StoreLimits(
                retention,
                maxBlockBytes,
                HOUR,
                HOUR.dividedBy(2),
                HOUR.dividedBy(6),
                10,
                100,
                1_000),
            Dimensions.DEFAULT);
    MemoryWatermark memory = new MemoryWatermark(() -> memoryUsed, 100);
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                "g1",
                1,
                () -> view,
                (host, admission) -> registered.add(host),
                (host, report) -> {},
                null),
            memory,
            () -> now,
            2,
            3);
    this.memory = memory;
    intake.recover();
  }

  private MemoryWatermark memory;

  @AfterEach
  void close() {
    intake.close();
    journal.close();
  }

  private void restart() throws Exception {
    close();
    start();
  }

  @Test
  void framesOfAnOwnHostAreKeptAndAcknowledgedTogether() {
    FrameEncoder run = new FrameEncoder("n1", 0xabc);
    byte[] body = join(frame(run, 1), frame(run, 2), frame(run, 3));
    assertThat(take("n1", body)).isEqualTo(new IntakeAnswer.Kept(0xabc, 3));
    assertThat(store.counts().stored.sum()).isEqualTo(3);
  }

  @Test
  void everyCountIsShownByAMetricOfItsOwn() {
    take("n1", frame(new FrameEncoder("n1", 7), 1));
    IngestCounts counts = intake.counts();
    List<LongAdder> adders =
        List.of(
            counts.framesKept,
            counts.framesRefused,
            counts.dictionariesWanted,
            counts.moved,
            counts.queueFull,
            counts.unsettled,
            counts.memoryShort,
            counts.diskTrouble,
            counts.framesCopied,
            counts.keptAlone,
            counts.gapsFound,
            counts.comparedEqual,
            counts.comparedAndFilled,
            counts.compareFailed,
            counts.pagesMerged,
            counts.straysRemoved,
            counts.ticksReplayed,
            counts.recordsLost,
            counts.replicaSlow,
            counts.copiesRepeated);
    for (int i = 0; i < adders.size(); i++) {
      adders.get(i).reset();
      adders.get(i).add(100 + i);
    }
    memoryUsed = 25;
    memory.look();
    journal.close(); // nothing is forced to the disk between two looks at the counts
    Meters meters = new Meters("g");
    IngestMeters.declare(meters, intake, journal, memory);
    assertThat(new String(meters.exposition(), StandardCharsets.UTF_8).lines())
        .contains(
            "g_frames_total{outcome=\"kept\"} 100.0",
            "g_frames_total{outcome=\"refused\"} 101.0",
            "g_frames_total{outcome=\"dictionary_wanted\"} 102.0",
            "g_frames_total{outcome=\"moved\"} 103.0",
            "g_slow_downs_total{reason=\"queue\"} 104.0",
            "g_slow_downs_total{reason=\"table\"} 105.0",
            "g_slow_downs_total{reason=\"memory\"} 106.0",
            "g_slow_downs_total{reason=\"disk\"} 107.0",
            "g_copied_frames_total 108.0",
            "g_kept_alone_total 109.0",
            "g_gaps_found_total 110.0",
            "g_comparisons_total{outcome=\"equal\"} 111.0",
            "g_comparisons_total{outcome=\"filled\"} 112.0",
            "g_comparisons_total{outcome=\"failed\"} 113.0",
            "g_pages_merged_total 114.0",
            "g_strays_removed_total 115.0",
            "g_journal_replayed_ticks_total 116.0",
            "g_journal_lost_records_total 117.0",
            "g_slow_downs_total{reason=\"replica\"} 118.0",
            "g_copies_repeated_total 119.0",
            "g_replicas_lost_total{reason=\"silent\"} 0.0",
            "g_memory_ratio 0.25",
            "g_recovered 1.0",
            "g_journal_records_total 1.0",
            "g_journal_bytes_total " + (double) journal.counts().bytes(),
            "g_journal_size_bytes " + (double) journal.bytes(),
            "g_journal_segments 1.0",
            "g_journal_syncs_total " + (double) journal.counts().syncs(),
            "g_journal_failures_total 0.0",
            "g_journal_torn_bytes_total 0.0",
            "g_journal_damaged_bytes_total 0.0",
            "g_copies_equal_timestamp_seconds 0.0",
            "g_disk_trouble 0.0");
    assertThat(journal.counts().bytes()).isPositive();
    assertThat(journal.bytes()).isGreaterThan(journal.counts().bytes());
  }

  @Test
  void aFrameThatComesTwiceChangesNothingAndIsAcknowledgedAgain() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    byte[] first = frame(run, 1);
    byte[] second = frame(run, 2);
    take("n1", join(first, second));
    assertThat(take("n1", first)).isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(take("n1", join(first, second))).isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(store.counts().stored.sum()).isEqualTo(2);
    assertThat(store.counts().repeated.sum()).isEqualTo(3);
  }

  @Test
  void aRunWhoseBeginningIsUnknownIsAskedForItsDictionary() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    frame(run, 1);
    byte[] second = frame(run, 2);
    assertThat(take("n1", second)).isEqualTo(new IntakeAnswer.NeedsDictionary(7));
    assertThat(take("n1", join(run.dictionary(), second))).isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(store.counts().stored.sum()).isEqualTo(1);
  }

  @Test
  void aNewRunOfAHostGoesOnWithItsSeries() {
    take("n1", frame(new FrameEncoder("n1", 1), 1));
    assertThat(take("n1", frame(new FrameEncoder("n1", 2), 2)))
        .isEqualTo(new IntakeAnswer.Kept(2, 1));
    assertThat(store.seriesCount()).isEqualTo(1);
    assertThat(store.counts().stored.sum()).isEqualTo(2);
  }

  @Test
  void aHostOfAnotherGatewayIsSentThere() {
    assertThat(take("n2", frame(new FrameEncoder("n2", 1), 1)))
        .isEqualTo(new IntakeAnswer.Moved(G2, 3));
    assertThat(store.hostCount()).isZero();
  }

  @Test
  void aHostThatNobodyKnowsIsMadeKnownAndHasToWait() {
    assertThat(take("n3", frame(new FrameEncoder("n3", 1), 1)))
        .isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(registered).containsExactly("n3");
  }

  @Test
  void aSenderWithANewerTableHasToWaitUntilItIsHereToo() {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take("n1", frame(new FrameEncoder("n1", 1), 1), 4, answer::complete);
    assertThat(answer.join()).isInstanceOf(IntakeAnswer.SlowDown.class);
  }

  @Test
  void badBytesAreRefusedWithAReasonAndWhatStoodBeforeThemIsKept() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    byte[] good = frame(run, 1);
    byte[] damaged = frame(run, 2);
    damaged[damaged.length - 1] ^= 1;
    assertThat(take("n1", join(good, damaged)))
        .isInstanceOfSatisfying(
            IntakeAnswer.Refused.class,
            refused -> assertThat(refused.reason()).contains("damaged"));
    assertThat(store.counts().stored.sum()).isEqualTo(1);
    assertThat(take("n1", frame(new FrameEncoder("n9", 7), 1)))
        .isInstanceOfSatisfying(
            IntakeAnswer.Refused.class,
            refused -> assertThat(refused.reason()).contains("n9").contains("n1"));
    assertThat(take("n1", new byte[0])).isInstanceOf(IntakeAnswer.Refused.class);
    assertThat(intake.counts().framesRefused.sum()).isEqualTo(2);
  }

  @Test
  void aFullQueueSaysSlowDownAndLosesNothing() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    FrameEncoder run = new FrameEncoder("n1", 7);
    byte[] bad = {1, 2, 3};
    // A refusal is given on the lane thread, so it can be kept busy there.
    intake.take(
        "n1",
        bad,
        0,
        answer -> {
          started.countDown();
          await(busy);
        });
    started.await();
    List<CompletableFuture<IntakeAnswer>> answers = new ArrayList<>();
    for (int i = 2; i <= 5; i++) {
      CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
      answers.add(answer);
      intake.take("n1", frame(run, i), 0, answer::complete);
    }
    assertThat(answers.getLast().join()).isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(intake.counts().queueFull.sum()).isEqualTo(1);
    busy.countDown();
    assertThat(answers.get(2).join()).isEqualTo(new IntakeAnswer.Kept(7, 3));
    assertThat(store.counts().stored.sum()).isEqualTo(3);
  }

  @Test
  void whatIsRefusedForGoodIsSaidWithTheFirstReason() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    take("n1", frame(run, 1_000));
    byte[] other = run.encode(new Tick.Builder().add(labels(1), 5).add(labels(2), 5).at(1_000));
    assertThat(take("n1", other))
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class,
            kept -> {
              assertThat(kept.refused()).isEqualTo(1);
              assertThat(kept.newSeries()).isZero();
              assertThat(kept.reason())
                  .contains("duplicate sample for timestamp 1000")
                  .contains("i=\"1\"");
            });
    Tick.Builder many = new Tick.Builder();
    for (int i = 0; i < 20; i++) {
      many.add(labels(i), 5);
    }
    assertThat(take("n1", run.encode(many.at(2_000))))
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class,
            kept -> {
              assertThat(kept.refused()).isEqualTo(10);
              assertThat(kept.newSeries()).isEqualTo(10);
              assertThat(kept.reason())
                  .contains("the host n1 has the 10 series that store.maxSeriesPerHost allows");
            });
    assertThat(store.seriesCount()).isEqualTo(10);
  }

  @Test
  void aBodyThatIsOnlyCheckedChangesNothing() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    take("n1", frame(run, 1_000));
    byte[] body = run.encode(new Tick.Builder().add(labels(1), 5).add(labels(2), 5).at(1_000));
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.check("n1", Sender.UNLIMITED, body, 0, answer::complete);
    assertThat(answer.join())
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class, kept -> assertThat(kept.refused()).isEqualTo(1));
    assertThat(store.seriesCount()).isEqualTo(1);
  }

  @Test
  void aStartBringsBackWhatWasKeptAndSendersGoOnWithTheirRuns() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 7);
    for (int i = 1; i <= 100; i++) {
      take("n1", frame(run, i * 1_000));
    }
    restart();
    assertThat(intake.counts().ticksReplayed.sum()).isEqualTo(100);
    assertThat(take("n1", frame(run, 101_000))).isEqualTo(new IntakeAnswer.Kept(7, 101));
    assertThat(samples("n1")).hasSize(101);
    restart();
    assertThat(samples("n1")).hasSize(101);
  }

  @Test
  void everySegmentOfTheJournalCanBeReadWithoutTheOnesBefore() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 7);
    Labels[] many = new Labels[9];
    for (int i = 0; i < many.length; i++) {
      many[i] = labels(i).with("long", i + "x".repeat(10_000));
    }
    for (int time = 1; time <= 200; time++) {
      Tick.Builder tick = new Tick.Builder();
      for (Labels labels : many) {
        tick.add(labels, time);
      }
      // A dictionary of 100 kB again and again fills segments.
      take("n1", join(run.dictionary(), run.encode(tick.at(time * 1_000L))));
    }
    assertThat(journal.segments()).isGreaterThan(2);
    // The last body of one run and the next one of another in one body, in a segment of its own.
    FrameEncoder other = new FrameEncoder("n1", 8);
    take("n1", frame(other, 201_000));
    long full = journal.segment();
    while (journal.segment() == full) {
      take(
          "n1", join(run.dictionary(), run.encode(new Tick.Builder().add(many[0], 1).at(202_000))));
    }
    take("n1", join(frame(run, 203_000), frame(other, 204_000)));
    journal.dropBefore(journal.segment());
    restart();
    assertThat(intake.counts().recordsLost.sum()).isZero();
    assertThat(samples("n1")).endsWith(203_000L, 204_000L);
  }

  @Test
  void samplesLeaveMemoryForBlocksAndTheJournalForGood() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 7);
    List<Long> times = new ArrayList<>();
    for (long time = 0; time < 2 * HOUR.toMillis(); time += 10_000) {
      now = time;
      take("n1", frame(run, time));
      times.add(time);
      if (time % 600_000 == 0) {
        intake.maintain().join();
      }
    }
    assertThat(store.counts().blocks.written.sum()).isEqualTo(2);
    assertThat(store.blockCount()).isEqualTo(1);
    // Of the two half-hour blocks that have left memory, the first has expired after an hour.
    List<Long> left = times.stream().filter(time -> time >= 30 * 60_000).toList();
    assertThat(samples("n1")).isEqualTo(left);
    restart();
    assertThat(store.blockCount()).isEqualTo(1);
    assertThat(samples("n1")).isEqualTo(left);
    assertThat(intake.counts().recordsLost.sum()).isZero();
  }

  @Test
  void theOldestBlocksGoWhenTheyAreMoreThanTheDiskMayHave() throws Exception {
    retention = HOUR.multipliedBy(1_000);
    maxBlockBytes = 1_200;
    restart();
    FrameEncoder run = new FrameEncoder("n1", 7);
    for (long time = 0; time < 8 * HOUR.toMillis(); time += 60_000) {
      now = time;
      take("n1", frame(run, time));
      if (time % 1_800_000 == 0) {
        intake.maintain().join();
      }
    }
    intake.maintain().join();
    assertThat(store.counts().blocks.written.sum()).isGreaterThan(10);
    assertThat(store.blockBytes()).isBetween(1L, 1_200L);
    List<Long> left = samples("n1");
    assertThat(left).endsWith(now).hasSizeLessThan(480);
    restart();
    assertThat(samples("n1")).isEqualTo(left);
  }

  @Test
  void whatComesWhileThePastIsComingBackGoesBehindIt() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 7);
    for (int i = 1; i <= 50; i++) {
      take("n1", frame(run, i * 1_000));
    }
    close();
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    intake =
        new Intake(
            store = emptyStore(),
            journal,
            new ClusterAccess(
                "g1",
                1,
                () -> VIEW,
                (host, admission) -> registered.add(host),
                (host, report) -> {},
                null),
            memory,
            () -> now,
            2,
            3);
    assertThat(take("n1", frame(run, 51_000))).isEqualTo(new IntakeAnswer.NeedsDictionary(7));
    assertThat(take("n1", join(run.dictionary(), frame(run, 52_000))))
        .isEqualTo(new IntakeAnswer.Kept(7, 52));
    assertThat(samples("n1")).isEmpty();
    intake.recover();
    List<Long> all = samples("n1");
    assertThat(all).hasSize(51).endsWith(50_000L, 52_000L);
    restart();
    assertThat(samples("n1")).isEqualTo(all);
  }

  @Test
  void shortMemoryShedsQueriesFirstAndThenSamples() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    memoryUsed = 80;
    memory.look();
    assertThat(memory.queriesAreShed()).isTrue();
    assertThat(take("n1", frame(run, 1))).isInstanceOf(IntakeAnswer.Kept.class);
    memoryUsed = 90;
    memory.look();
    assertThat(take("n1", frame(run, 2))).isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(intake.counts().memoryShort.sum()).isEqualTo(1);
    memoryUsed = 10;
    memory.look();
    assertThat(memory.queriesAreShed()).isFalse();
    assertThat(take("n1", frame(run, 3))).isInstanceOf(IntakeAnswer.Kept.class);
  }

  @Test
  void aHostThatHasLeftTheTableIsForgottenAndMayComeBack() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    take("n1", frame(run, 1_000));
    maintain();
    assertThat(store.hostCount()).isEqualTo(1);
    now += 3 * HOUR.toMillis();
    maintain();
    maintain();
    assertThat(store.seriesCount()).isZero();
    assertThat(store.hostCount()).as("the table has it here").isEqualTo(1);
    table(4, Map.of("n2", "g2"));
    maintain();
    assertThat(store.hostCount()).isZero();
    table(5, Map.of("n1", "g1"));
    assertThat(take("n1", frame(run, now))).isEqualTo(new IntakeAnswer.NeedsDictionary(7));
    take("n1", join(run.dictionary(), frame(run, now + 1)));
    assertThat(store.seriesCount()).isEqualTo(1);
  }

  @Test
  void aHostThatAnOperatorRemovesIsGoneFromMemoryDiskAndJournal() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 7);
    retention = HOUR.multipliedBy(1_000);
    restart();
    take("n1", frame(run, 1_000));
    now += 2 * HOUR.toMillis();
    take("n1", frame(run, now));
    maintain();
    assertThat(store.blockFiles("n1")).isNotEmpty();
    remove(4, "n1");
    removed();
    assertThat(store.blockCount()).isZero();
    assertThat(samples("n1")).isEmpty();
    assertThat(intake.counts().hostsRemoved.sum()).isEqualTo(1);
    assertThat(take("n1", join(run.dictionary(), frame(run, now + 1))))
        .isInstanceOf(IntakeAnswer.SlowDown.class);
    restart();
    assertThat(samples("n1")).as("the journal says that it was removed").isEmpty();
    assertThat(store.hostsOnDisk().stream().filter(host -> !store.blockFiles(host).isEmpty()))
        .isEmpty();
    table(5, Map.of("n1", "g1"));
    take("n1", join(run.dictionary(), frame(run, now + 2)));
    restart();
    assertThat(samples("n1")).as("what came later is kept").containsExactly(now + 2);
  }

  private void table(long epoch, Map<String, String> owners) {
    view = new ClusterView(OwnershipTable.ofOwners(epoch, owners), VIEW.gateways(), false);
  }

  private void remove(long epoch, String host) {
    Holders.Admission admission = Holders.Admission.UNKNOWN;
    Holders removed =
        new Holders(
            "g1", epoch, Set.of(), List.of(), Optional.empty(), Holders.Stay.REMOVED, admission);
    OwnershipTable table =
        new OwnershipTable(1, epoch, List.of("g1"), new TreeMap<>(Map.of(host, removed)));
    view = new ClusterView(table, VIEW.gateways(), false);
  }

  private void maintain() {
    intake.lookAtAll();
    intake.maintain().join();
  }

  /**
   * Waits until the record is written that a host was removed, which is when its blocks are gone.
   */
  private void removed() {
    long before = journal.counts().records();
    intake.lookAtAll();
    Awaitility.await().until(() -> journal.counts().records() > before);
  }

  private Store emptyStore() {
    return new Store(folder.resolve("blocks"), store.limits(), Dimensions.DEFAULT);
  }

  /** Times of what is kept of a host's first series. */
  private List<Long> samples(String host) throws Exception {
    Selection all = new Selection(Parser.parseSelector("m"), -1, Long.MAX_VALUE);
    List<Series> found =
        store.select(List.of(host), all, 1_000_000, incomplete -> {}, StopCheck.NEVER);
    return found.isEmpty() ? List.of() : Arrays.stream(found.getFirst().times()).boxed().toList();
  }

  private static Labels labels(int i) {
    return Labels.of(Labels.NAME, "m", "i", "" + i);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private IntakeAnswer take(String host, byte[] body) {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take(host, body, 0, answer::complete);
    return answer.join();
  }

  private static byte[] frame(FrameEncoder run, long time) {
    return run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m", "i", "1"), time).at(time));
  }

  private static byte[] join(byte[]... frames) {
    WireWriter body = new WireWriter();
    for (byte[] frame : frames) {
      body.raw(frame, 0, frame.length);
    }
    return body.toBytes();
  }
}
