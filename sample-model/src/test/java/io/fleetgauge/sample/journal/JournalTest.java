package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.journal.Journal.AppendResult;
import io.fleetgauge.sample.journal.Journal.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(Sync.class)
  void whatWasKeptComesBackInOrder(Sync sync) throws Exception {
    List<String> kept = new ArrayList<>();
    for (int life = 0; life < 3; life++) {
      try (Journal journal = open(sync, 1 << 20)) {
        assertThat(replay(journal)).isEqualTo(kept);
        for (int i = 0; i < 50; i++) {
          String text = "life " + life + " record " + i;
          kept.add(text);
          assertThat(append(journal, text)).isTrue();
        }
      }
    }
  }

  @Test
  void recordsAreRejectedWhileTheFolderIsLostAndAcceptedWhenItIsBack() throws Exception {
    Path data = folder.resolve("data");
    Path away = folder.resolve("away");
    try (Journal journal = Journal.open(Journal.Settings.defaults(data))) {
      assertThat(append(journal, "before")).isTrue();
      journal.look();
      assertThat(journal.trouble()).isEmpty();
      Files.move(data, away);
      journal.look();
      assertThat(journal.isFolderLost()).isTrue();
      assertThat(journal.trouble().orElseThrow())
          .isEqualTo(
              "the journal in "
                  + data
                  + " cannot be used: "
                  + data
                  + " was removed while the process ran: put it back, or restart the process");
      assertThat(journal.append(journal.segment(), new byte[1], kept -> {}))
          .isEqualTo(AppendResult.REJECTED);
      // Another folder at the same place is not the one that has the records.
      Files.createDirectory(data);
      journal.look();
      assertThat(journal.isFolderLost()).isTrue();
      assertThatThrownBy(journal::requireFolders).isInstanceOf(IOException.class);
      Files.delete(data);
      Files.move(away, data);
      await().until(() -> journal.trouble().isEmpty());
      journal.look();
      assertThat(journal.isFolderLost()).isFalse();
      assertThat(append(journal, "after")).isTrue();
    }
    try (Journal journal = Journal.open(Journal.Settings.defaults(data))) {
      assertThat(replay(journal)).containsOnly("before", "after");
    }
  }

  @Test
  void aWriteThatFailsForWantOfTheFolderSaysThatTheFolderWasRemoved() throws Exception {
    Path data = folder.resolve("data");
    Journal.Settings each =
        new Journal.Settings(data, Sync.ALWAYS, Duration.ofMillis(100), 1, 20, 1 << 20, 1 << 20);
    try (Journal journal = Journal.open(each)) {
      assertThat(append(journal, "a record that fills a segment")).isTrue();
      Files.move(data, folder.resolve("away"));
      assertThat(append(journal, "another")).isFalse();
      assertThat(journal.trouble().orElseThrow()).contains(data + " was removed");
      assertThat(journal.isFolderLost()).isTrue();
      Files.move(folder.resolve("away"), data);
      await().until(() -> journal.trouble().isEmpty());
      assertThat(journal.isFolderLost()).as("without another look").isFalse();
    }
  }

  @Test
  void noSegmentIsBegunInAnotherFolderOfTheSameName() throws Exception {
    Path data = folder.resolve("data");
    Journal.Settings each =
        new Journal.Settings(data, Sync.ALWAYS, Duration.ofMillis(100), 1, 20, 1 << 20, 1 << 20);
    try (Journal journal = Journal.open(each)) {
      assertThat(append(journal, "a record that fills a segment")).isTrue();
      Files.move(data, folder.resolve("away"));
      Files.createDirectory(data);
      assertThat(append(journal, "another")).isFalse();
      assertThat(data).isEmptyDirectory();
    }
  }

  @Test
  void aFileThatTheJournalDependsOnIsMissedToo() throws Exception {
    Path lock = Files.writeString(folder.resolve("lock"), "");
    try (Journal journal = Journal.open(Journal.Settings.defaults(folder.resolve("data")))) {
      journal.dependOn(lock);
      Files.delete(lock);
      journal.look();
      assertThat(journal.trouble().orElseThrow()).contains(lock + " was removed");
    }
  }

  @Test
  void theFormatIsHeldByItsBytes() throws Exception {
    try (Journal journal = open(Sync.ALWAYS, 1 << 20)) {
      append(journal, "abc");
    }
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(segment(1))))
        .isEqualTo("46474a4c01" + "52454331" + "03000000" + "b73f4b36" + "d142b2bb" + "616263");
  }

  @Test
  void aFullSegmentIsFollowedByAnotherAndOldOnesCanGo() throws Exception {
    try (Journal journal = open(Sync.NEVER, 100)) {
      for (int i = 0; i < 20; i++) {
        append(journal, String.format("some record that is rather long %02d", i));
      }
      assertThat(journal.segments()).isEqualTo(10);
      assertThat(journal.segment()).isEqualTo(11);
      assertThat(journal.append(3, new byte[1], kept -> {})).isEqualTo(AppendResult.OTHER_SEGMENT);
      journal.dropBefore(9);
      assertThat(journal.segments()).isEqualTo(2);
    }
    assertThat(Files.exists(segment(8))).isFalse();
    try (Journal journal = open(Sync.NEVER, 100)) {
      assertThat(replay(journal)).hasSize(4).first().asString().endsWith(" 16");
    }
  }

  @Test
  @Tag("slow")
  void aSegmentThatEndsWhileItIsForcedToTheDiskIsNoTrouble() throws Exception {
    Journal.Settings busy =
        new Journal.Settings(folder, Sync.INTERVAL, Duration.ZERO, 1, 100, 1L << 30, 1L << 30);
    try (Journal journal = Journal.open(busy)) {
      for (int i = 0; i < 3_000; i++) {
        assertThat(append(journal, String.format("some record that is rather long %04d", i)))
            .isTrue();
        if (i % 100 == 0) {
          journal.dropBefore(journal.segment());
        }
      }
      assertThat(journal.counts().failures()).isZero();
    }
  }

  /** A crash may leave any beginning of what was being written. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aTornTailIsCutAndCountedAndNothingBeforeItIsLost(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> kept = new ArrayList<>();
    try (Journal journal = open(Sync.INTERVAL, 1 << 20)) {
      for (int i = 0; i < 5; i++) {
        kept.add("record " + "x".repeat(random.nextInt(300)));
        append(journal, kept.getLast());
      }
    }
    byte[] whole = Files.readAllBytes(segment(1));
    int lastLength = SegmentFormat.HEAD_BYTES + kept.getLast().length();
    int torn = 1 + random.nextInt(lastLength - 1);
    byte[] left = Arrays.copyOf(whole, whole.length - lastLength + torn);
    Files.write(segment(1), left);
    try (Journal journal = open(Sync.INTERVAL, 1 << 20)) {
      assertThat(replay(journal)).isEqualTo(kept.subList(0, 4));
      assertThat(journal.counts().tornBytes()).isEqualTo(torn);
      assertThat(journal.counts().damagedBytes()).isZero();
      append(journal, "new");
    }
    assertThat(Files.size(segment(1))).isEqualTo(whole.length - lastLength);
    try (Journal journal = open(Sync.INTERVAL, 1 << 20)) {
      assertThat(replay(journal)).hasSize(5).last().isEqualTo("new");
      assertThat(journal.counts().tornBytes()).isZero();
    }
  }

  @Test
  void aJournalThatEndsAnywhereIsReadUpToItsLastWholeRecord() throws Exception {
    List<String> kept = List.of("first", "", "a third one that is longer", "x".repeat(40));
    try (Journal journal = open(Sync.ALWAYS, 1 << 20)) {
      kept.forEach(text -> append(journal, text));
    }
    byte[] whole = Files.readAllBytes(segment(1));
    for (int length = 0; length <= whole.length; length++) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.write(segment(1), Arrays.copyOf(whole, length));
      int goodEnd = Math.min(length, SegmentFormat.HEADER.length);
      int records = 0;
      while (records < kept.size()
          && goodEnd + SegmentFormat.HEAD_BYTES + kept.get(records).length() <= length) {
        goodEnd += SegmentFormat.HEAD_BYTES + kept.get(records).length();
        records++;
      }
      try (Journal journal = open(Sync.ALWAYS, 1 << 20)) {
        assertThat(replay(journal))
            .as("a file of %d bytes", length)
            .isEqualTo(kept.subList(0, records));
        assertThat(journal.counts().tornBytes()).isEqualTo(length - goodEnd);
        assertThat(journal.counts().damagedBytes()).isZero();
      }
      assertThat(Files.size(segment(1))).isEqualTo(goodEnd);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aFlippedBitIsReportedWithItsPlaceAndCostsTheRecordItHit(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> kept = new ArrayList<>();
    try (Journal journal = open(Sync.INTERVAL, 1 << 20)) {
      for (int i = 0; i < 10; i++) {
        kept.add("record " + i + "x".repeat(random.nextInt(300)));
        append(journal, kept.getLast());
      }
    }
    byte[] bytes = Files.readAllBytes(segment(1));
    int hit = random.nextInt(9);
    int from = SegmentFormat.HEADER.length;
    for (int i = 0; i < hit; i++) {
      from += SegmentFormat.HEAD_BYTES + kept.get(i).length();
    }
    int length = SegmentFormat.HEAD_BYTES + kept.get(hit).length();
    bytes[from + random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
    Files.write(segment(1), bytes);
    kept.remove(hit);

    List<String> reported = new ArrayList<>();
    SegmentReader reader =
        new SegmentReader(
            segment(1),
            (file, offset, lost, reason) -> reported.add(file + " " + offset + " " + lost));
    List<String> found = new ArrayList<>();
    for (byte[] record = reader.next(); record != null; record = reader.next()) {
      found.add(new String(record));
    }
    assertThat(found).isEqualTo(kept);
    assertThat(reported).containsExactly(segment(1) + " " + from + " " + length);
    assertThat(reader.tornBytes()).isZero();
    try (Journal journal = open(Sync.INTERVAL, 1 << 20)) {
      assertThat(replay(journal)).isEqualTo(kept);
      assertThat(journal.counts().damagedBytes()).isEqualTo(length);
    }
  }

  @Test
  void moreThanMayWaitOrMayBeKeptIsNotTaken() throws Exception {
    Journal.Settings small =
        new Journal.Settings(
            folder, Sync.NEVER, Duration.ofMillis(100), 1 << 18, 1 << 20, 1_000, 500);
    try (Journal journal = Journal.open(small)) {
      assertThat(journal.append(1, new byte[501], kept -> {})).isEqualTo(AppendResult.REJECTED);
      for (int i = 0; i < 3; i++) {
        assertThat(append(journal, "x".repeat(400))).isTrue();
      }
      assertThat(journal.append(1, new byte[1], kept -> {})).isEqualTo(AppendResult.REJECTED);
      assertThat(journal.trouble()).hasValueSatisfying(text -> assertThat(text).contains("1000"));
    }
  }

  @Test
  void aFolderThatGoesAwayIsTroubleUntilItIsBackAndLosesNothing() throws Exception {
    Path moved = folder.resolveSibling(folder.getFileName() + "-moved");
    try (Journal journal = open(Sync.INTERVAL, 60)) {
      assertThat(append(journal, "a record that fills its segment, whatever else is in it"))
          .isTrue();
      // The next record needs a new segment, which has no folder to be in.
      Files.move(folder, moved);
      assertThat(append(journal, "lost, and said to be lost")).isFalse();
      assertThat(journal.trouble())
          .hasValueSatisfying(text -> assertThat(text).contains(folder.toString()));
      assertThat(journal.append(journal.segment(), new byte[1], kept -> {}))
          .isEqualTo(AppendResult.REJECTED);
      Files.move(moved, folder);
      while (journal.trouble().isPresent()) {
        Thread.onSpinWait();
      }
      assertThat(append(journal, "kept again")).isTrue();
    }
    try (Journal journal = open(Sync.INTERVAL, 60)) {
      assertThat(replay(journal))
          .startsWith("a record that fills its segment, whatever else is in it");
      assertThat(replay(journal))
          .endsWith("kept again")
          .doesNotContain("lost, and said to be lost");
    }
  }

  @Test
  void whatIsNoSegmentIsLeftAlone() throws Exception {
    Files.writeString(folder.resolve("notes.txt"), "mine", StandardOpenOption.CREATE_NEW);
    try (Journal journal = open(Sync.NEVER, 100)) {
      assertThat(replay(journal)).isEmpty();
      journal.dropBefore(Long.MAX_VALUE);
    }
    assertThat(folder.resolve("notes.txt")).hasContent("mine");
  }

  private Journal open(Sync sync, int segmentBytes) throws IOException {
    return Journal.open(
        new Journal.Settings(
            folder, sync, Duration.ofMillis(5), 1 << 10, segmentBytes, 1L << 30, 1L << 30));
  }

  private Path segment(long number) {
    return SegmentFormat.file(folder, number);
  }

  private static boolean append(Journal journal, String text) {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    assertThat(journal.append(journal.segment(), text.getBytes(), kept::complete))
        .isEqualTo(AppendResult.QUEUED);
    return kept.join();
  }

  private static List<String> replay(Journal journal) throws Exception {
    List<String> records = new ArrayList<>();
    journal.replay((segment, record) -> records.add(new String(record)));
    return records;
  }
}
