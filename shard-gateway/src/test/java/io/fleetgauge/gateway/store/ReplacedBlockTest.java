package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A damaged block is replaced by the same block of another gateway. */
class ReplacedBlockTest {
  private static final int TICKS = 500;
  private static final long STEP = 15_000;

  @TempDir private Path folder;
  private final List<String> incomplete = new ArrayList<>();
  private HostWriter writer;
  private List<Series> whole;
  private List<Path> files;

  /** Jobs change often, one series is in one block only; the newest samples stay in memory. */
  @BeforeEach
  void write() throws Exception {
    writer = new HostWriter(folder.resolve("store"), "n1");
    for (int i = 0; i < TICKS; i++) {
      String job = "job-" + i / 40;
      writer.send(i * STEP, writer.gpu("power", "GPU-1", job), i);
      writer.send(i * STEP, writer.series("load"), i % 7);
      if (i / 120 == 1) {
        writer.send(i * STEP, writer.series("short", "i", "" + i / 130), i);
      }
    }
    writer.sealAll(TICKS * STEP);
    whole = read();
    assertThat(incomplete).isEmpty();
    files = writer.store().blockFiles("n1");
    assertThat(files).hasSizeGreaterThan(2);
  }

  private List<Series> read() throws Exception {
    Selection all = new Selection(Parser.parseSelector("{Hostname=\"n1\"}"), -1, Long.MAX_VALUE);
    incomplete.clear();
    return writer.store().select(List.of("n1"), all, 1_000_000, incomplete::add, StopCheck.NEVER);
  }

  /** What another gateway would send of a block. */
  private Path received(Path block) throws IOException {
    return Files.copy(block, folder.resolve(block.getFileName() + ".unfinished"));
  }

  private static void cutOff(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
  }

  /** The first record begins behind the header of five bytes. */
  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[12] ^= 1;
    Files.delete(file);
    Files.write(file, bytes);
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aBlockThatCouldNotBeOpenedIsReplacedWithItsSeriesAndOwners(int place) throws Exception {
    whole = sealedOnly();
    Path damaged = files.get(place);
    Path good = received(damaged);
    cutOff(damaged);
    writer.restart();
    assertThat(read()).isNotEqualTo(whole);
    assertThat(incomplete).isNotEmpty();
    assertThat(writer.store().damagedBlocks("n1")).containsExactly(name(damaged));
    if (place == files.size() - 1) {
      // Samples of its time are still accepted, as those of the journal are.
      assertThatThrownBy(() -> writer.store().replaceBlock("n1", good, name(damaged)))
          .hasMessage("other samples of the time of " + name(damaged) + " are here");
      copyAndSealAgain(good, damaged);
      return;
    }
    writer.store().replaceBlock("n1", good, name(damaged));
    assertIsWhole();
    writer.restart();
    assertIsWhole();
  }

  @Test
  void aBlockIsNotReplacedWhileItsTimeIsSealedAgain() throws Exception {
    whole = sealedOnly();
    Path damaged = files.getLast();
    Path good = received(damaged);
    cutOff(damaged);
    writer.restart();
    copy(good, damaged);
    long later = TICKS * STEP + 4 * HostWriter.BLOCK_MILLIS;
    Sealing sealing = writer.lane().beginSealing(later, Long.MIN_VALUE).orElseThrow();
    assertThatThrownBy(() -> writer.store().replaceBlock("n1", good, name(damaged)))
        .hasMessage("other samples of the time of " + name(damaged) + " are here");
    writer.lane().finish(sealing.write(writer.store().folder("n1")));
    assertThat(read()).as("no sample is there twice").isEqualTo(whole);
    writer.lane().missing().foundLost(lost -> true);
    assertIsWhole();
  }

  /** The samples come page by page, as those of any time that is not in a block. */
  private void copy(Path good, Path damaged) throws Exception {
    HostWriter other = new HostWriter(folder.resolve("other"), "n1");
    Files.createDirectories(other.store().folder("n1"));
    Files.copy(good, other.store().folder("n1").resolve(name(damaged)));
    other.restart();
    assertThat(other.store().isIntact("n1")).isTrue();
    List<Series> all = other.lane().all(0, TICKS * STEP);
    for (long time = 0; time < TICKS * STEP; time += STEP) {
      for (Series each : all) {
        int at = Arrays.binarySearch(each.times(), time);
        if (at >= 0) {
          Labels[] labels = {each.labels()};
          double[] value = {each.values()[at]};
          writer.append(Lane.Source.JOURNAL, time, labels, value, null);
        }
      }
    }
    assertThat(read()).isEqualTo(whole);
    assertThat(incomplete).as("nobody has said that this is all").isNotEmpty();
  }

  private void copyAndSealAgain(Path good, Path damaged) throws Exception {
    copy(good, damaged);
    assertThat(writer.store().isIntact("n1")).isFalse();
    assertThat(writer.lane().missing().takeUnneeded()).isEmpty();
    writer.lane().missing().foundLost(lost -> true);
    assertIsWhole();
    assertThat(writer.store().isIntact("n1")).isTrue();
    assertThat(writer.store().blockFiles("n1")).contains(damaged);
    assertThat(writer.lane().missing().takeUnneeded()).containsExactly(damaged);
    assertThat(writer.lane().missing().takeUnneeded()).as("it is told once").isEmpty();
    Files.delete(damaged);
    writer.sealAll(TICKS * STEP + 4 * HostWriter.BLOCK_MILLIS);
    assertIsWhole();
    writer.restart();
    assertIsWhole();
  }

