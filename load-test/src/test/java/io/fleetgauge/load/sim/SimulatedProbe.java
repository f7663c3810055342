package io.fleetgauge.load.sim;

import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkMachine;
import io.fleetgauge.probe.uplink.UplinkMachine.Effect;
import io.fleetgauge.probe.uplink.UplinkMachine.Event;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** An uplink as it is, on a played network. */
final class SimulatedProbe {
  private static final long TIMEOUT = 2_500;

  private final Simulation simulation;
  private final Ledger ledger;
  private final Map<URI, SimulatedGateway> byAddress;
  private final String host;
  private final UplinkMachine machine;
  private final Labels labels;
  private boolean ended;

  /** The longest time from reading a tick until it was known to be acknowledged, ms. */
  private long slowest;

  private long requests;

  SimulatedProbe(
      Simulation simulation,
      Ledger ledger,
      Map<URI, SimulatedGateway> byAddress,
      List<SimulatedGateway> gateways,
      String host) {
    this.simulation = simulation;
    this.ledger = ledger;
    this.byAddress = byAddress;
    this.host = host;
    this.labels = Labels.of(Labels.NAME, "m", "Hostname", host);
    ledger.read.put(host, new TreeSet<>());
    ledger.acknowledged.put(host, new TreeSet<>());
    List<URI> seeds = new ArrayList<>(gateways.stream().map(SimulatedGateway::address).toList());
    this.machine =
        UplinkMachine.inMemory(
            host,
            new UplinkSettings(Duration.ofDays(1), 1 << 20, Duration.ofDays(1), 0),
            seeds,
            simulation.random,
            () -> simulation.random.nextLong() | 1);
  }

  UplinkCounts counts() {
    return machine.counts();
  }

  /** Begins to send, anew after {@link #end}. */
  void begin() {
    ended = false;
    long period = 400 + simulation.random.nextInt(1_600);
    simulation.every(
        period,
        () -> {
          if (ended) {
            return false;
          }
          read(simulation.now());
          return true;
        });
  }

  private void read(long at) {
    long time = Simulation.EPOCH + at;
    if (ledger.read.get(host).add(time)) {
      on(new Event.Read(new Tick(time, List.of(labels), new double[] {time % 1_000})));
    }
  }

  /** Ticks of the time before now come at once, as after a time without a connection. */
  void readAtOnce(int ticks) {
    for (int i = ticks; i > 0; i--) {
      read(simulation.now() - i * 10L);
    }
  }

  /** The longest time until a tick was known to be acknowledged since the last call, ms. */
  long slowest() {
    long longest = slowest;
    slowest = 0;
    return longest;
  }

  void end() {
    ended = true;
  }

  private void on(Event event) {
    machine.on(event).ifPresent(this::carryOut);
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Wait pause -> simulation.after(pause.millis(), () -> on(new Event.WaitOver()));
      case Effect.Post post -> post(post);
      case Effect.Load load -> throw new AssertionError("there is no disk");
    }
  }

  private void post(Effect.Post post) {
    long request = ++requests;
    SimulatedGateway to = byAddress.get(post.gateway());
    simulation.after(TIMEOUT, () -> ended(request, new Event.Failed("timeout")));
    simulation.send(
        host,
        to.id(),
        () -> {
          if (!to.isAlive()) {
            simulation.send(to.id(), host, () -> ended(request, new Event.Failed("refused")));
            return;
          }
          to.post(
              host,
              post.body(),
              post.epoch(),
              post.acknowledged(),
              answer ->
                  simulation.send(
                      to.id(),
                      host,
                      () -> {
                        if (request == requests) {
                          note(post, answer);
                        }
                        ended(request, new Event.Answered(answer));
                      }));
        });
  }

  private void ended(long request, Event event) {
    if (request == requests) {
      requests++;
      on(event);
    }
  }

  private void note(Effect.Post post, IntakeAnswer answer) {
    if (answer instanceof IntakeAnswer.Kept kept) {
      FrameDecoder frames = new FrameDecoder(post.body());
      try {
        while (frames.hasNext()) {
          if (frames.next() instanceof Frame.Tick tick
              && tick.run() == kept.run()
              && tick.sequence() <= kept.sequence()) {
            if (ledger.acknowledged.get(host).add(tick.time())) {
              slowest = Math.max(slowest, Simulation.EPOCH + simulation.now() - tick.time());
            }
          }
        }
      } catch (WireException e) {
        throw new AssertionError(e);
      }
    }
  }
}
