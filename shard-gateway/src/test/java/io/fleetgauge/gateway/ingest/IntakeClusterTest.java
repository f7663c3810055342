package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.AdmissionControl;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.ManualPeers;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.Peers.CopyAnswer;
import io.fleetgauge.gateway.ingest.host.Peers.PullResult;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The intake of gateway g1 beside others: g1 owns "owned", and has a copy of "copied" of g2. */
class IntakeClusterTest {
  private static final long NOW = 10_000_000;
  private static final int MAX_QUEUED = 3;
  private static final Map<String, URI> GATEWAYS =
      Map.of("g1", URI.create("http://g1:9500"), "g2", URI.create("http://g2:9500"));

  @TempDir private Path folder;
  private final ManualPeers peers = new ManualPeers();
  private final Queue<String> reported = new ConcurrentLinkedQueue<>();
  private final AtomicInteger tablesRead = new AtomicInteger();
  private volatile ClusterView view = view(3, holders("g1"), holders("g2", "g1"));
  private volatile long steadyMillis;
  private long memoryUsed;
  private final MemoryWatermark memory = new MemoryWatermark(() -> memoryUsed, 100);
  private Journal journal;
  private Store store;
  private Intake intake;

  @BeforeEach
  void start() throws Exception {
    start(2, peers);
  }

