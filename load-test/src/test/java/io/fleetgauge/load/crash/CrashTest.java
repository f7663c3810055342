package io.fleetgauge.load.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that is killed at any instant has all that it said it would keep. */
class CrashTest {
  private static final int ROUNDS = Integer.getInteger("fleetgauge.crash.rounds", 10);
  private static final long SEED = 4;

  @TempDir private Path folder;

  @Test
  @Timeout(600)
  void nothingAcknowledgedIsLostDoubledOrChangedByManyKills() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    Path data = folder.resolve("data");
    try (GatewayWithLedger gateway =
        new GatewayWithLedger(
            folder,
            data,
            // Blocks of half a minute, of which many are written between two kills.
            "memory: 60s",
            "journal: {segment: 64KiB}",
            Map.of())) {
      gateway.start();
      gateway.send(5, System.currentTimeMillis() - 36_000_000L, SEED);
      for (int round = 0; round < ROUNDS; round++) {
        long before = gateway.acknowledged();
        long instant = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_200));
        while (System.nanoTime() < instant || gateway.acknowledged() == before) {
          LockSupport.parkNanos(200_000);
        }
        gateway.kill();
        gateway.start();
      }
      gateway.stopSenders();
      gateway.compare();
      gateway.kill();
      gateway.start();
      gateway.compare();
      assertThat(gateway.metric("fleetgauge_gateway_blocks")).isPositive();
      assertThat(gateway.metric("fleetgauge_gateway_journal_damaged_bytes_total")).isZero();
      assertThat(gateway.metric("fleetgauge_gateway_journal_lost_records_total")).isZero();
    }
    assertThat(Files.isDirectory(data.resolve("blocks"))).isTrue();
  }
}
