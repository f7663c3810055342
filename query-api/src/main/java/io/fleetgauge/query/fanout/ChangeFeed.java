package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.query.cache.Versions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Keeps {@link Versions} up to what the gateways know: on demand, in rounds that ask every gateway
 * once. Whoever asks while a round is under way waits for the next, because that one began after he
 * asked; so many who ask cost as much as one. While many ask, a round waits a little for more of
 * them. Safe for all threads.
 */
public final class ChangeFeed {
  private static final long TIMEOUT_MILLIS = 2_000;

  private final Fanout fanout;
  private final Supplier<ClusterView> view;
  private final Versions versions;
  private final Crowd crowd = new Crowd(System::nanoTime);
  private final LongAdder rounds = new LongAdder();
  private final Map<URI, Known> known = new HashMap<>();
  private Map<String, URI> readers = Map.of();
  private long epoch = -1;
  private long watermark = Long.MIN_VALUE;
  private Promise<Long> next;
  private boolean underWay;

  /** What a gateway said last. */
  private record Known(long incarnation, long cursor) {}

  public ChangeFeed(Fanout fanout, Supplier<ClusterView> view, Versions versions) {
    this.fanout = fanout;
    this.view = view;
    this.versions = versions;
  }

  /**
   * As {@link #refresh()}.
   *
   * @param asker its connection
   */
  public Future<Long> refresh(int asker) {
    crowd.asks(asker);
    return refresh();
  }

  /** Whoever asked is answered, from what was known or not. */
  public void answered(int asker) {
    crowd.answered(asker);
  }

  /** The newest stamp, after all gateways have been asked from now on. */
  public Future<Long> refresh() {
    Promise<Long> waiting;
    synchronized (this) {
      if (next == null) {
        next = Promise.promise();
      }
      waiting = next;
      if (underWay) {
        return waiting.future();
      }
      underWay = true;
    }
    begin();
    return waiting.future();
  }

  private void begin() {
    int millis = crowd.patienceMillis();
    if (millis == 0) {
      round();
    } else {
      fanout.later(millis, this::round);
    }
  }

  private void round() {
    Promise<Long> waiting;
    List<URI> gateways;
    Map<URI, Known> before;
    synchronized (this) {
      waiting = next;
      next = null;
      ClusterView now = view.get();
      gateways = List.copyOf(now.gateways().values());
      if (now.table().epoch() != epoch) {
        epoch = now.table().epoch();
        Map<String, URI> first = new HashMap<>();
        for (String host : now.table().hosts()) {
          List<URI> all = now.readers(host);
          if (!all.isEmpty()) {
            first.put(host, all.getFirst());
          }
        }
        if (!first.equals(readers)) {
          readers = first;
          versions.allChanged();
        }
      }
      before = Map.copyOf(known);
    }
    rounds.increment();
    List<Future<FragmentAnswer.Changes>> asked = new ArrayList<>();
    for (URI gateway : gateways) {
      Known last = before.getOrDefault(gateway, new Known(0, 0));
      asked.add(fanout.changes(gateway, last.incarnation, last.cursor, TIMEOUT_MILLIS));
    }
    Future.join(asked).onComplete(all -> finish(gateways, asked, waiting));
  }

  private void finish(
      List<URI> gateways, List<Future<FragmentAnswer.Changes>> asked, Promise<Long> waiting) {
    boolean again;
    synchronized (this) {
      known.keySet().retainAll(gateways);
      boolean all = false;
      List<Long> buckets = new ArrayList<>();
      long lowest = Long.MAX_VALUE;
      for (int i = 0; i < gateways.size(); i++) {
        URI gateway = gateways.get(i);
        if (asked.get(i).failed()) {
          // What changed there meanwhile cannot be told.
          all = true;
          known.remove(gateway);
          continue;
        }
        FragmentAnswer.Changes answer = asked.get(i).result();
        Known last = known.put(gateway, new Known(answer.incarnation(), answer.cursor()));
        all |= last == null || last.incarnation != answer.incarnation();
        if (answer.watermark() != Long.MIN_VALUE) {
          lowest = Math.min(lowest, answer.watermark());
        }
        for (FragmentAnswer.Changed host : answer.hosts()) {
          // Of those that hold a host, it is its first reader whose samples are in the answers.
          if (gateway.equals(readers.get(host.host()))) {
            all |= host.all();
            buckets.addAll(host.buckets());
          }
        }
      }
      watermark = lowest == Long.MAX_VALUE ? Long.MIN_VALUE : lowest;
      if (all) {
        versions.allChanged();
      } else if (!buckets.isEmpty()) {
        versions.changed(buckets);
      }
      again = next != null;
      underWay = again;
    }
    if (again) {
      begin();
    }
    waiting.complete(versions.stamp());
  }

  /** Whether the last round worked from the table that there is. */
  public synchronized boolean isCurrent() {
    return epoch == view.get().table().epoch();
  }

  /** The epoch of the table that the last round worked from. */
  public synchronized long epoch() {
    return epoch;
  }

  /** The time up to which all hosts that send ticks have sent them, ms, as told last. */
  public synchronized long watermark() {
    return watermark;
  }

  /** How often all gateways were asked. */
  public long rounds() {
    return rounds.sum();
  }
}
