package io.fleetgauge.load.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.PeersContract;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;

/** The exchange between simulated gateways obeys the laws of the real one. */
class SimulatedPeersTest extends PeersContract {
  private static final long MOST_MILLIS = 60_000;

  private final Simulation simulation = new Simulation(1);
  private final Ledger ledger = new Ledger(simulation, 2);
  private final SimulatedCluster cluster = new SimulatedCluster(simulation, ledger);
  private final Map<URI, SimulatedGateway> byAddress = new HashMap<>();
  private final Map<String, SimulatedGateway> gateways = new HashMap<>();
  private SimulatedGateway absent;

  @BeforeEach
  void start() {
    for (String id : List.of("g1", "g2", "g3")) {
      SimulatedGateway gateway =
          new SimulatedGateway(simulation, cluster, byAddress, ledger, id, 2);
      gateways.put(id, gateway);
      gateway.start();
    }
    absent = new SimulatedGateway(simulation, cluster, byAddress, ledger, "g4", 2);
    runUntil(() -> gateways.values().stream().allMatch(SimulatedGateway::knowsATable));
    // The first request makes the host known.
    gateways.get("g1").post(HOST, new byte[0], 0, 0, answer -> {});
    runUntil(
        () ->
            gateways.values().stream()
                .allMatch(
                    each -> each.known().holders(HOST).stream().anyMatch(this::hasSyncedCopy)));
  }

  private boolean hasSyncedCopy(Holders holders) {
    return holders.next().isEmpty() && holders.copies().stream().anyMatch(Holders.Copy::synced);
  }

  private void runUntil(BooleanSupplier done) {
    long end = simulation.now() + MOST_MILLIS;
    while (!done.getAsBoolean()) {
      assertThat(simulation.now()).as("it happens in time").isLessThan(end);
      simulation.runUntil(simulation.now() + 1);
    }
  }

  private Holders holders() {
    return gateways.get("g1").known().holders(HOST).orElseThrow();
  }

  @Override
  protected String owner() {
    return holders().owner();
  }

  @Override
  protected String replica() {
    return holders().copies().getFirst().gateway();
  }

  @Override
  protected String bystander() {
    return gateways.keySet().stream().filter(id -> !holders().has(id)).findFirst().orElseThrow();
  }

  @Override
  protected URI address(String gateway) {
    return gateways.get(gateway).address();
  }

  @Override
  protected URI nobody() {
    return absent.address();
  }

  @Override
  protected Peers peers(String gateway) {
    return gateways.get(gateway).peers();
  }

  @Override
  protected long epoch() {
    return gateways.get("g1").known().epoch();
  }

  @Override
  protected long now() {
    return Simulation.EPOCH;
  }

  @Override
  protected void take(byte[] body, Consumer<IntakeAnswer> answer) {
    gateways.get(owner()).post(HOST, body, 0, 0, answer);
  }

  @Override
  protected void merge(String gateway, byte[] page, Consumer<Boolean> kept) {
    try {
      gateways.get(gateway).merge(HOST, page, kept);
    } catch (WireException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected TreeSet<Long> times(String gateway) {
    TreeSet<Long> times = new TreeSet<>();
    gateways
        .get(gateway)
        .samples(HOST)
        .forEach(series -> LongStream.of(series.times()).forEach(times::add));
    return times;
  }

  @Override
  protected <T> T answer(Consumer<Consumer<T>> request) {
    List<T> answers = new ArrayList<>();
    request.accept(answers::add);
    runUntil(() -> !answers.isEmpty());
    assertThat(answers).as("a request is answered once").hasSize(1);
    return answers.getFirst();
  }
}
