package io.fleetgauge.gateway.store;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealingTest {
  private static final long TICK = 15_000;
  private static final long START = 10 * BLOCK_MILLIS;
  private static final long TICKS = BLOCK_MILLIS / TICK;

  @TempDir private Path folder;
  private HostWriter writer;
  private Labels up;
  private final List<String> incomplete = new ArrayList<>();

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
    up = writer.series("up");
  }

  private void send(long from, long to) {
    for (long time = from; time < to; time += TICK) {
      writer.send(time, up, time % 7);
    }
  }

  private long[] times(String selector) throws Exception {
    incomplete.clear();
    List<Series> found =
        writer
            .store()
            .select(
                List.of("n1"),
                new Selection(Parser.parseSelector(selector), Long.MIN_VALUE, Long.MAX_VALUE),
                1 << 20,
                incomplete::add,
                StopCheck.NEVER);
    return found.isEmpty() ? new long[0] : found.getFirst().times();
  }

  private static long[] ticks(long from, long to) {
    return LongStream.iterate(from, time -> time < to, time -> time + TICK).toArray();
  }

  private List<String> files() throws IOException {
    Path host = folder.resolve("n1");
    if (!Files.isDirectory(host)) {
      return List.of();
    }
    try (var files = Files.list(host)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void sealingBeginsWhenABlocksTimeHasBeenInMemoryForAsLongAgain() throws Exception {
    send(START, START + 3 * BLOCK_MILLIS);
    assertThat(writer.lane().beginSealing(START + 2 * BLOCK_MILLIS - 1, 0)).isEmpty();
    assertThat(writer.seal(START + 2 * BLOCK_MILLIS)).isTrue();
    assertThat(files()).containsExactly(START + "-" + (START + BLOCK_MILLIS) + ".block");
    assertThat(writer.lane().sealedBefore()).isEqualTo(START + BLOCK_MILLIS);
    assertThat(writer.seal(START + 2 * BLOCK_MILLIS)).isFalse();
    assertThat(times("up")).isEqualTo(ticks(START, START + 3 * BLOCK_MILLIS));
  }

  @Test
  void anEmptyLaneHasNothingToSeal() {
    assertThat(writer.lane().beginSealing(Long.MAX_VALUE, 0)).isEmpty();
  }

  @Test
  void aRestartHasExactlyTheSamplesOfTheBlocks() throws Exception {
    send(START, START + 4 * BLOCK_MILLIS);
    writer.sealAll(START + 4 * BLOCK_MILLIS);
    assertThat(files()).hasSize(3);
    writer.restart();
    assertThat(times("up")).isEqualTo(ticks(START, START + 3 * BLOCK_MILLIS));
    assertThat(writer.lane().newest()).isEqualTo(START + 3 * BLOCK_MILLIS - TICK);
    assertThat(writer.lane().sealedBefore()).isEqualTo(START + 3 * BLOCK_MILLIS);
    assertThat(writer.store().seriesCount()).isEqualTo(1);
    // The journal replays samples that are in blocks already; they change nothing.
    WriteOutcome again =
        writer.append(
            Lane.Source.JOURNAL,
            START + 3 * BLOCK_MILLIS - TICK,
            new Labels[] {up},
            new double[] {99},
            null);
    assertThat(again.kept() + again.refused()).isZero();
    send(START + 3 * BLOCK_MILLIS, START + 4 * BLOCK_MILLIS);
    assertThat(times("up")).isEqualTo(ticks(START, START + 4 * BLOCK_MILLIS));
  }

  @Test
  void samplesForATimeThatIsBeingSealedAreRefusedAndLaterOnesAreAccepted() throws Exception {
    send(START, START + 2 * BLOCK_MILLIS);
    Sealing sealing = writer.lane().beginSealing(START + 2 * BLOCK_MILLIS, 0).orElseThrow();
    assertThat(writer.send(START + 1, up, 1).refusal()).contains("too old sample");
    assertThat(writer.send(START + BLOCK_MILLIS - 1, up, 1).refused()).isEqualTo(1);
    assertThat(writer.send(START + BLOCK_MILLIS + 1, up, 1).kept()).isEqualTo(1);
    send(START + 2 * BLOCK_MILLIS, START + 2 * BLOCK_MILLIS + 10 * TICK);
    writer.lane().finish(sealing.write(writer.store().folder("n1")));
    long[] expected =
        LongStream.concat(
                Arrays.stream(ticks(START, START + 2 * BLOCK_MILLIS + 10 * TICK)),
                LongStream.of(START + BLOCK_MILLIS + 1))
            .sorted()
            .toArray();
    assertThat(times("up")).isEqualTo(expected);
  }

  @Test
  void lateSamplesAreInTheirPlacesInTheBlock() throws Exception {
    send(START, START + 2 * TICK);
    writer.send(START + TICK + 2, up, 5);
    writer.send(START + TICK + 1, up, 4);
    writer.send(START + 5 * BLOCK_MILLIS, up, 1);
    writer.sealAll(START + 5 * BLOCK_MILLIS);
    writer.restart();
    assertThat(times("up"))
        .containsExactly(START, START + TICK, START + TICK + 1, START + TICK + 2);
  }

  @Test
  void manyLateSamplesOfSeveralSeriesSurviveWithTheirValues() throws Exception {
    Labels[] both = {up, writer.series("down")};
    for (long tick = 0; tick < TICKS; tick += 2) {
      writer.send(START + tick * TICK, both, new double[] {tick, -tick}, null);
    }
    for (long tick = 1; tick < TICKS; tick += 2) {
      writer.send(START + tick * TICK, both, new double[] {tick, -tick}, null);
    }
    writer.send(START + 3 * BLOCK_MILLIS, both, new double[] {1, 2}, null);
    writer.sealAll(START + 3 * BLOCK_MILLIS);
    writer.restart();
    assertThat(times("up")).isEqualTo(ticks(START, START + BLOCK_MILLIS));
    assertThat(times("down")).isEqualTo(ticks(START, START + BLOCK_MILLIS));
    assertThat(
            writer
                .store()
                .select(
                    List.of("n1"),
                    new Selection(Parser.parseSelector("down"), 0, Long.MAX_VALUE),
                    1 << 20,
                    incomplete::add,
                    StopCheck.NEVER)
                .getFirst()
                .values())
        .isEqualTo(LongStream.range(0, TICKS).mapToDouble(tick -> -tick).toArray());
  }

  @Test
  void aHostThatWasCutOffContinuesInTheTimeThatIsLeftOfTheBlock() throws Exception {
    send(START, START + 10 * TICK);
    writer.sealAll(START + 5 * BLOCK_MILLIS);
    long end = START + 9 * TICK + 1;
    assertThat(files()).containsExactly(START + "-" + end + ".block");
    send(START + 10 * TICK, START + 20 * TICK);
    assertThat(times("up")).isEqualTo(ticks(START, START + 20 * TICK));
    writer.sealAll(START + 5 * BLOCK_MILLIS);
    assertThat(files())
        .containsExactly(
            START + "-" + end + ".block", end + "-" + (START + 19 * TICK + 1) + ".block");
    writer.restart();
    assertThat(times("up")).isEqualTo(ticks(START, START + 20 * TICK));
  }

  @Test
  void samplesThatHaveExpiredAreNotWritten() throws Exception {
    send(START, START + BLOCK_MILLIS);
    Sealing sealing =
        writer.lane().beginSealing(START + 3 * BLOCK_MILLIS, START + BLOCK_MILLIS).orElseThrow();
    writer.lane().finish(sealing.write(writer.store().folder("n1")));
    assertThat(files()).isEmpty();
    assertThat(times("up")).isEmpty();
    assertThat(writer.lane().isEmpty()).isTrue();
    assertThat(writer.store().seriesCount()).isZero();
  }

  @Test
  void aDiskThatRefusesTheBlockLosesNothingAndItIsWrittenLater() throws Exception {
    send(START, START + 2 * BLOCK_MILLIS);
    Sealing sealing = writer.lane().beginSealing(START + 2 * BLOCK_MILLIS, 0).orElseThrow();
    Path file = folder.resolve("file");
    Files.writeString(file, "not a folder");
    assertThatThrownBy(() -> sealing.write(file.resolve("n1"))).isInstanceOf(IOException.class);
    assertThat(times("up")).isEqualTo(ticks(START, START + 2 * BLOCK_MILLIS));
    assertThat(writer.seal(START + 2 * BLOCK_MILLIS)).isTrue();
    assertThat(times("up")).isEqualTo(ticks(START, START + 2 * BLOCK_MILLIS));
    assertThat(writer.store().counts().blocks.written.sum()).isEqualTo(1);
  }

  @Test
  void blocksThatHaveExpiredAreRemovedWithTheirSeries() throws Exception {
    Labels old = writer.series("old");
    writer.send(START, old, 1);
    send(START, START + 4 * BLOCK_MILLIS);
    writer.sealAll(START + 4 * BLOCK_MILLIS);
    assertThat(writer.lane().dropBlocks(START + BLOCK_MILLIS - 1)).isEmpty();
    long changes = writer.store().changeCount();
    assertThat(writer.lane().dropBlocks(START + BLOCK_MILLIS))
        .containsExactly(
            folder.resolve("n1").resolve(START + "-" + (START + BLOCK_MILLIS) + ".block"));
    assertThat(writer.store().changeCount()).isGreaterThan(changes);
    assertThat(times("old")).isEmpty();
    assertThat(times("up")).isEqualTo(ticks(START + BLOCK_MILLIS, START + 4 * BLOCK_MILLIS));
    assertThat(writer.store().seriesCount()).isEqualTo(1);
    assertThat(writer.store().blockCount()).isEqualTo(2);
  }

  @Test
  void aSeriesThatWasForgottenIsOpenedAgainByItsOldHandle() throws Exception {
    Lane.Handle[] handles = {writer.lane().handle(up)};
    writer
        .lane()
        .append(
            Lane.Source.SENDER,
            START,
            Long.MAX_VALUE,
            handles,
            new double[] {1},
            null,
            new WriteOutcome());
    writer.sealAll(START + 5 * BLOCK_MILLIS);
    writer.lane().dropBlocks(START + 5 * BLOCK_MILLIS);
    assertThat(writer.store().seriesCount()).isZero();
    long later = START + 6 * BLOCK_MILLIS;
    WriteOutcome outcome = new WriteOutcome();
    writer
        .lane()
        .append(
            Lane.Source.SENDER, later, Long.MAX_VALUE, handles, new double[] {2}, null, outcome);
    assertThat(outcome.kept()).isEqualTo(1);
    assertThat(times("up")).containsExactly(later);
    assertThat(writer.store().seriesCount()).isEqualTo(1);
  }

  @Test
  void theOldestBlocksGoWhenTheyHaveMoreBytesThanAllowed() throws Exception {
    Duration hour = HostWriter.MEMORY;
    StoreLimits limits = HostWriter.limits(10);
    send(START, START + 5 * BLOCK_MILLIS);
    writer.sealAll(START + 5 * BLOCK_MILLIS);
    assertThat(writer.store().dropBefore()).isEqualTo(Long.MIN_VALUE);
    long bytes = writer.store().blockBytes();
    long[] ends = {START + BLOCK_MILLIS, START + 2 * BLOCK_MILLIS, START + 4 * BLOCK_MILLIS};
    long[] allowed = {bytes - 1, bytes / 2, 0};
    for (int i = 0; i < allowed.length; i++) {
      StoreLimits small =
          new StoreLimits(
              limits.retention(), allowed[i], hour, hour.dividedBy(2), hour, 10, 10, 10);
      HostWriter other = new HostWriter(folder, "n1", small, RollupRules.NONE);
      other.restart();
      assertThat(other.store().blockBytes()).isEqualTo(bytes);
      assertThat(other.store().dropBefore()).isEqualTo(ends[i]);
    }
    assertThat(writer.store().blockFiles("n1")).hasSize(4);
    assertThat(writer.store().hostsOnDisk()).containsExactly("n1");
  }

  @Test
  void aBlockThatCannotBeReadLeavesAHoleThatIsNamedUntilItExpires() throws Exception {
    send(START, START + 4 * BLOCK_MILLIS);
    writer.sealAll(START + 4 * BLOCK_MILLIS);
    Path second = writer.store().blockFiles("n1").get(1);
    Files.write(second, new byte[] {1, 2, 3});
    writer.restart();
    assertThat(times("up")).hasSize((int) (2 * TICKS));
    assertThat(incomplete).containsExactly("n1");
    assertThat(writer.lane().missing().hasLost(START, START + BLOCK_MILLIS - 1)).isFalse();
    assertThat(writer.lane().missing().hasLost(START, START + BLOCK_MILLIS)).isTrue();
    assertThat(writer.lane().missing().hasLost(START + 2 * BLOCK_MILLIS - 2, Long.MAX_VALUE))
        .isTrue();
    assertThat(writer.lane().missing().hasLost(START + 2 * BLOCK_MILLIS, Long.MAX_VALUE)).isFalse();
    assertThat(writer.store().counts().blocks.damaged.sum()).isEqualTo(1);
    writer.lane().dropBlocks(START + 2 * BLOCK_MILLIS);
    assertThat(times("up")).hasSize((int) TICKS);
    assertThat(incomplete).isEmpty();
  }

  @Test
  void aHostOfWhichAllIsLostIsNotEmpty() throws Exception {
    Path host = Files.createDirectories(folder.resolve("n1"));
    Files.write(host.resolve("0-100.block"), new byte[10]);
    writer.restart();
    assertThat(writer.lane().isEmpty()).isFalse();
    assertThat(writer.lane().seriesCount()).isZero();
    writer.lane().dropBlocks(100);
    assertThat(writer.lane().isEmpty()).isTrue();
  }

  @Test
  void gapsAreNamedUntilTheyAreClosed() throws Exception {
    send(START, START + 10 * TICK);
    long changes = writer.store().changeCount();
    writer.lane().missing().gap(START + TICK, START + 2 * TICK);
    assertThat(writer.store().changeCount()).isGreaterThan(changes);
    times("up");
    assertThat(incomplete).containsExactly("n1");
    assertThat(writer.lane().missing().hasLost(START + 2 * TICK, Long.MAX_VALUE)).isFalse();
    changes = writer.store().changeCount();
    writer.lane().missing().closeGaps();
    assertThat(writer.store().changeCount()).isGreaterThan(changes);
    times("up");
    assertThat(incomplete).isEmpty();
    changes = writer.store().changeCount();
    writer.lane().missing().closeGaps();
    assertThat(writer.store().changeCount()).isEqualTo(changes);
  }

  @Test
  void aLaneThatIsForgottenGivesItsSeriesBack() {
    writer.send(START, writer.gpu("util", "G1", "a"), 1);
    writer.send(START, up, 1);
    Optional<Lane> lane = writer.store().find("n1");
    assertThat(lane).isPresent();
    assertThat(writer.store().hostCount()).isEqualTo(1);
    writer.store().forget("n1");
    assertThat(writer.store().find("n1")).isEmpty();
    assertThat(writer.store().seriesCount()).isZero();
    writer.store().forget("n1");
    assertThat(writer.store().hosts()).isEmpty();
  }
}