  private void start(int replication, Peers others) throws Exception {
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    store = new Store(folder.resolve("blocks"), HostWriter.limits(100), Dimensions.DEFAULT);
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                "g1",
                replication,
                () -> {
                  tablesRead.incrementAndGet();
                  return view;
                },
                (host, admission) -> {},
                (host, report) -> reported.add(host),
                others),
            memory,
            () -> NOW,
            () -> steadyMillis,
            1,
            MAX_QUEUED);
  }

  @AfterEach
  void close() {
    intake.close();
    journal.close();
  }

  private void restart(int replication, Peers others) throws Exception {
    close();
    start(replication, others);
  }

  private static Holders holders(String owner, String... copies) {
    return new Holders(
        owner,
        3,
        Set.of(),
        List.of(copies).stream().map(each -> new Holders.Copy(each, 3, false)).toList(),
        Optional.empty());
  }

  private static ClusterView view(long epoch, Holders owned, Holders copied) {
    return new ClusterView(
        new OwnershipTable(
            1, epoch, List.of("g1", "g2"), new TreeMap<>(Map.of("owned", owned, "copied", copied))),
        GATEWAYS,
        false);
  }

  // --- copies ---

  @Test
  void aCopyIsWholeWhenAllThatTheOwnerHasWasFetched() throws Exception {
    intake.recover();
    assertThat(copied(0)).isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
    settle();
    assertThat(intake.isWholeCopy("copied", 3)).isFalse();
    ManualPeers.StartedPull pull = peers.pulls.remove();
    assertThat(pull.from()).isEqualTo(GATEWAYS.get("g2"));
    pull.done().accept(ManualPeers.EQUAL);
    settle();
    assertThat(intake.isWholeCopy("copied", 3)).isTrue();
    assertThat(intake.isWholeCopy("copied", 4)).as("of an owner that came later").isFalse();
    assertThat(intake.isWholeCopy("owned", 3)).isFalse();
    assertThat(copied(1, frame(new FrameEncoder("copied", 7), 1)))
        .isEqualTo(CopyAnswer.of(ReplicaReply.WHOLE));
    assertThat(store.lane("copied").newest()).isEqualTo(1);
  }

  @Test
  void aCopyComesAgainWhileMemoryIsShort() throws Exception {
    intake.recover();
    memoryUsed = 90;
    memory.look();
    assertThat(copied(0)).isEqualTo(CopyAnswer.of(ReplicaReply.LATER));
    memoryUsed = 10;
    memory.look();
    assertThat(copied(0)).isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
  }

  @Test
  void aCopyComesAgainWhileManyBodiesWait() throws Exception {
    intake.recover();
    CountDownLatch busy = holdLane();
    Queue<CopyAnswer> answers = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < MAX_QUEUED; i++) {
      intake.copied(copy(0, new byte[0]), answers::add);
    }
    assertThat(answers).isEmpty();
    intake.copied(copy(0, new byte[0]), answers::add);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.LATER));
    busy.countDown();
    settle();
    assertThat(answers).hasSize(MAX_QUEUED + 1);
  }

  @Test
  void aClosedIntakeTakesNothingAndSaysSoAtOnce() throws Exception {
    intake.recover();
    intake.close();
    assertThat(copied(0)).isEqualTo(CopyAnswer.of(ReplicaReply.LATER));
    CompletableFuture<Boolean> merged = new CompletableFuture<>();
    intake.offered("owned", "g2", merged::complete);
    assertThat(merged.join()).isFalse();
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take("owned", frame(new FrameEncoder("owned", 7), 1), 0, answer::complete);
    assertThat(answer.join())
        .isEqualTo(new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS));
    assertThat(intake.counts().queueFull.sum()).isEqualTo(1);
    assertThatThrownBy(() -> intake.state("owned").join())
        .hasMessageContaining("the intake is closed");
    intake.maintain().get(120, TimeUnit.SECONDS);
  }

  // --- offers, pages, blocks ---

  @Test
  void whatAnotherGatewayOffersIsFetchedAndAcceptedWhenItIsOnTheDisk() throws Exception {
    intake.recover();
    CompletableFuture<Boolean> merged = new CompletableFuture<>();
    intake.offered("owned", "g2", merged::complete);
    settle();
    assertThat(merged).isNotDone();
    peers.pulls.remove().done().accept(ManualPeers.EQUAL);
    assertThat(merged.get(120, TimeUnit.SECONDS)).isTrue();
    assertThat(journal.counts().syncs()).isPositive();
    CompletableFuture<Boolean> notOwned = new CompletableFuture<>();
    intake.offered("copied", "g2", notOwned::complete);
    assertThat(notOwned.get(120, TimeUnit.SECONDS)).isFalse();
  }

  @Test
  void aPageOfAnotherGatewayIsInMemoryAndInTheJournal() throws Exception {
    intake.recover();
    byte[] page = frame(new FrameEncoder("owned", HostPage.RUN), 5_000);
    assertThat(intake.merge("owned", page).get(120, TimeUnit.SECONDS)).isTrue();
    assertThat(store.lane("owned").newest()).isEqualTo(5_000);
    assertThat(intake.counts().pagesMerged.sum()).isEqualTo(1);
    restart(2, peers);
    intake.recover();
    assertThat(store.lane("owned").newest()).isEqualTo(5_000);
  }

  @Test
  void aPageThatCannotBeReadIsNotKept() throws Exception {
    intake.recover();
    byte[] bad = {1, 2, 3};
    assertThat(intake.merge("owned", bad).get(120, TimeUnit.SECONDS)).isFalse();
    assertThat(journal.counts().records()).isZero();
  }

  @Test
  void theStateOfAHostIsWhatIsHereOfIt() throws Exception {
    assertThat(intake.state("owned").get(120, TimeUnit.SECONDS).whole()).isFalse();
    intake.recover();
    HostIntake.State blank = intake.state("owned").get(120, TimeUnit.SECONDS);
    assertThat(blank.blank()).isTrue();
    assertThat(blank.whole()).isTrue();
    assertThat(blank.progress()).isEmpty();
    take("owned", frame(new FrameEncoder("owned", 7), 1_000));
    HostIntake.State state = intake.state("owned").get(120, TimeUnit.SECONDS);
    assertThat(state.blank()).isFalse();
    assertThat(state.progress()).containsOnlyKeys(7L);
  }

  @Test
  void blocksAreTakenInForAHostOfWhichNothingIsHere() throws Exception {
    intake.recover();
    HostWriter other = new HostWriter(folder.resolve("other"), "owned");
    for (long time = 0; time < 5 * HostWriter.BLOCK_MILLIS; time += 60_000) {
      other.send(time, other.series("m"), time);
    }
    other.sealAll(5 * HostWriter.BLOCK_MILLIS);
    List<Path> blocks = other.store().blockFiles("owned");
    assertThat(blocks).hasSize(4);
    Files.createDirectories(store.folder("owned"));
    for (Path block : blocks) {
      Files.copy(block, store.folder("owned").resolve(block.getFileName()));
    }
    assertThat(intake.install("owned").get(120, TimeUnit.SECONDS)).isTrue();
    assertThat(store.blockCount()).isEqualTo(4);
    Files.copy(blocks.getFirst(), store.folder("owned").resolve("9-10.block"));
    intake.install("owned").get(120, TimeUnit.SECONDS);
    assertThat(store.blockCount()).as("there is something here now").isEqualTo(4);
  }

  // --- what is due ---

  @Test
  void aChangedTableIsFollowedBeforeThePastHasBeenRead() throws Exception {
    intake.lookAtAll();
    settle();
    assertThat(reported).containsOnly("owned");
    view = view(4, holders("g2", "g1"), holders("g1"));
    intake.lookAtAll();
    settle();
    assertThat(reported).contains("copied");
  }

  @Test
  void withoutReplicationNothingIsDueBeforeThePastHasBeenRead() throws Exception {
    restart(1, peers);
    intake.lookAtAll();
    settle();
    assertThat(reported).isEmpty();
    intake.recover();
    intake.lookAtAll();
    settle();
    assertThat(reported).containsOnly("owned");
  }

  @Test
  void aBusyLaneIsLookedAtOnceAndLaterAgain() throws Exception {
    intake.recover();
    intake.lookAtAll();
    settle();
    tablesRead.set(0);
    intake.lookAtAll();
    settle();
    int ofOneLook = tablesRead.get();
    assertThat(ofOneLook).isPositive();
    CountDownLatch busy = holdLane();
    tablesRead.set(0);
    for (int i = 0; i < 5; i++) {
      intake.lookAtAll();
    }
    busy.countDown();
    settle();
    assertThat(tablesRead).hasValue(ofOneLook);
    intake.lookAtAll();
    settle();
    assertThat(tablesRead).hasValue(2 * ofOneLook);
  }

  @Test
  void aLaneIsLookedAtWhenSomethingOfItsHostsIsDue() throws Exception {
    intake.recover();
    intake.timePassed();
    settle();
    tablesRead.set(0);
    for (int i = 0; i < 5; i++) {
      intake.timePassed();
      settle();
    }
    assertThat(tablesRead).hasValue(0);
    steadyMillis += 500;
    intake.timePassed();
    settle();
    assertThat(tablesRead.get()).isPositive();
  }

  // --- bodies ---

  @Test
  void aBodyThatCannotBeSentToTheReplicaForAFaultIsAnsweredAllTheSame() throws Exception {
    view = view(3, holders("g1", "g2"), holders("g2"));
    restart(2, new FailingPeers());
    intake.recover();
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take("owned", frame(new FrameEncoder("owned", 7), 1), 0, answer::complete);
    assertThat(answer.get(120, TimeUnit.SECONDS))
        .isEqualTo(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
  }

  @Test
  void closingAnswersTheSendersThatStillWait() throws Exception {
    view = view(3, holders("g1", "g2"), holders("g2"));
    intake.recover();
    intake.lookAtAll();
    settle();
    peers.copies.remove().answer().accept(CopyAnswer.of(ReplicaReply.KEPT));
    settle();
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take("owned", frame(new FrameEncoder("owned", 7), 1), 0, answer::complete);
    settle();
    assertThat(answer).as("the replica has not answered").isNotDone();
    intake.close();
    assertThat(answer.get(120, TimeUnit.SECONDS)).isInstanceOf(IntakeAnswer.SlowDown.class);
  }

  @Test
  void closingFinishesWhatWasTaken() throws Exception {
    restart(1, peers);
    intake.recover();
    CountDownLatch busy = holdLane();
    FrameEncoder run = new FrameEncoder("owned", 7);
    List<CompletableFuture<IntakeAnswer>> answers =
        List.of(new CompletableFuture<>(), new CompletableFuture<>());
    for (int i = 0; i < answers.size(); i++) {
      intake.take("owned", frame(run, i + 1), 0, answers.get(i)::complete);
    }
    busy.countDown();
    intake.close();
    assertThat(store.counts().stored.sum()).as("closing waits for it").isEqualTo(2);
    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i).get(120, TimeUnit.SECONDS))
          .isEqualTo(new IntakeAnswer.Kept(7, i + 1));
    }
  }

  @Test
  void closingWaitsForTheBlockThatIsWritten() throws Exception {
    intake.recover();
    FrameEncoder run = new FrameEncoder("owned", 7);
    take("owned", frame(run, NOW - 3 * HostWriter.BLOCK_MILLIS));
    take("owned", frame(run, NOW));
    intake.maintain();
    intake.state("owned").get(120, TimeUnit.SECONDS); // the writing has begun
    intake.close();
    assertThat(store.folder("owned"))
        .isDirectoryContaining(path -> path.toString().endsWith(".block"));
  }

  @Test
  void copiesAreEqualSinceTheyWereCompared() throws Exception {
    intake.recover();
    copied(0);
    settle();
    peers.pulls.remove().done().accept(ManualPeers.EQUAL);
    settle();
    intake.maintain().get(120, TimeUnit.SECONDS);
    assertThat(intake.copiesEqualAt()).isEqualTo(NOW);
    Meters meters = new Meters("g");
    IngestMeters.declare(meters, intake, journal, memory);
    assertThat(new String(meters.exposition(), StandardCharsets.UTF_8).lines())
        .contains("g_copies_equal_timestamp_seconds " + NOW / 1_000.0);
  }

  @Test
  void aHostThatOthersHoldIsRemovedTenMinutesAfterItsOwnerHasIt() throws Exception {
    intake.recover();
    intake.lookAtAll();
    take("owned", frame(new FrameEncoder("owned", 7), NOW));
    Holders.Copy synced = new Holders.Copy("g3", 4, true);
    Holders away = new Holders("g2", 4, Set.of(), List.of(synced), Optional.empty());
    view = view(4, away, holders("g2", "g1"));
    intake.lookAtAll();
    settle("copied");
    peers.offers.remove().merged().accept(true);
    settle("copied");
    steadyMillis = TimeUnit.MINUTES.toMillis(10);
    intake.lookAtAll();
    settle("copied");
    assertThat(store.hosts()).contains("owned");
    steadyMillis++;
    intake.lookAtAll();
    settle("copied");
    assertThat(store.hosts()).doesNotContain("owned");
    assertThat(intake.counts().straysRemoved.sum()).isEqualTo(1);
  }

  /** Peers of a gateway with a fault. */
  private static final class FailingPeers implements Peers {
    @Override
    public void copy(URI to, Copy copy, Consumer<CopyAnswer> answer) {
      throw new IllegalStateException("out of sockets");
    }

    @Override
    public void pull(URI from, String host, Consumer<PullResult> done) {
      throw new IllegalStateException("out of sockets");
    }

    @Override
    public void offer(URI owner, String host, String self, Consumer<Boolean> merged) {
      throw new IllegalStateException("out of sockets");
    }
  }

  /** Keeps the only lane thread busy until the latch is counted down. */
  private CountDownLatch holdLane() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    // The answer to a check is given on the lane thread.
    intake.check(
        "owned",
        Sender.UNLIMITED,
        new byte[] {1, 2, 3},
        0,
        refused -> {
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

  /** Waits until the lane thread has done what it was given, and what followed from that. */
  private void settle() throws Exception {
    settle("owned");
  }

  private void settle(String host) throws Exception {
    for (int i = 0; i < 3; i++) {
      intake.state(host).get(120, TimeUnit.SECONDS);
    }
  }

  private IntakeAnswer take(String host, byte[] body) throws Exception {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take(host, body, 0, answer::complete);
    return answer.get(120, TimeUnit.SECONDS);
  }

  private static Peers.Copy copy(int count, byte[] frames) {
    return new Peers.Copy("copied", 3, "g2", 1, 1, count, frames);
  }

  private CopyAnswer copied(int count, byte... frames) throws Exception {
    CompletableFuture<CopyAnswer> answer = new CompletableFuture<>();
    intake.copied(copy(count, frames), answer::complete);
    return answer.get(120, TimeUnit.SECONDS);
  }

  private static byte[] frame(FrameEncoder run, long time) {
    return run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), time).at(time));
  }
}
