package io.fleetgauge.load.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.ingest.host.HostEnvironment;
import io.fleetgauge.gateway.ingest.host.HostEnvironmentContract;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;

/** A simulated gateway offers its hosts what a real one does. */
class SimulatedEnvironmentTest extends HostEnvironmentContract {
  private static final long MOST_MILLIS = 60_000;

  private final Simulation simulation = new Simulation(1);
  private final Ledger ledger = new Ledger(simulation, 1);
  private SimulatedGateway.Life life;

  @BeforeEach
  void start() {
    SimulatedGateway gateway =
        new SimulatedGateway(
            simulation, new SimulatedCluster(simulation, ledger), new HashMap<>(), ledger, "g1", 1);
    gateway.start();
    life = gateway.life();
  }

  private void runUntil(BooleanSupplier done) {
    long end = simulation.now() + MOST_MILLIS;
    while (!done.getAsBoolean()) {
      assertThat(simulation.now()).as("it happens in time").isLessThan(end);
      simulation.runUntil(simulation.now() + 1);
    }
  }

  @Override
  protected HostEnvironment environment() {
    return life;
  }

  @Override
  protected void recover() {
    runUntil(life::isRecovered);
  }

  @Override
  protected void failDisk() {
    life.isDiskFailing = true;
  }

  @Override
  protected boolean isWholeCopy(String host, long since) {
    return life.wholeCopies.getOrDefault(host, -1L) == since;
  }

  @Override
  protected <T> T answer(Consumer<Consumer<T>> start) {
    List<T> answers = new ArrayList<>();
    start.accept(answers::add);
    runUntil(() -> !answers.isEmpty());
    assertThat(answers).as("it is answered once").hasSize(1);
    return answers.getFirst();
  }
}
