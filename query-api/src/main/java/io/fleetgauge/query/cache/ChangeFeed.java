package io.fleetgauge.query.cache;

import io.fleetgauge.query.fleet.Changes;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Brings {@link Versions} up to date on demand, in rounds that ask every shard once. A caller that
 * comes while a round is under way waits for the next one, because that begins after the call; so
 * the callers that come during a round cost as much as one. No caller waits for others.
 *
 * <p>A caller that reads from the shards anyway can ask them in the same request ({@link #begin}),
 * and needs no round. Thread-safe.
 */
public final class ChangeFeed {
  private final Function<Optional<Changes>, Future<Changes>> source;
  private final LongSupplier tableEpoch;
  private final Versions versions;
  private final LongAdder rounds = new LongAdder();
  private Optional<Changes> last = Optional.empty();
  private Promise<Long> next;
  private boolean underWay;

  /**
   * @param source asks all shards what changed since an earlier look
   * @param tableEpoch the epoch of the newest table
   */
  public ChangeFeed(
      Function<Optional<Changes>, Future<Changes>> source,
      LongSupplier tableEpoch,
      Versions versions) {
    this.source = source;
    this.tableEpoch = tableEpoch;
    this.versions = versions;
  }

  /** The newest stamp, after all shards have been asked from now on. */
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
    round();
    return waiting.future();
  }

  /**
   * A look at the shards that is brought along by a read.
   *
   * @param last last report that the shards are reminded of; empty before the first round
   * @param stamp the newest one before they are asked; what is read may be kept with it in any case
   */
  public record Look(Optional<Changes> last, long stamp) {}

  /** Begins a look; whatever it reports was reported by the shards after this call. */
  public synchronized Look begin() {
    return new Look(last, versions.stamp());
  }

  /**
   * Ends a look.
   *
   * <p>What was read has all that the look reports, and what was reported before it began. It need
   * not have what others reported meanwhile. So when there is any such report, this one is not
   * used, and the shards will tell all of it again.
   *
   * @return the stamp that what was read can be kept with, when {@link Versions} have all that the
   *     shards reported; empty when they do not, and a round is needed to take anything from a
   *     cache
   */
  public synchronized Optional<Long> end(Look look, Changes changes) {
    if (versions.stamp() != look.stamp) {
      return Optional.empty();
    }
    note(changes);
    // A later position that others have reached without a change would be lost.
    if (isStill(look)) {
      last = Optional.of(changes);
    }
    return Optional.of(versions.stamp());
  }

  private boolean isStill(Look look) {
    return last.orElse(null) == look.last.orElse(null);
  }

  private void note(Changes changes) {
    if (changes.all()) {
      versions.allChanged();
    } else if (!changes.buckets().isEmpty()) {
      versions.changed(changes.buckets());
    }
  }

  private void round() {
    Promise<Long> waiting;
    Optional<Changes> before;
    synchronized (this) {
      waiting = next;
      next = null;
      before = last;
    }
    rounds.increment();
    source.apply(before).onComplete(done -> finish(done.result(), waiting));
  }

  /**
   * @param changes null if they are not known
   */
  private void finish(Changes changes, Promise<Long> waiting) {
    boolean again;
    synchronized (this) {
      if (changes == null) {
        versions.allChanged();
      } else {
        note(changes);
      }
      last = Optional.ofNullable(changes);
      again = next != null;
      underWay = again;
    }
    if (again) {
      round();
    }
    waiting.complete(versions.stamp());
  }

  /** Returns true if the last round used the newest table. */
  public boolean isCurrent() {
    return epoch() == tableEpoch.getAsLong();
  }

  /** The epoch of the table that the last round used; -1 before the first. */
  public synchronized long epoch() {
    return last.map(Changes::epoch).orElse(-1L);
  }

  /**
   * The time up to which all hosts that send ticks had sent them at the last round, ms; {@link
   * Long#MIN_VALUE} when it is not known.
   */
  public synchronized long watermark() {
    return last.map(Changes::watermark).orElse(Long.MIN_VALUE);
  }

  public long rounds() {
    return rounds.sum();
  }
}
