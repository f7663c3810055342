package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.replication.Pull;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Requests to other gateways, which the test answers. Safe for all threads. */
public final class ManualPeers implements Peers {
  private static final Pull.Range EVER = new Pull.Range(Long.MIN_VALUE, Long.MAX_VALUE);

  /** A pull after which both gateways have the same samples, and the other one lacks none. */
  public static final PullResult EQUAL = equal(true, Map.of());

  /** A pull after which this gateway has samples that the other one has not. */
  public static final PullResult MORE =
      new PullResult(true, new Pull.Comparison(List.of(), List.of(EVER)), true, Map.of());

  /** Bodies on their way to a copy. */
  public record SentCopy(URI to, Copy copy, Consumer<CopyAnswer> answer) {}

  public record StartedPull(URI from, String host, Consumer<PullResult> done) {}

  public record SentOffer(URI owner, String host, Consumer<Boolean> merged) {}

  public final Queue<SentCopy> copies = new ConcurrentLinkedQueue<>();
  public final Queue<StartedPull> pulls = new ConcurrentLinkedQueue<>();
  public final Queue<SentOffer> offers = new ConcurrentLinkedQueue<>();

  /** A pull after which both gateways have the same samples. */
  public static PullResult equal(boolean intact, Map<Long, RunProgress> progress) {
    return new PullResult(true, new Pull.Comparison(List.of(EVER), List.of()), intact, progress);
  }

  @Override
  public void copy(URI to, Copy copy, Consumer<CopyAnswer> answer) {
    copies.add(new SentCopy(to, copy, answer));
  }

  /** Whether requests cannot be made at all. */
  public volatile boolean areClosed;

  @Override
  public void pull(URI from, String host, Consumer<PullResult> done) {
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
