package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalFolderTest {
  @TempDir private Path parent;
  private Path path;
  private JournalFolder folder;

  @BeforeEach
  void openTheFolder() throws IOException {
    path = parent.resolve("a/journal");
    folder = JournalFolder.open(path, FileChannel::open);
  }

  private void write(long number, String... records) throws IOException {
    try (SegmentWriter writer = folder.begin(number)) {
      for (String record : records) {
        writer.write(record.getBytes());
      }
      writer.flush();
    }
  }

  @Test
  void openingCreatesTheFolderAndThoseAboveIt() {
    assertThat(path).isEmptyDirectory();
    assertThat(folder).hasToString(path.toString());
  }

  @Test
  void onlySegmentsAreListedWithTheirBytes() throws IOException {
    write(12, "abc");
    write(3);
    Files.writeString(path.resolve("notes.txt"), "mine");
    Files.writeString(path.resolve("x.journal"), "no number");
    Files.writeString(path.resolve("-5.journal"), "a negative number");
    Files.writeString(path.resolve("0000000000000007.journal.old"), "another suffix");
    assertThat(folder.sizes()).containsExactly(Map.entry(3L, 5L), Map.entry(12L, 5L + 16 + 3));
  }

  @Test
  void aFolderThatIsGoneCannotBeListed() throws IOException {
    Files.delete(path);
    assertThatThrownBy(() -> folder.sizes()).isInstanceOf(NoSuchFileException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0000000000000001.journal, 1",
    "1.journal, 1",
    "9223372036854775807.journal, 9223372036854775807",
    "9223372036854775808.journal, -1",
    "journal, -1",
    ".journal, -1",
    "1.journal.gz, -1",
    "1, -1"
  })
  void aSegmentIsKnownByItsFileName(String name, long number) {
    assertThat(SegmentFormat.number(Path.of("/somewhere", name))).isEqualTo(number);
  }

  @Test
  void theFileNamesOfSegmentsHaveSixteenDigitsAndReadBack() {
    for (long number : new long[] {1, 42, 1L << 40, Long.MAX_VALUE}) {
      Path file = SegmentFormat.file(path, number);
      assertThat(file.getFileName().toString()).matches("\\d{16,}\\.journal");
      assertThat(SegmentFormat.number(file)).isEqualTo(number);
    }
  }

  @Test
  void theRecordsOfASegmentAreReadInOrder() throws IOException {
    write(1, "one", "", "three");
    assertThat(folder.read(1)).containsExactly("one".getBytes(), new byte[0], "three".getBytes());
    assertThat(folder.damagedBytes()).isZero();
  }

  @Test
  void aSegmentThatDoesNotExistIsAnError() {
    assertThatThrownBy(() -> folder.read(4)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void damagedBytesOfAllSegmentsAreCountedTogether() throws IOException {
    for (long number : List.of(1L, 2L)) {
      write(number, "one", "two", "three");
      byte[] bytes = Files.readAllBytes(SegmentFormat.file(path, number));
      bytes[5 + 16] ^= 1;
      Files.write(SegmentFormat.file(path, number), bytes);
      assertThat(folder.read(number)).containsExactly("two".getBytes(), "three".getBytes());
      assertThat(folder.damagedBytes()).isEqualTo(number * (16 + 3));
    }
  }

  @Test
  void aTornTailIsCutBehindTheLastWholeRecord() throws IOException {
    write(1, "one", "two");
    Path file = SegmentFormat.file(path, 1);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    SegmentReader reader = folder.reader(1);
    assertThat(reader.next()).isEqualTo("one".getBytes());
    assertThat(reader.next()).isNull();
    assertThat(folder.cut(1, reader)).isTrue();
    assertThat(Files.size(file)).isEqualTo(5 + 16 + 3);
    assertThat(folder.read(1)).containsExactly("one".getBytes());
  }

  @Test
  void aTailThatCannotBeCutStaysAndIsSkippedAgain() throws IOException {
    write(1, "one");
    Path file = SegmentFormat.file(path, 1);
    Files.write(file, new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
    JournalFolder readOnly =
        JournalFolder.open(
            path,
            (opened, options) -> {
              throw new IOException("Read-only file system");
            });
    SegmentReader reader = readOnly.reader(1);
    assertThat(reader.next()).isEqualTo("one".getBytes());
    assertThat(reader.next()).isNull();
    assertThat(reader.tornBytes()).isEqualTo(3);
    assertThat(readOnly.cut(1, reader)).isFalse();
    assertThat(Files.size(file)).isEqualTo(5 + 16 + 3 + 3);
    assertThat(readOnly.read(1)).containsExactly("one".getBytes());
  }

  @Test
  void deletingASegmentRemovesItsFileAndOneThatIsGoneIsNoError() throws IOException {
    write(1, "one");
    write(2, "two");
    folder.delete(1);
    folder.delete(1);
    assertThat(folder.sizes()).containsOnlyKeys(2L);
  }

  @Test
  void aSegmentThatCannotBeRemovedIsLeftThere() throws IOException {
    Path stuck = SegmentFormat.file(path, 5);
    Files.createDirectories(stuck.resolve("not empty"));
    folder.delete(5);
    assertThat(stuck).exists();
  }
}
