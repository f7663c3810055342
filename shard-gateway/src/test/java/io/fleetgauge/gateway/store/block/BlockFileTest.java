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
import io.fleetgauge.promql.plan.RollupShape;
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
  private static final int SERIES = 60;

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

  private static final RollupKey KEPT =
      RULES.kept(new RollupKey("util", RollupShape.Kind.LATEST, 0));

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
    HostWriter writer = new HostWriter(folder, "n1", HostWriter.limits(70), RULES);
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
    Block.OpenedBlock opened = Block.open(file, counts);
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
    assertThat(block.rollup(KEPT).orElseThrow().groups()).hasSize(1);
    assertThat(block.rollup(new RollupKey("up", RollupShape.Kind.LATEST, 0))).isEmpty();
    assertThat(block.times(0, new Chunks())[0]).isEqualTo(START);
    assertThat(counts.damaged.sum()).isZero();
  }

  @Test
  void samplesAreFoundByTime() throws Exception {
    Block.OpenedBlock opened = Block.open(file, counts);
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
        Block.OpenedBlock opened = Block.open(file, found);
        SampleReader reader = new SampleReader();
        int read = 0;
        for (int place = 0; place < opened.series().size(); place++) {
          reader.clear();
          opened.block().read(place, Long.MIN_VALUE, Long.MAX_VALUE, reader);
          opened.block().read(place, Long.MIN_VALUE, Long.MAX_VALUE, reader);
          read += reader.takeDamaged() ? 0 : 1;
        }
        boolean rollup = opened.block().rollup(KEPT).isPresent();
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
    bytes[4] = 2;
    Files.write(file, bytes);
    assertThatThrownBy(() -> Block.open(file, counts))
        .isInstanceOf(DamagedBlock.class)
        .hasMessageContaining("not with FGBK and version 1");
  }

  private static final String RECORDS =
      "4647424b015d1c1ccc00000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d"
          + "6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d69"
          + "01000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901"
          + "000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d690100"
          + "0e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e"
          + "238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e23"
          + "8e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e"
          + "5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d"
          + "6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d69"
          + "01000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901"
          + "000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e238e5d690100"
          + "0e238e5d6901000e238e5d6901000e238e5d6901000e238e5d6901000e907649b6020204"
          + "3801000000000000000008400000000000001e40fca9f1d24d62503f0000000000000000"
          + "0202000000000000f03f0600000000000000400000ccd0ea09030500050003048108606c"
          + "710580bab703020308486f73746e616d650455554944036a6f62010000017877060200c8"
          + "06c7060402000e0d0402000e0d";
  private static final String DIRECTORY =
      "026e3180bab703809793054708486f73746e616d65026e310455554944024731085f5f6e"
          + "616d655f5f047574696c036a6f6201610162034731300347313103473132034731330347"
          + "313403473135034731360347313703473138034731390247320347323003473231034732"
          + "320347323303473234034732350347323603473237034732380347323902473303473330"
          + "034733310347333203473333034733340347333503473336034733370347333803473339"
          + "024734034734300347343103473432034734330347343403473435034734360347343703"
          + "473438034734390247350347353003473531034735320347353303473534034735350347"
          + "35360347353703473538034735390247360347363002473702473802473901680275700d"
          + "7574696c0062323037383963353c0280bab70301060700e08ebb03010608000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607000180bab703010607000180bab703"
          + "010607000180bab703010607000180bab703010607003e03000102030405010703000102"
          + "0904050207030001020a04050307030001020b04050407030001020c0405050703000102"
          + "0d04050607030001020e04050707030001020f0405080703000102100405090703000102"
          + "1104050a07030001021204050b07030001021304050c07030001021404050d0703000102"
          + "1504050e07030001021604050f0703000102170405100703000102180405110703000102"
          + "1904051207030001021a04051307030001021b04051407030001021c0405150703000102"
          + "1d04051607030001021e04051707030001021f0405180703000102200405190703000102"
          + "2104051a07030001022204051b07030001022304051c07030001022404051d0703000102"
          + "2504051e07030001022604051f0703000102270405200703000102280405210703000102"
          + "2904052207030001022a04052307030001022b04052407030001022c0405250703000102"
          + "2d04052607030001022e04052707030001022f0405280703000102300405290703000102"
          + "3104052a07030001023204052b07030001023304052c07030001023404052d0703000102"
          + "3504052e07030001023604052f0703000102370405300703000102380405310703000102"
          + "3904053207030001023a04053307030001023b04053407030001023c0405350703000102"
          + "3d04053607030001023e04053707030001023f0405380703000102400405390703000102"
          + "4104053a07030001024204053b07030001024304053c0702000104440040020001044500"
          + "0d01460000330402000302020002040002060404040080bab703b0ea01010080bab70300"
          + "0100b0a4b90300050d80bab703b06d00007d007da00f";
}