  @Test
  void aDamagedFileIsUnneededWhenItsTimeHasExpired() throws Exception {
    cutOff(files.getFirst());
    writer.restart();
    assertThat(writer.lane().missing().takeUnneeded()).isEmpty();
    assertThat(writer.store().blockFiles("n1")).contains(files.getFirst());
    writer.lane().dropBlocks(HostWriter.BLOCK_MILLIS);
    assertThat(writer.lane().missing().takeUnneeded()).containsExactly(files.getFirst());
    assertThat(writer.store().blockFiles("n1")).doesNotContain(files.getFirst());
  }

  /** What is left when memory is lost. */
  private List<Series> sealedOnly() throws Exception {
    writer.restart();
    return read();
  }

  @Test
  void aBlockWithADamagedSeriesIsReplacedWhileSamplesAreInMemory() throws Exception {
    Path damaged = files.get(1);
    Path good = received(damaged);
    whole = sealedOnly();
    flip(damaged);
    writer.restart();
    long now = TICKS * STEP;
    writer.send(now, writer.series("load"), 1);
    read();
    assertThat(incomplete).isNotEmpty();
    assertThat(writer.store().damagedBlocks("n1")).containsExactly(name(damaged));
    writer.store().replaceBlock("n1", good, name(damaged));
    List<Series> all = read();
    assertThat(incomplete).isEmpty();
    Series load = all.stream().filter(each -> isLoad(each.labels())).findFirst().orElseThrow();
    assertThat(load.times()[load.size() - 1]).isEqualTo(now);
    assertThat(all.stream().filter(each -> !isLoad(each.labels())).toList())
        .isEqualTo(whole.stream().filter(each -> !isLoad(each.labels())).toList());
    // A sample of a series goes on behind what the block has of it.
    assertThat(writer.send(now, writer.series("short", "i", "1"), 5).kept()).isEqualTo(1);
    assertThat(writer.store().counts().blocks.replaced.sum()).isEqualTo(1);
  }

  private static boolean isLoad(Labels labels) {
    return labels.metric().equals("load");
  }

  private void assertIsWhole() throws Exception {
    assertThat(read()).isEqualTo(whole);
    assertThat(incomplete).isEmpty();
    assertThat(writer.store().damagedBlocks("n1")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void whateverTheOwnersWereItIsAsIfTheBlockHadNotBeenDamaged(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    writer = new HostWriter(folder.resolve("random"), "n1");
    String[] job = {"a", "b", "c"};
    for (int i = 0; i < TICKS; i++) {
      for (int gpu = 0; gpu < 3; gpu++) {
        Labels labels = writer.gpu("power", "GPU-" + gpu, job[gpu]);
        if (random.nextInt(25) == 0) {
          if (random.nextBoolean()) {
            writer.send(i * STEP, labels, Staleness.MARKER);
          }
          job[gpu] = List.of("", "a", "b", "c", "d").get(random.nextInt(5));
        } else if (random.nextInt(5) > 0) {
          writer.send(i * STEP, labels, i);
        }
      }
    }
    writer.sealAll(TICKS * STEP);
    whole = sealedOnly();
    files = writer.store().blockFiles("n1");
    Path damaged = files.get(random.nextInt(files.size() - 1));
    Path good = received(damaged);
    cutOff(damaged);
    writer.restart();
    assertThat(read()).isNotEqualTo(whole);
    writer.store().replaceBlock("n1", good, name(damaged));
    assertIsWhole();
  }

  @Test
  void aFileOfAnotherTimeOrADamagedOneReplacesNothing() throws Exception {
    Path damaged = files.get(1);
    Path other = received(files.get(0));
    cutOff(damaged);
    Path alsoDamaged = received(damaged);
    writer.restart();
    List<Series> left = read();
    assertThatThrownBy(() -> writer.store().replaceBlock("n1", other, name(damaged)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not that of " + name(damaged));
    assertThatThrownBy(() -> writer.store().replaceBlock("n1", alsoDamaged, name(damaged)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is damaged");
    assertThatThrownBy(() -> Store.checkBlock(alsoDamaged)).isInstanceOf(IOException.class);
    assertThat(read()).isEqualTo(left);
    assertThat(writer.store().damagedBlocks("n1")).containsExactly(name(damaged));
  }

  @Test
  void aCheckedFileIsWholeInEverySeries() throws Exception {
    Path good = received(files.get(0));
    Store.checkBlock(good);
    flip(good);
    assertThatThrownBy(() -> Store.checkBlock(good)).hasMessageContaining("are damaged");
  }

  @Test
  void aBlockThatIsNotDamagedStays() throws Exception {
    Path good = received(files.get(0));
    writer.store().replaceBlock("n1", good, name(files.get(0)));
    assertThat(good).doesNotExist();
    assertThat(read()).isEqualTo(whole);
    assertThat(writer.store().counts().blocks.replaced.sum()).isZero();
  }
}
