package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.journal.Journal.Sync;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closed segments of a journal, written in fewer bytes. */
class PackedSegmentTest {
  /** Leaves out the zeros that the records of this test end with; records of a letter together. */
  private static final Packing NO_ZEROS =
      new Packing() {
        @Override
        public List<Part> pack(List<byte[]> records) {
          List<Part> parts = new ArrayList<>();
          for (char first = 'a'; first <= 'z'; first++) {
            StringBuilder text = new StringBuilder();
            int count = 0;
            for (byte[] record : records) {
              if (record[0] == first) {
                text.append(text(record)).append('\n');
                count++;
              }
            }
            if (count > 0) {
              parts.add(new Part("letter " + first, count, text.toString().getBytes()));
            }
          }
          return parts;
        }

        @Override
        public List<byte[]> unpack(byte[] part) throws IOException {
          String text = new String(part, StandardCharsets.US_ASCII);
          if (text.contains("?")) {
            throw new IOException("a question");
          }
          return text.lines().map(PackedSegmentTest::record).toList();
        }
      };

  @TempDir private Path folder;
  @TempDir private Path left;
  private final LosingDisk disk = new LosingDisk();

  private static byte[] record(String text) {
    byte[] record = new byte[100];
    System.arraycopy(text.getBytes(), 0, record, 0, text.length());
    return record;
  }

  private static String text(byte[] record) {
    return new String(record, StandardCharsets.US_ASCII).replace("\0", "");
  }

  private Journal open(Path in) throws IOException {
    return Journal.open(
        new Journal.Settings(
            in, Sync.ALWAYS, Duration.ofHours(1), 1 << 20, 8_000, 1L << 30, 1L << 30),
        NO_ZEROS,
        disk);
  }

  private static void append(Journal journal, String... texts) {
    for (String text : texts) {
      CompletableFuture<Boolean> done = new CompletableFuture<>();
      journal.append(journal.segment(), record(text), done::complete);
      assertThat(done.join()).isTrue();
    }
  }

  /** Ends the segment that is written, and waits until it is closed. */
  private static void end(Journal journal) {
    long number = journal.segment();
    for (int i = 0; journal.segment() == number; i++) {
      append(journal, "z" + i);
      journal.endSegment();
    }
    await().until(() -> journal.unpacked().contains(number));
  }

  private static List<String> replayed(Journal journal) throws Exception {
    List<String> found = new ArrayList<>();
    journal.replay((segment, record) -> found.add(text(record)));
    return found;
  }

  private Path plain(long number) {
    return SegmentFormat.file(folder, number);
  }

  private Path packed(long number) {
    return SegmentFormat.packedFile(folder, number);
  }

  @Test
  void theFormIsHeldByItsBytes() throws IOException {
    Path file = folder.resolve("x.packed");
    long size =
        PackedSegment.write(
            disk, file, List.of(new Packing.Part("letter a", 2, new byte[] {1, 2, 3})));
    assertThat(Files.size(file)).isEqualTo(size);
    byte[] bytes = Files.readAllBytes(file);
    assertThat(HexFormat.of().formatHex(bytes, 0, 5)).isEqualTo("46474a5001");
    assertThat(new String(bytes, 5 + 16, 31)).isEqualTo("C0 20 2 records of letter a\n" + "REC");
    assertThat(HexFormat.of().formatHex(bytes, bytes.length - 4, bytes.length))
        .isEqualTo("50010203");
  }

