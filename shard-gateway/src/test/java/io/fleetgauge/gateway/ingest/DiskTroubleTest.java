package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.AdmissionControl;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An intake whose disk has faults, before and after a start. */
class DiskTroubleTest {
  private static final long NOW = 10_000_000;
  private static final long MAX_JOURNAL_BYTES = 1 << 30;
  private static final List<String> HOSTS =
      Stream.concat(Stream.of("owned"), IntStream.range(0, 20).mapToObj(i -> "n" + i)).toList();
  private static final ClusterView VIEW =
      new ClusterView(
          OwnershipTable.ofOwners(
              3, HOSTS.stream().collect(Collectors.toMap(host -> host, host -> "g1"))),
          Map.of("g1", URI.create("http://g1:9500")),
          false);

  @TempDir private Path folder;
  private Journal journal;
  private Store store;
  private Intake intake;

  @BeforeEach
  void start() throws Exception {
    start(MAX_JOURNAL_BYTES);
  }

  private void start(long maxJournalBytes) throws Exception {
    journal =
        Journal.open(
            new Journal.Settings(
                folder.resolve("journal"),
                Journal.Sync.NEVER,
                Duration.ofHours(1),
                1 << 20,
                1 << 20,
                maxJournalBytes,
                1 << 20));
    store = new Store(folder.resolve("blocks"), HostWriter.limits(100), Dimensions.DEFAULT);
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                "g1", 1, () -> VIEW, (host, admission) -> {}, (host, report) -> {}, null),
            new MemoryWatermark(() -> 0, 100),
            () -> NOW,
            1,
            10);
  }

  @AfterEach
  void close() {
    intake.close();
    journal.close();
  }

  @Test
  void aPastThatCannotBeReadIsTroubleBeforeAllElse() {
    assertThat(intake.diskTrouble()).isEmpty();
    intake.recoveryFailed(new IOException("bad sector"));
    assertThat(intake.diskTrouble())
        .hasValueSatisfying(
            text -> assertThat(text).contains("cannot be loaded").contains("bad sector"));
    assertThat(intake.isRecovered()).isFalse();
  }

  @Test
  void blocksThatCannotBeWrittenAreTroubleUntilTheyCan() throws Exception {
    intake.recover();
    FrameEncoder run = new FrameEncoder("owned", 7);
    take("owned", frame(run, NOW - 3 * HostWriter.BLOCK_MILLIS));
    take("owned", frame(run, NOW));
    Files.writeString(folder.resolve("blocks"), "a file where the folder should be");
    intake.maintain().get(120, TimeUnit.SECONDS);
    assertThat(intake.diskTrouble())
        .hasValueSatisfying(text -> assertThat(text).startsWith("blocks cannot be written: "));
    Files.delete(folder.resolve("blocks"));
    intake.maintain().get(120, TimeUnit.SECONDS);
    assertThat(intake.diskTrouble()).isEmpty();
    assertThat(store.blockCount()).isEqualTo(1);
  }

  @Test
  void aJournalThatIsFullIsTroubleAndBodiesComeAgain() throws Exception {
    close();
    start(200);
    intake.recover();
    FrameEncoder run = new FrameEncoder("owned", 7);
    int taken = 0;
    while (intake.diskTrouble().isEmpty()) {
      assertThat(take("owned", frame(run, NOW + taken++))).isInstanceOf(IntakeAnswer.Kept.class);
      assertThat(taken).isLessThan(100);
    }
    assertThat(intake.diskTrouble().get()).contains("above its limit of 200");
    assertThat(take("owned", frame(run, NOW + taken)))
        .isEqualTo(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
    assertThat(intake.counts().diskTrouble.sum()).isEqualTo(1);
  }

  @Test
  void anIntakeThatIsClosedWhileItReadsThePastStopsReading() throws Exception {
    intake.recover();
    FrameEncoder run = new FrameEncoder("owned", 7);
    for (int i = 0; i < 100; i++) {
      take("owned", frame(run, NOW + i));
    }
    close();
    start(MAX_JOURNAL_BYTES);
    intake.close();
    assertThatThrownBy(intake::recover).isInstanceOf(InterruptedException.class);
    assertThat(intake.isRecovered()).isFalse();
  }

  /** Whoever starts next with the folder finds nothing that is being written. */
  @Test
  void aClosedIntakeHasWrittenTheBlocksThatItBegan() throws Exception {
    intake.recover();
    for (String host : HOSTS) {
      FrameEncoder run = new FrameEncoder(host, 7);
      take(host, frame(run, NOW - 3 * HostWriter.BLOCK_MILLIS));
      take(host, frame(run, NOW));
    }
    intake.maintain();
    intake.look("owned", none -> true).get(120, TimeUnit.SECONDS); // after all were begun
    intake.close();
    for (String host : HOSTS) {
      assertThat(BlockFolder.blocks(store.folder(host))).hasSize(1);
      assertThat(store.folder(host)).isDirectoryNotContaining("glob:**.unfinished");
    }
  }

  @Test
  void recordsThatCannotBeReadAreCountedAndTheOthersComeBack() throws Exception {
    intake.recover();
    FrameEncoder run = new FrameEncoder("owned", 7);
    take("owned", frame(run, NOW));
    FrameEncoder unknown = new FrameEncoder("owned", 8);
    frame(unknown, NOW);
    append(frame(unknown, NOW + 1)); // its dictionary is nowhere
    append(new byte[] {1, 2, 3});
    take("owned", frame(run, NOW + 2));
    close();
    start(MAX_JOURNAL_BYTES);
    intake.recover();
    assertThat(intake.counts().recordsLost.sum()).isEqualTo(2);
    assertThat(intake.counts().ticksReplayed.sum()).isEqualTo(2);
    assertThat(store.lane("owned").newest()).isEqualTo(NOW + 2);
  }

  private void append(byte[] record) throws Exception {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    journal.append(journal.segment(), record, kept::complete);
    assertThat(kept.get(120, TimeUnit.SECONDS)).isTrue();
  }

  private IntakeAnswer take(String host, byte[] body) throws Exception {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take(host, body, 0, answer::complete);
    return answer.get(120, TimeUnit.SECONDS);
  }

  private static byte[] frame(FrameEncoder run, long time) {
    return run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), time).at(time));
  }
}
