package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The law of this package, in one thread and from a seed. */
class SendingSimulationTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LATEST = Duration.ofMinutes(11);

  @TempDir Path folder;

  private SendingSimulation seeded(long seed) {
    return new SendingSimulation(seed, folder);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_128})
  void everySampleArrivesOnce(long seed) throws Exception {
    seeded(seed)
        .gateways(3)
        .hosts(6)
        .run(MINUTE.multipliedBy(5), 5)
        .run(LATEST, 0)
        .assertEverySampleArrived()
        .assertNoneArrivedTwice();
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5})
  void everySampleArrivesOnceAlthoughTheReceiverWasAway(long seed) throws Exception {
    SendingSimulation simulation =
        seeded(seed)
            .gateways(2)
            .hosts(4)
            .run(MINUTE, 5)
            .receiverIsAway(true)
            .run(MINUTE.multipliedBy(20), 5)
            .receiverIsAway(false)
            .run(Duration.ofSeconds(10), 5);
    // Seconds after its return it has the newest samples: they are read when they are 10 s old, in
    // ranges of 5 s at least.
    assertThat(simulation.behind()).isLessThan(30_000);
    simulation.run(LATEST, 0).assertEverySampleArrived().assertNoneArrivedTwice();
  }

  @ParameterizedTest
  @ValueSource(longs = {6, 7, 8, 9})
  void noSampleIsLostWhenHostsMoveAndGatewaysDieAndComeBack(long seed) throws Exception {
    seeded(seed)
        .gateways(3)
        .hosts(6)
        .run(MINUTE, 5)
        .move()
        .run(MINUTE, 5)
        .receiverIsAway(true)
        .run(MINUTE.multipliedBy(4), 5)
        .kill(1)
        .run(MINUTE.multipliedBy(4), 5)
        .move()
        .run(MINUTE.multipliedBy(4), 5)
        .receiverIsAway(false)
        .run(Duration.ofSeconds(3), 5)
        .move()
        .run(MINUTE, 5)
        .revive(1)
        .run(MINUTE, 5)
        .move()
        .run(LATEST, 0)
        .assertEverySampleArrived()
        .assertRepeatedOnlyAround(15_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {10, 11, 12})
  void noSampleIsLostWhenAGatewayIsKilledAndStartsAgainAtOnce(long seed) throws Exception {
    SendingSimulation simulation = seeded(seed).gateways(2).hosts(4);
    for (int i = 0; i < 6; i++) {
      simulation.run(Duration.ofSeconds(41), 5).restart(i % 2);
    }
    simulation.run(LATEST, 0).assertEverySampleArrived().assertRepeatedOnlyAround(15_000);
  }

  @Test
  void noSampleIsLostWhenAnswersAreLost() throws Exception {
    seeded(13)
        .gateways(2)
        .hosts(4)
        .answersAreLost()
        .run(MINUTE.multipliedBy(5), 5)
        .run(LATEST, 0)
        .assertEverySampleArrived();
  }
}