  @Test
  void aClosedSegmentIsPackedAndReadAtTheNextStart() throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1", "b1", "a2");
      assertThat(journal.unpacked()).as("it is being written").isEmpty();
      end(journal);
      append(journal, "a3");
      long before = journal.bytes();
      journal.pack(1);
      assertThat(packed(1)).exists();
      assertThat(plain(1)).doesNotExist();
      assertThat(journal.bytes()).isLessThan(before / 2);
      assertThat(journal.unpacked()).isEmpty();
      assertThat(journal.counts().packed()).isEqualTo(1);
    }
    try (Journal journal = open(folder)) {
      List<String> found = replayed(journal);
      assertThat(found).startsWith("a1", "a2", "b1").endsWith("a3");
      assertThat(journal.counts().damagedBytes()).isZero();
      assertThat(journal.unpacked()).containsExactly(2L);
      journal.dropBefore(2);
      assertThat(packed(1)).doesNotExist();
      assertThat(journal.segments()).isEqualTo(1);
    }
  }

  @Test
  void aSmallSegmentDoesNotEnd() throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1");
      journal.endSegment();
      assertThat(journal.segment()).isEqualTo(1);
      append(journal, "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9");
      journal.endSegment();
      assertThat(journal.segment()).isEqualTo(2);
      journal.endSegment();
      assertThat(journal.segment()).as("nothing is in it").isEqualTo(2);
    }
  }

  @Test
  void aSegmentThatIsDamagedStaysAsItIs() throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1", "b1", "a2");
      end(journal);
    }
    byte[] bytes = Files.readAllBytes(plain(1));
    bytes[5 + 16 + 50] ^= 1;
    Files.write(plain(1), bytes);
    try (Journal journal = open(folder)) {
      assertThat(replayed(journal)).startsWith("b1", "a2");
      long damaged = journal.counts().damagedBytes();
      journal.pack(1);
      assertThat(Files.readAllBytes(plain(1))).isEqualTo(bytes);
      assertThat(packed(1)).doesNotExist();
      assertThat(journal.unpacked()).as("it is not tried again").isEmpty();
      assertThat(journal.counts().damagedBytes()).as("counted once").isEqualTo(damaged);
    }
  }

  @Test
  void aSegmentThatIsDroppedWhileItIsPackedIsGone() throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1");
      end(journal);
      append(journal, "a2");
      disk.holdForces(true);
      CompletableFuture<Void> packing =
          CompletableFuture.runAsync(
              () -> {
                try {
                  journal.pack(1);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      await().until(() -> disk.heldForces() == 1);
      journal.dropBefore(2);
      disk.holdForces(false);
      packing.join();
      assertThat(packed(1)).doesNotExist();
      assertThat(plain(1)).doesNotExist();
      assertThat(journal.segments()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "folder"})
  void aSegmentThatCannotBePackedStaysAsItIs(String failing) throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1");
      end(journal);
      disk.failToForce(path -> Files.isDirectory(path) == failing.equals("folder"));
      assertThatThrownBy(() -> journal.pack(1)).isInstanceOf(IOException.class);
      assertThat(folder).isDirectoryNotContaining(path -> path.toString().contains("packed"));
      assertThat(journal.unpacked()).containsExactly(1L);
      disk.failToForce(false);
      journal.pack(1);
      assertThat(packed(1)).exists();
    }
  }

  @Test
  void whenThePowerFailsWhileASegmentIsPackedItIsThereInOneForm() throws Exception {
    List<Path> states = new ArrayList<>();
    try (Journal journal = open(folder)) {
      append(journal, "a1", "a2");
      end(journal);
      append(journal, "a3");
      // Before each force: of the packed file, and of its name.
      disk.failToForce(
          path -> {
            powerFails(states);
            return false;
          });
      journal.pack(1);
      disk.failToForce(false);
      powerFails(states);
    }
    assertThat(states).hasSize(3);
    assertThat(SegmentFormat.packedFile(states.get(0), 1)).doesNotExist();
    assertThat(SegmentFormat.file(states.get(2), 1)).doesNotExist();
    for (Path state : states) {
      try (Journal journal = Journal.open(Journal.Settings.defaults(state), NO_ZEROS)) {
        assertThat(replayed(journal)).startsWith("a1", "a2").endsWith("a3");
      }
    }
  }

  private void powerFails(List<Path> states) {
    try {
      states.add(left.resolve("state" + states.size()));
      disk.powerFails(folder, states.getLast());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatAProcessLeftThatEndedWhileItPackedIsRemoved() throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1");
      end(journal);
      byte[] plain = Files.readAllBytes(plain(1));
      journal.pack(1);
      Files.write(plain(1), plain);
      Files.write(folder.resolve("0000000000000009.packed.unfinished"), new byte[10]);
    }
    try (Journal journal = open(folder)) {
      assertThat(replayed(journal)).containsOnlyOnce("a1");
      assertThat(folder).isDirectoryNotContaining(path -> path.toString().endsWith("unfinished"));
      assertThat(plain(1)).doesNotExist();
    }
  }

  @Test
  void ofADamagedPartItIsSaidWhatIsLost() throws Exception {
    try (Journal journal = open(folder)) {
      append(journal, "a1", "b1", "a2", "c1");
      end(journal);
      journal.pack(1);
    }
    byte[] bytes = Files.readAllBytes(packed(1));
    for (int at = 0; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      Files.write(packed(1), damaged);
      List<String> reasons = new ArrayList<>();
      PackedSegment segment =
          new PackedSegment(
              packed(1), NO_ZEROS, (file, offset, length, reason) -> reasons.add(reason));
      List<String> found = new ArrayList<>();
      for (byte[] record = segment.next(); record != null; record = segment.next()) {
        found.add(text(record));
      }
      assertThat(reasons).as("byte %d", at).hasSize(1);
      for (String each : List.of("a1", "b1", "c1")) {
        assertThat(found.contains(each))
            .as("byte %d: %s", at, reasons)
            .isEqualTo(!reasons.getFirst().contains("records of letter " + each.charAt(0)));
      }
    }
    Files.write(packed(1), Arrays.copyOf(bytes, bytes.length - 1));
    try (Journal journal = open(folder)) {
      assertThat(replayed(journal)).containsExactly("a1", "a2", "b1", "c1");
      assertThat(journal.counts().damagedBytes()).isPositive();
      assertThat(Files.size(packed(1))).as("it is not cut").isEqualTo(bytes.length - 1);
    }
  }

  @Test
  void aPartThatCannotBeUnpackedIsDamageAndOneThatIsNotKnownToo() throws Exception {
    Path file = folder.resolve("x.packed");
    PackedSegment.write(
        disk,
        file,
        List.of(
            new Packing.Part("the first", 1, "?".getBytes()),
            new Packing.Part("the second", 1, "a1\n".getBytes())));
    List<String> reasons = new ArrayList<>();
    PackedSegment segment =
        new PackedSegment(
            file, NO_ZEROS, (of, offset, length, reason) -> reasons.add(length + " " + reason));
    assertThat(text(segment.next())).isEqualTo("a1");
    assertThat(segment.next()).isNull();
    assertThat(reasons)
        .containsExactly("18 a part cannot be unpacked: a question (1 records of the first)");
    try (Journal journal = open(folder.resolve("journal"))) {
      append(journal, "a1");
      end(journal);
      journal.pack(1);
    }
    Journal.Settings settings = Journal.Settings.defaults(folder.resolve("journal"));
    try (Journal journal = Journal.open(settings)) {
      assertThat(replayed(journal)).isEmpty();
      assertThat(journal.counts().damagedBytes()).isPositive();
    }
  }
}
