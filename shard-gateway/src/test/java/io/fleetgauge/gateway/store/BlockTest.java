package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockTest {
  private static final int SERIES = 20;

  @TempDir private Path folder;
  private final List<String> incomplete = new ArrayList<>();

  private Store store() throws Exception {
    Duration hour = Duration.ofHours(1);
    Store store =
        new Store(
            folder,
            new StoreLimits(
                hour.multipliedBy(24), 1 << 30, hour, hour.dividedBy(2), hour, 100, 100, 100),
            Dimensions.DEFAULT);
    store.restore("n1");
    return store;
  }

  /** A block of half an hour with twenty series of 120 samples. */
  private Path block() throws Exception {
    Lane lane = store().lane("n1");
    Lane.Handle[] handles = new Lane.Handle[SERIES];
    for (int i = 0; i < SERIES; i++) {
      handles[i] =
          lane.handle(Labels.of(Labels.NAME, "m", "Hostname", "n1", "i", String.format("%02d", i)));
    }
    double[] values = new double[SERIES];
    for (int tick = 0; tick < 120; tick++) {
      for (int i = 0; i < SERIES; i++) {
        values[i] = tick % (i + 1);
      }
      lane.append(
          Lane.Source.SENDER,
          tick * 15_000L,
          Long.MAX_VALUE,
          handles,
          values,
          null,
          new WriteOutcome());
    }
    lane.beginSealing(3_600_000, 0).orElseThrow().write(folder.resolve("n1"));
    try (Stream<Path> files = Files.list(folder.resolve("n1"))) {
      return files.toList().getFirst();
    }
  }

  private List<Series> read(Store store) throws Exception {
    Selection all = new Selection(Parser.parseSelector("m"), -1, Long.MAX_VALUE);
    incomplete.clear();
    return store.select(List.of("n1"), all, 1_000_000, incomplete::add, StopCheck.NEVER);
  }

  @Test
  void theFormatIsHeldByItsBytes() throws Exception {
    byte[] bytes = Files.readAllBytes(block());
    assertThat(HexFormat.of().formatHex(bytes, 0, 5)).isEqualTo("4647424b01");
    // The first record: its check, the first list of times, all values the same, which is 0.
    assertThat(HexFormat.of().formatHex(bytes, 9, 9 + 3)).isEqualTo("00" + "00" + "00");
    assertThat(new String(bytes, bytes.length - 4, 4)).isEqualTo("FGBE");
    assertThat(bytes.length).isLessThan(SERIES * 120);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aFlippedBitCostsTheSeriesItHitAndIsCounted(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Path file = block();
    List<Series> whole = read(store());
    assertThat(whole).hasSize(SERIES);
    byte[] bytes = Files.readAllBytes(file);
    int at = random.nextInt(bytes.length);
    bytes[at] ^= (byte) (1 << random.nextInt(8));
    Files.write(file, bytes);
    Store store = store();
    List<Series> left = read(store);
    assertThat(store.counts().blocks.damaged.sum()).isEqualTo(1);
    // The directory is needed for all of them, a record for one.
    assertThat(left.size()).isIn(0, SERIES - 1);
    assertThat(whole).containsAll(left);
    assertThat(incomplete).as("nobody may take it for the whole").containsExactly("n1");
    // Lists of label sets and of values are short of the same series.
    SeriesSearch all = new SeriesSearch(0, Long.MAX_VALUE, 0, List.of());
    List<String> told = new ArrayList<>();
    assertThat(store.labelSets(List.of("n1"), all, told::add)).hasSize(left.size());
    assertThat(store.labelValues(List.of("n1"), "i", all, told::add)).hasSize(left.size());
    store.labelNames(List.of("n1"), all, told::add);
    assertThat(told).containsExactly("n1", "n1", "n1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aFileThatIsCutOffIsLeftOut(long seed) throws Exception {
    Path file = block();
    byte[] bytes = Files.readAllBytes(file);
    int length = new SplittableRandom(seed).nextInt(bytes.length);
    Files.write(file, java.util.Arrays.copyOf(bytes, length));
    Store store = store();
    assertThat(read(store)).isEmpty();
    assertThat(incomplete).containsExactly("n1");
    assertThat(store.counts().blocks.damaged.sum()).isEqualTo(1);
  }

  @Test
  void whatWasNotFinishedIsRemoved() throws Exception {
    Path file = block();
    Path unfinished = file.resolveSibling("9-10.block.unfinished");
    Files.write(unfinished, new byte[100]);
    assertThat(read(store())).hasSize(SERIES);
    assertThat(incomplete).isEmpty();
    assertThat(unfinished).doesNotExist();
  }

  @Test
  void theCheckOfARecordIsTheSumOfTheRest() throws Exception {
    byte[] bytes = Files.readAllBytes(block());
    CRC32C check = new CRC32C();
    check.update(bytes, 9, 3);
    assertThat(HexFormat.of().formatHex(bytes, 5, 9))
        .isEqualTo(HexFormat.of().toHexDigits(Integer.reverseBytes((int) check.getValue())));
  }
}
