package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.journal.Journal.AppendResult;
import io.fleetgauge.sample.journal.Journal.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Counts, sizes and limits of a journal, at their edges. */
class JournalLimitsTest {
  private static final int HEADER = 5;
  private static final int HEAD = 16;

  @TempDir private Path folder;

  private Journal open(Sync sync, int segmentBytes, long maxBytes, long maxQueuedBytes)
      throws IOException {
    return Journal.open(
        new Journal.Settings(
            folder, sync, Duration.ofHours(1), 1 << 20, segmentBytes, maxBytes, maxQueuedBytes));
  }

  private Journal open(Sync sync) throws IOException {
    return open(sync, 1 << 20, 1 << 20, 1 << 20);
  }

  private static boolean append(Journal journal, int bytes, boolean forced) {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    assertThat(journal.append(journal.segment(), new byte[bytes], forced, kept::complete))
        .isEqualTo(AppendResult.QUEUED);
    return kept.join();
  }

  @Test
  void aNewJournalIsEmptyAndHasNoTrouble() throws IOException {
    try (Journal journal = open(Sync.INTERVAL)) {
      assertThat(journal.segment()).isEqualTo(1);
      assertThat(journal.segments()).isZero();
      assertThat(journal.bytes()).isZero();
      assertThat(journal.trouble()).isEmpty();
      assertThat(journal.counts()).isEqualTo(new Journal.Counts(0, 0, 0, 0, 0, 0, 0));
    }
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({"ALWAYS, 3, 3", "INTERVAL, 0, 1", "NEVER, 0, 1"})
  void recordsBytesAndSyncsAreCounted(Sync sync, long syncs, long syncsWithForced)
      throws IOException {
    try (Journal journal = open(sync)) {
      append(journal, 10, false);
      append(journal, 0, false);
      append(journal, 7, false);
      assertThat(journal.counts()).isEqualTo(new Journal.Counts(3, 17, syncs, 0, 0, 0, 0));
      assertThat(journal.bytes()).isEqualTo(HEADER + 3 * HEAD + 17);
      assertThat(journal.segments()).isEqualTo(1);
    }
    try (Journal journal = open(sync)) {
      append(journal, 1, true);
      assertThat(journal.counts().syncs()).isEqualTo(Math.min(1, syncsWithForced));
      assertThat(journal.segments()).isEqualTo(2);
      assertThat(journal.bytes()).isEqualTo(2 * HEADER + 4 * HEAD + 18);
    }
  }

  @Test
  void aSegmentIsFollowedByAnotherAtItsSizeAndNotBefore() throws IOException {
    int size = 2 * HEAD + 10;
    try (Journal journal = open(Sync.NEVER, size, 1 << 20, 1 << 20)) {
      append(journal, 4, false);
      append(journal, 5, false);
      assertThat(journal.segment()).isEqualTo(1);
      append(journal, 0, false);
      assertThat(journal.segment()).isEqualTo(2);
      append(journal, size - HEAD, false);
      assertThat(journal.segment()).isEqualTo(3);
    }
  }

  @Test
  void aRecordOfTheQueuesLimitIsTakenAndALargerOneIsNot() throws IOException {
    try (Journal journal = open(Sync.NEVER, 1 << 20, 1 << 20, 100)) {
      for (int i = 0; i < 5; i++) {
        assertThat(append(journal, 100, false)).isTrue();
      }
      assertThat(journal.append(1, new byte[101], kept -> {})).isEqualTo(AppendResult.REJECTED);
      assertThat(journal.trouble()).isEmpty();
    }
  }

  @Test
  void recordsThatADiskDidNotTakeWaitNoMoreWhenItWorksAgain() throws IOException {
    LosingDisk disk = new LosingDisk();
    Journal.Settings settings =
        new Journal.Settings(
            folder, Sync.ALWAYS, Duration.ofHours(1), 1 << 20, 1 << 20, 1 << 20, 100);
    try (Journal journal = Journal.open(settings, disk)) {
      assertThat(append(journal, 100, false)).isTrue();
      disk.failToForce(true);
      assertThat(append(journal, 100, false)).isFalse();
      disk.failToForce(false);
      await().until(() -> journal.trouble().isEmpty());
      assertThat(append(journal, 100, false)).isTrue();
    }
  }

  @Test
  void aJournalAtItsLimitTakesARecordAndAboveItNone() throws IOException {
    long limit = HEADER + HEAD + 10;
    try (Journal journal = open(Sync.NEVER, 1 << 20, limit, 1 << 20)) {
      append(journal, 10, false);
      assertThat(journal.bytes()).isEqualTo(limit);
      assertThat(journal.trouble()).isEmpty();
      append(journal, 0, false);
      assertThat(journal.append(1, new byte[0], kept -> {})).isEqualTo(AppendResult.REJECTED);
      assertThat(journal.trouble())
          .hasValue(
              "the journal in "
                  + folder
                  + " has "
                  + (limit + HEAD)
                  + " bytes, above its limit of "
                  + limit);
    }
  }

  @Test
  void recordsThatWaitTogetherCountAsBytesAndGoEachIntoItsOwnSegment() throws Exception {
    try (Journal journal = open(Sync.NEVER, 2 * (HEAD + 10), 1 << 20, 1 << 20)) {
      CountDownLatch written = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      journal.append(
          1,
          new byte[10],
          kept -> {
            written.countDown();
            await().until(() -> goOn.getCount() == 0);
          });
      written.await();
      for (int i = 0; i < 3; i++) {
        journal.append(journal.segment(), new byte[10], kept -> {});
      }
      assertThat(journal.bytes()).isEqualTo(HEADER + HEAD + 10 + 3 * 10);
      goOn.countDown();
      append(journal, 7, false);
      assertThat(journal.bytes()).isEqualTo(3 * HEADER + 5 * HEAD + 47);
      assertThat(journal.read(1)).containsExactly(new byte[10], new byte[10]);
      assertThat(journal.read(2)).containsExactly(new byte[10], new byte[10]);
      assertThat(journal.read(3)).containsExactly(new byte[7]);
    }
  }

  @Test
  void droppingSegmentsMakesRoom() throws IOException {
    try (Journal journal = open(Sync.NEVER, 1, 60, 1 << 20)) {
      append(journal, 30, false);
      append(journal, 30, false);
      assertThat(journal.append(journal.segment(), new byte[1], kept -> {}))
          .isEqualTo(AppendResult.REJECTED);
      journal.dropBefore(2);
      assertThat(journal.segments()).isEqualTo(1);
      assertThat(journal.bytes()).isEqualTo(HEADER + HEAD + 30);
      assertThat(append(journal, 1, false)).isTrue();
    }
  }

  @Test
  void theSegmentThatIsWrittenIsNeverDropped() throws IOException {
    try (Journal journal = open(Sync.NEVER)) {
      append(journal, 3, false);
      journal.dropBefore(Long.MAX_VALUE);
      assertThat(journal.segments()).isEqualTo(1);
      assertThat(journal.read(1)).hasSize(1);
    }
    try (Journal journal = open(Sync.NEVER, 1, 1 << 20, 1 << 20)) {
      append(journal, 3, false);
      assertThat(journal.segment()).isEqualTo(3);
      // One that is full is closed when its last record is written.
      await()
          .until(
              () -> {
                journal.dropBefore(3);
                return journal.segments() == 0;
              });
      assertThat(SegmentFormat.file(folder, 1)).doesNotExist();
      assertThat(SegmentFormat.file(folder, 2)).doesNotExist();
    }
  }

  @Test
  void aSegmentIsReadWhileItIsWrittenAndOneThatIsGoneIsAnError() throws IOException {
    try (Journal journal = open(Sync.NEVER)) {
      append(journal, 3, false);
      append(journal, 4, false);
      assertThat(journal.read(1)).containsExactly(new byte[3], new byte[4]);
      assertThatThrownBy(() -> journal.read(2)).isInstanceOf(NoSuchFileException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Sync.class)
  void aClosedJournalTakesNothingAndKeepsWhatWaited(Sync sync) throws IOException {
    List<Boolean> kept = new ArrayList<>();
    Journal journal = open(sync);
    for (int i = 0; i < 50; i++) {
      assertThat(journal.append(1, new byte[i], kept::add)).isEqualTo(AppendResult.QUEUED);
    }
    journal.close();
    assertThat(kept).hasSize(50).containsOnly(true);
    assertThat(journal.append(1, new byte[1], kept::add)).isEqualTo(AppendResult.REJECTED);
    assertThat(journal.read(1)).hasSize(50);
    journal.close();
  }

  @Test
  void replayNamesTheSegmentOfEachRecordAndLeavesOutItsOwn() throws Exception {
    for (int life = 0; life < 3; life++) {
      try (Journal journal = open(Sync.NEVER)) {
        append(journal, life, false);
      }
    }
    List<String> replayed = new ArrayList<>();
    try (Journal journal = open(Sync.NEVER)) {
      append(journal, 9, false);
      journal.replay((segment, record) -> replayed.add(segment + ":" + record.length));
    }
    assertThat(replayed).containsExactly("1:0", "2:1", "3:2");
  }

  @Test
  void cuttingATornTailMakesTheJournalSmaller() throws Exception {
    try (Journal journal = open(Sync.NEVER)) {
      append(journal, 3, false);
    }
    Files.write(SegmentFormat.file(folder, 1), new byte[11], StandardOpenOption.APPEND);
    try (Journal journal = open(Sync.NEVER)) {
      assertThat(journal.bytes()).isEqualTo(HEADER + HEAD + 3 + 11);
      journal.replay((segment, record) -> {});
      assertThat(journal.bytes()).isEqualTo(HEADER + HEAD + 3);
      assertThat(journal.counts().tornBytes()).isEqualTo(11);
      journal.replay((segment, record) -> {});
      assertThat(journal.counts().tornBytes()).isEqualTo(11);
    }
  }

  @Test
  void theDefaultsAreThoseOfAGateway() {
    assertThat(Journal.Settings.defaults(folder))
        .isEqualTo(
            new Journal.Settings(
                folder,
                Sync.INTERVAL,
                Duration.ofMillis(100),
                262_144,
                8_388_608,
                17_179_869_184L,
                67_108_864));
  }

  @Test
  void aFolderThatIsAFileCannotBeOpened() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> Journal.open(Journal.Settings.defaults(file)))
        .isInstanceOf(IOException.class);
  }
}
