package io.fleetgauge.load.sim;

import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.RunProgress;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.Digests;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Requests of one gateway to others over the simulated network. A pull is decided by {@link Pull},
 * as in production.
 */
final class SimulatedPeers implements Peers {
  private final SimulatedGateway self;
  private final SimulatedGateway.Life mine;
  private final Map<URI, SimulatedGateway> gateways;

  /**
   * @param mine the run of the gateway's process that asks
   * @param gateways all gateways, by address
   */
  SimulatedPeers(
      SimulatedGateway self, SimulatedGateway.Life mine, Map<URI, SimulatedGateway> gateways) {
    this.self = self;
    this.mine = mine;
    this.gateways = gateways;
  }

  @Override
  public void copy(URI to, Copy copy, Consumer<CopyAnswer> answer) {
    SimulatedGateway other = gateways.get(to);
    self.ask(
        other,
        COPY_MILLIS,
        CopyAnswer.of(ReplicaReply.FAILED),
        said -> {
          if (other.life().admission.takesCopies()) {
            other.life().host(copy.host()).copied(copy, said);
          } else {
            said.accept(CopyAnswer.of(ReplicaReply.LATER));
          }
        },
        answer);
  }

  @Override
  public void offer(URI owner, String host, String from, Consumer<Boolean> merged) {
    SimulatedGateway other = gateways.get(owner);
    self.ask(
        other, OFFER_MILLIS, false, said -> other.life().host(host).offered(from, said), merged);
  }

  @Override
  public void pull(URI from, String host, Consumer<PullResult> done) {
    new HostPull(gateways.get(from), host, done).on(new Pull.Event.Begin());
  }

  private final class HostPull {
    private final SimulatedGateway from;
    private final String host;
    private final Consumer<PullResult> done;
    private final Pull pull = new Pull();
    private boolean intact;
    private Map<Long, RunProgress> progress = Map.of();

    HostPull(SimulatedGateway from, String host, Consumer<PullResult> done) {
      this.from = from;
      this.host = host;
      this.done = done;
    }

    void on(Pull.Event event) {
      if (!mine.isRunning()) {
        return;
      }
      switch (pull.on(event)) {
        case Pull.Effect.Compare compare -> compare();
        case Pull.Effect.Fetch fetch -> fetch(fetch);
        case Pull.Effect.End end ->
            done.accept(new PullResult(end.done(), end.compared(), intact, progress));
      }
    }

    private void compare() {
      long until = mine.host(host).state().before();
      self.<Object>ask(
          from,
          PULL_MILLIS,
          "",
          said -> {
            HostIntake.State state = from.life().host(host).state();
            said.accept(
                state.whole()
                    ? List.of(
                        state.progress(),
                        from.life().store.isIntact(host),
                        slots(from.life().store, until))
                    : "");
          },
          said -> {
            if (said instanceof List<?> both) {
              @SuppressWarnings("unchecked")
              Map<Long, RunProgress> theirProgress = (Map<Long, RunProgress>) both.getFirst();
              @SuppressWarnings("unchecked")
              SortedMap<Long, Pull.Slot> theirs = (SortedMap<Long, Pull.Slot>) both.getLast();
              progress = theirProgress;
              intact = (Boolean) both.get(1);
              on(new Pull.Event.Compared(slots(mine.store, until), theirs));
            } else {
              on(new Pull.Event.Failed());
            }
          });
    }

    private SortedMap<Long, Pull.Slot> slots(Store store, long until) {
      SortedMap<Long, Pull.Slot> slots = new TreeMap<>();
      for (Map.Entry<Long, Digests.Slot> each :
          store.digest(host, Long.MIN_VALUE, store.blockMillis(), until).entrySet()) {
        Digests.Slot slot = each.getValue();
        slots.put(each.getKey(), new Pull.Slot(slot.to(), slot.count(), slot.hash()));
      }
      return slots;
    }

    private void fetch(Pull.Effect.Fetch range) {
      self.<Object>ask(
          from,
          PULL_MILLIS,
          "",
          said -> said.accept(from.life().store.export(host, range.from(), range.to(), 2_000)),
          said -> {
            if (said instanceof HostPage page) {
              merge(page);
            } else {
              on(new Pull.Event.Failed());
            }
          });
    }

    private void merge(HostPage page) {
      if (page.frames().length == 0) {
        on(new Pull.Event.Taken(page.next()));
        return;
      }
      try {
        mine.host(host)
            .merge(
                page.frames(),
                taken -> on(taken ? new Pull.Event.Taken(page.next()) : new Pull.Event.Failed()));
      } catch (WireException e) {
        throw new AssertionError(e);
      }
    }
  }
}
