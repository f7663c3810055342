package io.fleetgauge.gateway.store.block;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.Inflater;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A small block, byte by byte. */
class BlockFileTest {
  private static final long START = 2 * BLOCK_MILLIS;

  /** Number of series of the metric that has a rollup. */
  private static final int SERIES = 12;

  private static final RollupRules RULES =
      new RollupRules(
          BLOCK_MILLIS / 2,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "util"),
                  List.of("rack"),
                  true,
                  List.of())));

  @TempDir private Path folder;
  private Path file;
  private byte[] bytes;
  private final BlockCounts counts = new BlockCounts();

  /**
   * A GPU with two owners, a late sample, a fraction, a histogram, and so many series of one metric
   * that their rollup is worth its place.
   */
  @BeforeEach
  void write() throws Exception {
    HostWriter writer = new HostWriter(folder, "n1", HostWriter.limits(20), RULES);
    Labels up = writer.series("up");
    for (int tick = 0; tick < 4; tick++) {
      writer.send(START + tick * 15_000L, writer.gpu("util", "G1", tick < 2 ? "a" : "b"), 7);
      writer.send(START + tick * 15_000L, up, tick);
    }
    for (int more = 2; more <= SERIES; more++) {
      writer.send(START, writer.gpu("util", "G" + more, "a"), 7);
    }
    writer.send(START + 7_000, up, 1.5);
    writer.send(START + 15_000, writer.series("h"), HostWriter.histogram(3));
    writer.send(START + BLOCK_MILLIS, up, 1);
    assertThat(writer.seal(START + 2 * BLOCK_MILLIS)).isTrue();
    file = writer.store().blockFiles("n1").getFirst();
    bytes = Files.readAllBytes(file);
  }

  private byte[] directory() throws Exception {
    int footer = bytes.length - BlockFormat.FOOTER_BYTES;
    int at = (int) u32(footer);
    int length = (int) u32(footer + 8);
    byte[] raw = new byte[(int) u32(footer + 12)];
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(bytes, at, length);
      assertThat(inflater.inflate(raw)).isEqualTo(raw.length);
    }
    assertThat(at + length).isEqualTo(footer);
    return raw;
  }

  private long u32(int at) {
    return (bytes[at] & 0xffL)
        | (bytes[at + 1] & 0xffL) << 8
        | (bytes[at + 2] & 0xffL) << 16
        | (bytes[at + 3] & 0xffL) << 24;
  }

  /** All bytes of the drawing but the deflated ones: encoder and decoder cannot change alike. */
  @Test
  void recordsAndRollupsAreHeldByTheirBytes() {
    int footer = bytes.length - BlockFormat.FOOTER_BYTES;
    assertThat(HexFormat.of().formatHex(bytes, 0, (int) u32(footer))).isEqualTo(RECORDS);
    assertThat(new String(bytes, bytes.length - 4, 4, StandardCharsets.US_ASCII)).isEqualTo("FGBE");
  }

  @Test
  void theDirectoryIsHeldByItsBytes() throws Exception {
    assertThat(HexFormat.of().formatHex(directory())).isEqualTo(DIRECTORY);
  }

  @Test
  void whatIsOpenedIsWhatWasWritten() throws Exception {
    Block.Opened opened = Block.open(file, counts);
    Block block = opened.block();
    assertThat(block.host()).isEqualTo("n1");
    assertThat(block.from()).isEqualTo(START);
    assertThat(block.to()).isEqualTo(START + BLOCK_MILLIS);
    assertThat(block.bytes()).isEqualTo(bytes.length);
    assertThat(block.file()).isEqualTo(file);
    assertThat(block).hasToString(file.toString());
    assertThat(opened.series())
        .extracting(each -> each.identity().metric())
        .containsOnly("h", "up", "util")
        .hasSize(SERIES + 2);
    Block.Entry util =
        opened.series().stream()
            .filter(each -> each.identity().value("UUID").equals("G1"))
            .findFirst()
            .orElseThrow();
    assertThat(util.intervals())
        .containsExactly(
            new Block.Interval(START, Labels.of("job", "a"), Long.MIN_VALUE),
            new Block.Interval(START + 30_000, Labels.of("job", "b"), Long.MIN_VALUE));
    RollupKey key = new RollupKey("util", RollupKey.Kind.LATEST, 0);
    assertThat(block.rollup(key).orElseThrow().groups()).hasSize(1);
    assertThat(block.rollup(new RollupKey("up", RollupKey.Kind.LATEST, 0))).isEmpty();
    assertThat(block.times(0, new Chunks())[0]).isEqualTo(START);
    assertThat(counts.damaged.sum()).isZero();
  }

  @Test
  void samplesAreFoundByTime() throws Exception {
    Block.Opened opened = Block.open(file, counts);
    int up = 0;
    while (!opened.series().get(up).identity().metric().equals("up")) {
      up++;
    }
    SampleReader reader = new SampleReader();
    opened.block().read(up, START, START + 15_000, reader);
    assertThat(Arrays.copyOf(reader.times(), reader.size()))
        .containsExactly(START + 7_000, START + 15_000);
    assertThat(Arrays.copyOf(reader.values(), reader.size())).containsExactly(1.5, 1);
    assertThat(opened.block().hasSampleIn(up, START + 1, START + 6_999, reader)).isFalse();
    assertThat(opened.block().hasSampleIn(up, START + 1, START + 7_000, reader)).isTrue();
    assertThat(opened.block().hasSampleIn(up, 0, START - 1, reader)).isFalse();
    assertThat(opened.block().hasSampleIn(up, START + 45_001, Long.MAX_VALUE, reader)).isFalse();
    assertThat(opened.block().hasSampleIn(up, START + 45_000, Long.MAX_VALUE, reader)).isTrue();
    assertThat(reader.takeDamaged()).isFalse();
  }

  /**
   * Every byte of the file is changed once: it costs a record, a rollup or the whole, and is
   * counted.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 0x80})
  void anyChangedByteIsNoticed(int change) throws Exception {
    for (int at = 0; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= (byte) change;
      Files.write(file, damaged);
      BlockCounts found = new BlockCounts();
      try {
        Block.Opened opened = Block.open(file, found);
        SampleReader reader = new SampleReader();
        int read = 0;
        for (int place = 0; place < opened.series().size(); place++) {
          reader.clear();
          opened.block().read(place, Long.MIN_VALUE, Long.MAX_VALUE, reader);
          opened.block().read(place, Long.MIN_VALUE, Long.MAX_VALUE, reader);
          read += reader.takeDamaged() ? 0 : 1;
        }
        boolean rollup =
            opened.block().rollup(new RollupKey("util", RollupKey.Kind.LATEST, 0)).isPresent();
        boolean inMagic = at >= bytes.length - 4;
        assertThat(found.damaged.sum()).as("byte %d", at).isEqualTo(inMagic ? 0 : 1);
        assertThat(read + (rollup ? 1 : 0)).as("byte %d", at).isEqualTo(SERIES + (inMagic ? 3 : 2));
      } catch (DamagedBlock e) {
        assertThat(e).hasMessageContaining("the block " + file + " is damaged");
      }
    }
  }

  @Test
  void anyFileThatIsCutOffIsRefused() throws Exception {
    for (int length = 0; length < bytes.length; length++) {
      Files.write(file, Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> Block.open(file, counts))
          .isInstanceOf(DamagedBlock.class)
          .hasMessageContaining(file.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyBytesAreRefused(long seed) throws Exception {
    byte[] noise = new byte[2_000];
    new SplittableRandom(seed).nextBytes(noise);
    Files.write(file, noise);
    assertThatThrownBy(() -> Block.open(file, counts)).isInstanceOf(DamagedBlock.class);
  }

  @Test
  void anotherVersionIsRefusedWithTheVersionThatIsRead() throws Exception {
    bytes[4] = 3;
    Files.write(file, bytes);
    assertThatThrownBy(() -> Block.open(file, counts))
        .isInstanceOf(DamagedBlock.class)
        .hasMessageContaining("not with FGBK and version 2");
  }

  private static final String RECORDS =
      "4647424b0203bd26e50000c8df02040104000e000e003800000003000e2e84a9b8000000"
          + "010101000e000e000e00000200000e2e84a9b8000000010101000e000e000e0000020000"
          + "0e2e84a9b8000000010101000e000e000e00000200000e2e84a9b8000000010101000e00"
          + "0e000e00000200000e2e84a9b8000000010101000e000e000e00000200000e2e84a9b800"
          + "0000010101000e000e000e00000200000e2e84a9b8000000010101000e000e000e000002"
          + "00000e2e84a9b8000000010101000e000e000e00000200000e2e84a9b800000001010100"
          + "0e000e000e00000200000e2e84a9b8000000010101000e000e000e00000200000e2e84a9"
          + "b8000000010101000e000e000e00000200000ec7d2c0d600b0ea01987501000400043801"
          + "000000000000000008400000000000001e40fca9f1d24d62503f00000000000000000202"
          + "000000000000f03f0600000000000000400000aa08cb750000c8df020501050000000601"
          + "0000000000001e4000000604090500e029ea0141df005e80bab703020308486f73746e61"
          + "6d650455554944036a6f62010000011817060200a801a7010402000e0d0402000e0d";
  private static final String DIRECTORY =
      "026e3180bab703809793051608486f73746e616d65026e310455554944024731085f5f6e"
          + "616d655f5f047574696c036a6f6201610162034731300347313103473132024732024733"
          + "02473402473502473602473702473802473901680275700c0280bab70301060700e08ebb"
          + "03010608000180bab703010607000180bab703010607000180bab703010607000180bab7"
          + "03010607000180bab703010607000180bab703010607000180bab703010607000180bab7"
          + "03010607000180bab703010607000180bab703010607000180bab703010607000e030001"
          + "020304050118030001020904050216030001020a04050316030001020b04050416030001"
          + "020c04050516030001020d04050616030001020e04050716030001020f04050816030001"
          + "021004050916030001021104050a16030001021204050b16030001021304050c16020001"
          + "0414004802000104150024010500003304040080bab703b0ea01010080bab703000100b0"
          + "a4b90300050d80bab703b06d00007d007da00f";
}
