package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.journal.Journal.AppendResult;
import io.fleetgauge.sample.journal.Journal.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left of a journal after the power failed, on a disk that forgets what is not forced. */
class PowerFailureTest {
  private static final Duration NEVER_IN_THIS_TEST = Duration.ofHours(1);

  @TempDir private Path folder;
  @TempDir private Path left;
  private final LosingDisk disk = new LosingDisk();

  @ParameterizedTest
  @ValueSource(ints = {60, 1 << 20})
  void whatPolicyAlwaysAcknowledgedIsThereAfterAPowerFailure(int segmentBytes) throws Exception {
    List<String> acknowledged = new ArrayList<>();
    try (Journal journal = open(Sync.ALWAYS, NEVER_IN_THIS_TEST, 1 << 20, segmentBytes)) {
      for (int i = 0; i < 30; i++) {
        acknowledged.add("record " + i);
        assertThat(append(journal, acknowledged.getLast(), false)).isTrue();
        assertThat(afterPowerFailure()).isEqualTo(acknowledged);
      }
    }
  }

  @Test
  void aForcedRecordIsThereAfterAPowerFailureWhateverThePolicy() throws Exception {
    for (Sync sync : Sync.values()) {
      try (Journal journal = open(sync, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20)) {
        append(journal, sync + " one", false);
        append(journal, sync + " forced", true);
        assertThat(afterPowerFailure()).endsWith(sync + " one", sync + " forced");
      }
    }
  }

  @Test
  void theFolderOfTheJournalAndThoseAboveItAreThereToo() throws Exception {
    Path data = folder.resolve("a").resolve("data");
    try (Journal journal = open(data.resolve("journal"))) {
      append(journal, "one", false);
      assertThat(afterPowerFailure(Path.of("a", "data", "journal"))).containsExactly("one");
    }
  }

