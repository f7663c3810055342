package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One segment: what the writer leaves in the file, and what the reader makes of any bytes. */
class SegmentTest {
  @TempDir private Path folder;
  private final List<String> reported = new ArrayList<>();
  private SegmentReader reader;

  private static byte[] segment(byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(SegmentFormat.HEADER);
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }

  private static byte[] record(String text) {
    byte[] record = text.getBytes();
    byte[] whole = Arrays.copyOf(SegmentFormat.head(record), 16 + record.length);
    System.arraycopy(record, 0, whole, 16, record.length);
    return whole;
  }

  private List<String> read(byte[] segment) throws IOException {
    Path file = Files.write(folder.resolve("1.journal"), segment);
    reader =
        new SegmentReader(
            file,
            (damaged, offset, length, reason) ->
                reported.add(offset + "+" + length + ": " + reason));
    List<String> found = new ArrayList<>();
    for (byte[] record = reader.next(); record != null; record = reader.next()) {
      found.add(new String(record));
    }
    return found;
  }

  @Test
  void anEmptyFileHasNoRecordsAndNoDamage() throws IOException {
    assertThat(read(new byte[0])).isEmpty();
    assertThat(reader.goodEnd()).isZero();
    assertThat(reader.tornBytes()).isZero();
    assertThat(reported).isEmpty();
  }

  @Test
  void aHeaderAloneHasNoRecords() throws IOException {
    assertThat(read(segment())).isEmpty();
    assertThat(reader.goodEnd()).isEqualTo(5);
    assertThat(reader.tornBytes()).isZero();
  }

  @Test
  void aWrongHeaderIsReportedOnceAndTheRecordsAreRead() throws IOException {
    byte[] bytes = segment(record("one"));
    bytes[0] = 'x';
    bytes[4] = 9;
    assertThat(read(bytes)).containsExactly("one");
    assertThat(reported).containsExactly("0+5: the segment's header is wrong");
  }

  @Test
  void bytesBetweenRecordsAreReportedWithTheirPlace() throws IOException {
    assertThat(read(segment(record("one"), new byte[7], record("two"))))
        .containsExactly("one", "two");
    assertThat(reported).containsExactly("24+7: no record begins here");
  }

  @Test
  void aRecordWithAWrongChecksumIsSkippedByItsLength() throws IOException {
    byte[] bad = record("bad");
    bad[18] ^= 4;
    assertThat(read(segment(record("one"), bad, record("two")))).containsExactly("one", "two");
    assertThat(reported).containsExactly("24+19: the checksum of a record of 3 bytes is wrong");
  }

  @Test
  void twoDamagedRecordsInARowAreOneReport() throws IOException {
    byte[] bad = record("bad");
    bad[18] ^= 4;
    assertThat(read(segment(bad, bad, record("two")))).containsExactly("two");
    assertThat(reported).containsExactly("5+38: the checksum of a record of 3 bytes is wrong");
  }

  @Test
  void anUndamagedHeadInsideARecordWhoseLengthIsTooLongIsFound() throws IOException {
    byte[] cut = Arrays.copyOf(record("x".repeat(1_000)), 20);
    assertThat(read(segment(cut, record("two")))).containsExactly("two");
    assertThat(reported).containsExactly("5+20: a record of 1000 bytes is cut off");
  }

  @Test
  void aTailWithoutAnUndamagedRecordIsTornAndNotDamage() throws IOException {
    byte[] bad = record("bad");
    bad[18] ^= 4;
    assertThat(read(segment(record("one"), bad, new byte[3]))).containsExactly("one");
    assertThat(reported).isEmpty();
    assertThat(reader.goodEnd()).isEqualTo(24);
    assertThat(reader.tornBytes()).isEqualTo(22);
  }

  @Test
  void aRecordOfNoBytesIsARecord() throws IOException {
    assertThat(read(segment(record(""), record("")))).containsExactly("", "");
    assertThat(reader.goodEnd()).isEqualTo(37);
  }

  @Test
  void aHeadIsUndamagedOnlyWithItsMagicItsLengthAndItsChecksum() {
    byte[] head = SegmentFormat.head("abc".getBytes());
    assertThat(isHead(head, 0)).isTrue();
    assertThat(isHead(Arrays.copyOf(head, 15), 0)).isFalse();
    assertThat(isHead(head, 1)).isFalse();
    for (int bit = 0; bit < 128; bit++) {
      byte[] flipped = head.clone();
      flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
      assertThat(isHead(flipped, 0)).as("bit %d", bit).isFalse();
    }
    byte[] negative = head.clone();
    SegmentFormat.INT.set(negative, 4, -1);
    CRC32C check = new CRC32C();
    check.update(negative, 0, 12);
    SegmentFormat.INT.set(negative, 12, (int) check.getValue());
    assertThat(isHead(negative, 0)).isFalse();
  }

