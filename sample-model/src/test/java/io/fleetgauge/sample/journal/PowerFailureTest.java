package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.journal.Journal.Appended;
import io.fleetgauge.sample.journal.Journal.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
          .isEqualTo(Appended.REJECTED);
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
      disk.failToForce(true);
      append(journal, "written before the sync failed", false);
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

  private Journal open(Sync sync, Duration interval, int syncBytes, int segmentBytes)
      throws IOException {
    return Journal.open(
        new Journal.Settings(folder, sync, interval, syncBytes, segmentBytes, 1L << 30, 1L << 30),
        disk);
  }

  private static boolean append(Journal journal, String text, boolean forced) {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    assertThat(journal.append(journal.segment(), text.getBytes(), forced, kept::complete))
        .isEqualTo(Appended.QUEUED);
    return kept.join();
  }

  private List<String> afterPowerFailure() throws Exception {
    Path restarted = Files.createTempDirectory(left, "restarted");
    disk.powerFails(restarted);
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
