package io.fleetgauge.gateway.ingest.host;

import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Requests to other gateways, which the test answers. Safe for all threads. */
public final class ManualPeers implements Peers {
  /** Bodies on their way to a copy. */
  public record SentCopy(URI to, Copy copy, Consumer<CopyAnswer> answer) {}

  public record StartedPull(URI from, String host, Consumer<Pulled> done) {}

  public record SentOffer(URI owner, String host, Consumer<Boolean> merged) {}

  public final Queue<SentCopy> copies = new ConcurrentLinkedQueue<>();
  public final Queue<StartedPull> pulls = new ConcurrentLinkedQueue<>();
  public final Queue<SentOffer> offers = new ConcurrentLinkedQueue<>();

  @Override
  public void copy(URI to, Copy copy, Consumer<CopyAnswer> answer) {
    copies.add(new SentCopy(to, copy, answer));
  }

  /** Whether requests cannot be made at all. */
  public volatile boolean areClosed;

  @Override
  public void pull(URI from, String host, Consumer<Pulled> done) {
    if (areClosed) {
      throw new IllegalStateException("closed");
    }
    pulls.add(new StartedPull(from, host, done));
  }

  @Override
  public void offer(URI owner, String host, String self, Consumer<Boolean> merged) {
    offers.add(new SentOffer(owner, host, merged));
  }
}