  @Test
  void nothingIsAcknowledgedBeforeTheNameOfAFolderThatWasThereIsOnTheDisk() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.createDirectory(data.resolve("journal"));
    PrivateFiles.forceNames(folder, disk);
    disk.failToForce(data::equals);
    try (Journal journal = open(data.resolve("journal"))) {
      assertThat(append(journal, "one", false)).isFalse();
      disk.failToForce(false);
      await().until(() -> journal.trouble().isEmpty());
      assertThat(append(journal, "two", false)).isTrue();
      assertThat(afterPowerFailure(Path.of("data", "journal"))).containsExactly("two");
    }
  }

  private Journal open(Path journal) throws IOException {
    return Journal.open(
        new Journal.Settings(
            journal, Sync.ALWAYS, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20, 1L << 30, 1L << 30),
        disk);
  }

  @Test
  void policyIntervalForcesAfterTheInterval() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, Duration.ofMillis(20), 1 << 20, 1 << 20)) {
      append(journal, "one", false);
      await().untilAsserted(() -> assertThat(afterPowerFailure()).containsExactly("one"));
      append(journal, "two", false);
      await().untilAsserted(() -> assertThat(afterPowerFailure()).containsExactly("one", "two"));
      assertThat(journal.counts().syncs()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void policyIntervalForcesAfterSoManyBytes() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 10, 1 << 20)) {
      append(journal, "123456789", false);
      append(journal, "0", false);
      await()
          .untilAsserted(() -> assertThat(afterPowerFailure()).containsExactly("123456789", "0"));
    }
  }

  @Test
  void policyIntervalForcesASegmentBeforeItBeginsTheNext() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 60)) {
      append(journal, "a record that fills its segment, and is therefore long", false);
      append(journal, "next", false);
      assertThat(afterPowerFailure())
          .containsExactly("a record that fills its segment, and is therefore long");
    }
  }

  @Test
  void whatAKilledProcessHadNotForcedIsForcedWhenTheNextOneHasReadIt() throws Exception {
    try (Journal killed = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20)) {
      append(killed, "one", false);
      assertThat(afterPowerFailure()).isEmpty();
      try (Journal next = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20)) {
        next.replay((segment, record) -> {});
        assertThat(afterPowerFailure()).containsExactly("one");
      }
    }
  }

  @Test
  void withPolicyNeverOnlyTheOperatingSystemForces() throws Exception {
    try (Journal journal = open(Sync.NEVER, Duration.ZERO, 1, 1 << 20)) {
      append(journal, "one", false);
    }
    assertThat(afterPowerFailure()).isEmpty();
  }

  @Test
  void closingForcesWhatIsWritten() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20)) {
      append(journal, "one", false);
      assertThat(afterPowerFailure()).isEmpty();
    }
    assertThat(afterPowerFailure()).containsExactly("one");
  }

  @Test
  void aForceThatFailsAcknowledgesNothingAndTheRecordsBeforeItAreWrittenAgain() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20)) {
      append(journal, "written and acknowledged", false);
      disk.failToForce(true);
      assertThat(append(journal, "to be forced", true)).isFalse();
      assertThat(journal.trouble())
          .hasValueSatisfying(
              text -> assertThat(text).contains("cannot be written").contains("Input/output"));
      assertThat(journal.append(journal.segment(), new byte[1], kept -> {}))
          .isEqualTo(AppendResult.REJECTED);
      disk.failToForce(false);
      await().until(() -> journal.trouble().isEmpty());
      assertThat(afterPowerFailure()).contains("written and acknowledged");
      assertThat(append(journal, "afterwards", true)).isTrue();
      assertThat(afterPowerFailure()).last().isEqualTo("afterwards");
      assertThat(journal.counts().failures()).isPositive();
    }
  }

  @Test
  void aSyncThatFailsBetweenRecordsIsTroubleUntilTheDiskWorksAgain() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, Duration.ofMillis(5), 1 << 20, 1 << 20)) {
      disk.failToForce(true);
      CompletableFuture<Boolean> first = new CompletableFuture<>();
      // The first segment cannot even be begun, since its folder cannot be forced.
      journal.append(journal.segment(), "lost".getBytes(), first::complete);
      assertThat(first.join()).isFalse();
      disk.failToForce(false);
      await().until(() -> journal.trouble().isEmpty());
      assertThat(append(journal, "kept", false)).isTrue();
      await().untilAsserted(() -> assertThat(afterPowerFailure()).containsExactly("kept"));
      disk.failToForce(true);
      assertThat(append(journal, "written before the sync failed", false)).isTrue();
      await()
          .untilAsserted(
              () ->
                  assertThat(journal.trouble())
                      .hasValueSatisfying(text -> assertThat(text).contains("cannot be forced")));
      disk.failToForce(false);
      await().until(() -> journal.trouble().isEmpty());
      assertThat(afterPowerFailure())
          .contains("kept", "written before the sync failed")
          .doesNotContain("lost");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsForcedIsNotWrittenASecondTimeAfterAFailure(boolean byInterval) throws Exception {
    Duration interval = byInterval ? Duration.ofMillis(5) : NEVER_IN_THIS_TEST;
    try (Journal journal = open(Sync.INTERVAL, interval, 1 << 20, 1 << 20)) {
      append(journal, "one", false);
      if (byInterval) {
        await().until(() -> journal.counts().syncs() == 1);
      } else {
        append(journal, "forced", true);
      }
      List<String> forced = afterPowerFailure();
      failAndRecover(journal);
      assertThat(afterPowerFailure()).isEqualTo(forced).startsWith("one");
    }
  }

  @Test
  void whatIsNotForcedIsWrittenASecondTimeAfterAFailureAndNoThirdTime() throws Exception {
    String first = "a record that fills its segment, and is therefore long";
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 60)) {
      append(journal, first, false);
      append(journal, "second", false);
      failAndRecover(journal);
      assertThat(journal.segments()).isEqualTo(3);
      assertThat(afterPowerFailure()).containsExactly(first, "second");
      failAndRecover(journal);
      assertThat(journal.segments()).isEqualTo(4);
      assertThat(afterPowerFailure()).containsExactly(first, "second");
    }
  }

  @Test
  void theSegmentBeforeRecordsThatWereWrittenAgainIsNotDroppedBeforeThem() throws Exception {
    String first = "a record that fills its segment, and is therefore long";
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 60)) {
      append(journal, first, false);
      append(journal, "second", false);
      failAndRecover(journal);
      assertThat(journal.segment()).isEqualTo(3);
      journal.dropBefore(3);
      assertThat(SegmentFormat.file(folder, 1)).doesNotExist();
      assertThat(SegmentFormat.file(folder, 2)).exists();
      assertThat(SegmentFormat.file(folder, 3)).exists();
    }
  }

  @Test
  void whatWaitsWhenASyncFailsIsReportedLostOnceAndWhatWasForcedBeforeStays() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    List<Boolean> answers = new CopyOnWriteArrayList<>();
    try (Journal journal = open(Sync.INTERVAL, Duration.ZERO, 1 << 20, 1 << 20)) {
      append(journal, "forced", true);
      disk.holdForces(true);
      journal.append(1, "written".getBytes(), kept -> await().until(() -> goOn.getCount() == 0));
      await().until(() -> disk.heldForces() == 1);
      assertThat(journal.append(1, "waits".getBytes(), answers::add))
          .isEqualTo(AppendResult.QUEUED);
      disk.failToForce(true);
      disk.holdForces(false);
      await().until(() -> !answers.isEmpty());
      disk.failToForce(false);
      goOn.countDown();
      await().until(() -> journal.trouble().isEmpty());
      append(journal, "afterwards", true);
      assertThat(answers).containsExactly(false);
      assertThat(afterPowerFailure()).containsExactly("forced", "written", "afterwards");
    }
  }

  @Test
  void aDiskWithRoomForAFewRecordsOnlyIsTroubleUntilThereIsMore() throws Exception {
    try (Journal journal = open(Sync.ALWAYS, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20)) {
      append(journal, "before", false);
      disk.leaveRoom(1_000);
      assertThat(append(journal, "x".repeat(2_000), false)).isFalse();
      await().until(() -> journal.trouble().isEmpty() || journal.counts().failures() > 1);
      assertThat(journal.trouble()).isPresent();
      await("failed attempts are closed").until(() -> disk.openFiles() == 0);
      disk.leaveRoom(Long.MAX_VALUE);
      await().until(() -> journal.trouble().isEmpty());
      append(journal, "afterwards", false);
      assertThat(disk.openFiles()).isEqualTo(1);
    }
    assertThat(afterPowerFailure()).containsExactly("before", "afterwards");
  }

  @Test
  void aJournalInTroubleIsClosedWithoutWaitingForTheDisk() throws Exception {
    long before = writingThreads();
    Journal journal = open(Sync.ALWAYS, NEVER_IN_THIS_TEST, 1 << 20, 1 << 20);
    append(journal, "kept", false);
    disk.failToForce(true);
    assertThat(append(journal, "lost", false)).isFalse();
    assertThat(writingThreads()).isEqualTo(before + 1);
    journal.close();
    assertThat(writingThreads()).isEqualTo(before);
    assertThat(disk.openFiles()).isZero();
    assertThat(afterPowerFailure()).containsExactly("kept");
  }

  private static long writingThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("journal"))
        .count();
  }

  @Test
  void onlyTheSegmentThatIsWrittenIsOpen() throws Exception {
    try (Journal journal = open(Sync.INTERVAL, NEVER_IN_THIS_TEST, 1 << 20, 1)) {
      for (int i = 0; i < 3; i++) {
        append(journal, "a segment of its own", false);
        // It has ended, and is closed while or after this thread goes on.
        assertThat(disk.openFiles()).isLessThanOrEqualTo(1);
      }
    }
    assertThat(disk.openFiles()).isZero();
  }

  /** Lets the disk fail while a record is written, which is lost, and work again. */
  private void failAndRecover(Journal journal) {
    disk.failToForce(true);
    assertThat(append(journal, "lost", true)).isFalse();
    disk.failToForce(false);
    await().until(() -> journal.trouble().isEmpty());
  }

  private Journal open(Sync sync, Duration interval, int syncBytes, int segmentBytes)
      throws IOException {
    return Journal.open(
        new Journal.Settings(folder, sync, interval, syncBytes, segmentBytes, 1L << 30, 1L << 30),
        disk);
  }

  private static boolean append(Journal journal, String text, boolean forced) {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    assertThat(journal.append(journal.segment(), text.getBytes(), forced, kept::complete))
        .isEqualTo(AppendResult.QUEUED);
    return kept.join();
  }

  private List<String> afterPowerFailure() throws Exception {
    return afterPowerFailure(Path.of(""));
  }

  /** The records of the journal at a path within the folder. */
  private List<String> afterPowerFailure(Path journalWithin) throws Exception {
    Path after = Files.createTempDirectory(left, "restarted");
    disk.powerFails(folder, after);
    Path restarted = after.resolve(journalWithin);
    assertThat(restarted).exists();
    List<String> found = new ArrayList<>();
    try (Journal journal =
        Journal.open(
            new Journal.Settings(
                restarted, Sync.NEVER, NEVER_IN_THIS_TEST, 1, 1 << 20, 1L << 30, 1L << 30))) {
      journal.replay((segment, record) -> found.add(new String(record)));
    }
    return found;
  }
}