  private static boolean isHead(byte[] bytes, int at) {
    return SegmentFormat.isHead(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), at);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void ofDamagedBytesWhatIsReadReportedAndTornIsTheWholeFile(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      byte[][] parts = new byte[1 + random.nextInt(6)][];
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < parts.length; i++) {
        texts.add(i + "x".repeat(random.nextInt(60)));
        parts[i] = record(texts.getLast());
      }
      byte[] bytes = segment(parts);
      for (int hits = random.nextInt(4); hits > 0; hits--) {
        bytes[5 + random.nextInt(bytes.length - 5)] = (byte) random.nextInt(256);
      }
      reported.clear();
      List<String> found = read(Arrays.copyOf(bytes, 5 + random.nextInt(bytes.length - 4)));
      assertThat(found).isSubsetOf(texts).isSorted();
      long lost =
          reported.stream()
              .mapToLong(each -> Long.parseLong(each.replaceAll(".*\\+(\\d+): .*", "$1")))
              .sum();
      long kept = found.stream().mapToLong(text -> 16 + text.length()).sum();
      assertThat(5 + lost + kept).isEqualTo(reader.goodEnd());
      assertThat(reader.goodEnd() + reader.tornBytes())
          .isEqualTo(Files.size(folder.resolve("1.journal")));
    }
  }

  @Test
  void recordsLargerThanTheBufferAreWrittenWhole() throws IOException {
    byte[] large = new byte[700_000];
    new SplittableRandom(1).nextBytes(large);
    try (SegmentWriter writer = SegmentWriter.begin(FileChannel::open, folder, 2)) {
      writer.write(large);
      assertThat(writer.size()).isEqualTo(5);
      writer.write(new byte[] {1});
      writer.flush();
      assertThat(writer.size()).isEqualTo(5 + 16 + 700_000 + 16 + 1);
      writer.force();
    }
    SegmentReader whole =
        new SegmentReader(
            SegmentFormat.file(folder, 2), (file, offset, length, reason) -> reported.add(reason));
    assertThat(whole.next()).isEqualTo(large);
    assertThat(whole.next()).containsExactly(1);
    assertThat(whole.next()).isNull();
    assertThat(reported).isEmpty();
  }

  @Test
  void askingForRoomLeavesNothingBehind() throws IOException {
    try (SegmentWriter writer = SegmentWriter.begin(FileChannel::open, folder, 2)) {
      writer.requireRoom();
      assertThat(Files.size(SegmentFormat.file(folder, 2))).isEqualTo(5);
      writer.write("one".getBytes());
      writer.flush();
    }
    assertThat(read(Files.readAllBytes(SegmentFormat.file(folder, 2)))).containsExactly("one");
  }

  @Test
  void anAbandonedSegmentKeepsWhatWasFlushed() throws IOException {
    SegmentWriter writer = SegmentWriter.begin(FileChannel::open, folder, 2);
    writer.write("one".getBytes());
    writer.flush();
    writer.write(new byte[700_000]);
    writer.abandon();
    assertThat(Files.size(SegmentFormat.file(folder, 2))).isEqualTo(5 + 16 + 3);
    assertThatThrownBy(writer::flush).isInstanceOf(IOException.class);
    writer.abandon();
  }

  @Test
  void beginningASegmentOverwritesWhatAFailedAttemptLeft() throws IOException {
    Files.write(SegmentFormat.file(folder, 2), new byte[100]);
    SegmentWriter.begin(FileChannel::open, folder, 2).close();
    assertThat(Files.readAllBytes(SegmentFormat.file(folder, 2))).isEqualTo(SegmentFormat.HEADER);
  }

  @Test
  void aSegmentWhoseFolderCannotBeForcedIsNotBegunAndItsFileIsClosed() throws IOException {
    List<FileChannel> opened = new ArrayList<>();
    PrivateFiles.Opener opener =
        (path, options) -> {
          if (path.equals(folder)) {
            throw new IOException("Input/output error");
          }
          opened.add(FileChannel.open(path, options));
          return opened.getLast();
        };
    assertThatThrownBy(() -> SegmentWriter.begin(opener, folder, 2))
        .isInstanceOf(IOException.class)
        .hasMessage("Input/output error");
    assertThat(opened).hasSize(1).noneMatch(FileChannel::isOpen);
  }
}
