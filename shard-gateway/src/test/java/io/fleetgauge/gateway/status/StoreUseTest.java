package io.fleetgauge.gateway.status;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.sample.Labels;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
    assertThat(use.rollupBytes()).isZero();
    assertThat(use.hosts()).hasToString("{}");
    assertThat(use.metrics()).hasToString("{\"groups\":{},\"metrics\":[]}");
  }

  @Test
  void aHostTakesTheBytesOfItsFiles() throws Exception {
    send(START + 4 * BLOCK_MILLIS);
    JsonObject host = use.hosts().getJsonObject("n1");
    assertThat(host.getLong("diskBytes")).isEqualTo(bytesOnDisk()).isPositive();
    assertThat(host.getInteger("series")).isEqualTo(2);
    assertThat(host.getInteger("blocks")).isEqualTo(3);
    assertThat(host.getLong("oldestAt")).isEqualTo(START);
    assertThat(host.getLong("newestAt")).isEqualTo(START + 4 * BLOCK_MILLIS - TICK);
    assertThat(host.getLong("rollupBytes")).isEqualTo(use.rollupBytes());
  }

  @Test
  void metricsTakeTheBytesOfTheirRecords() throws Exception {
    send(START + 4 * BLOCK_MILLIS);
    JsonArray metrics = use.metrics().getJsonArray("metrics");
    JsonObject load = metrics.getJsonObject(0);
    JsonObject up = metrics.getJsonObject(1);
    assertThat(load.getString("metric")).isEqualTo("node_load1");
    assertThat(up.getString("metric")).isEqualTo("up");
    assertThat(up.getLong("series")).isEqualTo(1);
    // Its values differ from tick to tick.
    assertThat(load.getLong("diskBytes")).isGreaterThan(up.getLong("diskBytes"));
    assertThat(up.getLong("diskBytes") + load.getLong("diskBytes"))
        .isPositive()
        .isLessThan(bytesOnDisk());
    JsonObject groups = use.metrics().getJsonObject("groups");
    assertThat(groups.fieldNames()).containsExactlyInAnyOrder("host", "probe");
    assertThat(groups.getJsonObject("host").getLong("diskBytes"))
        .isEqualTo(load.getLong("diskBytes"));
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
