package io.fleetgauge.gateway.status;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreUseTest {
  private static final long TICK = 15_000;
  private static final long START = 10 * BLOCK_MILLIS;
  private static final long DAY = 86_400_000;

  @TempDir private Path folder;
  private HostWriter writer;
  private StoreUse use;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
    use = new StoreUse(writer.store());
  }

  private void send(long to) throws IOException {
    Labels up = writer.series("up");
    Labels load = writer.series("node_load1");
    for (long time = START; time < to; time += TICK) {
      writer.send(time, up, 1);
      writer.send(time, load, time % 977);
    }
    writer.sealAll(to);
  }

  private long bytesOnDisk() throws IOException {
    long bytes = 0;
    for (Path file : writer.store().blockFiles("n1")) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  @Test
  void withoutBlocksNothingIsKnownOfDisks() {
    assertThat(use.bytesPerDay(START)).isEmpty();
    assertThat(use.bytesPerSample()).isEmpty();
    assertThat(use.host("n1").diskBytes()).isZero();
    assertThat(use.host("nobody").series()).isZero();
    assertThat(use.metrics()).isEmpty();
  }

  @Test
  void aHostTakesTheBytesOfItsFiles() throws Exception {
    send(START + 4 * BLOCK_MILLIS);
    StoreUse.OfHost host = use.host("n1");
    assertThat(host.diskBytes()).isEqualTo(bytesOnDisk()).isPositive();
    assertThat(host.series()).isEqualTo(2);
    assertThat(host.blocks()).isEqualTo(3);
    assertThat(host.oldest()).isEqualTo(START);
  }

  @Test
  void metricsTakeTheBytesOfTheirRecords() throws Exception {
    send(START + 4 * BLOCK_MILLIS);
    StoreUse.OfMetric up = use.metrics().get("up");
    StoreUse.OfMetric load = use.metrics().get("node_load1");
    assertThat(up.series()).isEqualTo(1);
    // Its values differ from tick to tick.
    assertThat(load.diskBytes()).isGreaterThan(up.diskBytes());
    assertThat(up.diskBytes() + load.diskBytes()).isPositive().isLessThan(bytesOnDisk());
  }

  @Test
  void theRateIsThatOfTheBlocksOfTheLastDay() throws Exception {
    send(START + 4 * BLOCK_MILLIS);
    long end = START + 4 * BLOCK_MILLIS;
    assertThat(use.bytesPerDay(end).orElseThrow())
        .isCloseTo((double) bytesOnDisk() * DAY / (3 * BLOCK_MILLIS), within(1.0));
    assertThat(use.bytesPerDay(end + 2 * DAY)).isEmpty();
  }

  @Test
  void bytesOfASampleAreThoseOfTheNewestBlock() throws Exception {
    send(START + 3 * BLOCK_MILLIS);
    long samples = 2 * BLOCK_MILLIS / TICK;
    long newest = Files.size(writer.store().blockFiles("n1").getLast());
    assertThat(use.bytesPerSample().orElseThrow())
        .isCloseTo((double) newest / samples, within(1e-9));
  }
}
