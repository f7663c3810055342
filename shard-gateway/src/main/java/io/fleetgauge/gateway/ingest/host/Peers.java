package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.replication.OwnerSide;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.read.MissingTimes;
import java.net.URI;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Requests to other gateways. Nothing here waits. Every request is answered once, on any thread;
 * one that gets no answer in time has failed.
 */
public interface Peers {
  /** Time in which a replica has to answer one request, ms. */
  long COPY_MILLIS = OwnerSide.SILENCE_MILLIS;

  /** Time that one request of a pull may take, ms. */
  long PULL_MILLIS = 10_000;

  /** Time in which the owner has to fetch what is offered to it, ms. */
  long OFFER_MILLIS = 3 * PULL_MILLIS;

  /**
   * Bodies of a host that its owner sends to a replica.
   *
   * @param epoch of the owner's table
   * @param owner the id of the gateway that sends them
   * @param number of the first body within the session
   * @param count how many bodies; with none the owner only asks for the replica's state
   */
  record Copy(
      String host, long epoch, String owner, long session, long number, int count, byte[] frames) {}

  /**
   * The answer of a replica.
   *
   * @param wantedRun the run whose dictionary has to come first; 0 when none is wanted
   */
  record CopyAnswer(ReplicaReply reply, long wantedRun) {
    public static CopyAnswer of(ReplicaReply reply) {
      return new CopyAnswer(reply, 0);
    }

    /** The same bodies are wanted again, after the dictionary of a run. */
    public static CopyAnswer wants(long run) {
      return new CopyAnswer(ReplicaReply.LATER, run);
    }
  }

  /**
   * The result of a pull.
   *
   * @param done whether all that the other has was fetched; of times that are in blocks here, what
   *     was fetched is not taken
   * @param compared what both have now
   * @param intact whether the other knows of nothing that it took and lacks: no block of it is
   *     damaged, and it does not wait for samples of others
   * @param progress by run, which of its ticks the other gateway had
   */
  record PullResult(
      boolean done, Pull.Comparison compared, boolean intact, Map<Long, RunProgress> progress) {
    public static final PullResult FAILED =
        new PullResult(false, Pull.Comparison.NOTHING, false, Map.of());

    /** Returns true if both have the same samples. */
    boolean equal() {
      return done && compared.isEqual();
    }

    /**
     * Returns true if all that a damaged block had is here again: the other has samples of its
     * time, all of them are here, and it lacks none itself.
     */
    boolean restores(MissingTimes.Range lost) {
      return done && intact && compared.isSameIn(lost.from(), lost.to());
    }

    void count(IngestCounts counts) {
      (equal() ? counts.comparedEqual : done ? counts.comparedAndFilled : counts.compareFailed)
          .increment();
    }
  }

  /** Sends bodies to a replica. */
  void copy(URI to, Copy copy, Consumer<CopyAnswer> answer);

  /** Fetches what another gateway has of a host and this one has not. */
  void pull(URI from, String host, Consumer<PullResult> done);

  /**
   * Asks the owner of a host to pull from this gateway.
   *
   * @param merged is given whether the owner has all of it now
   */
  void offer(URI owner, String host, String self, Consumer<Boolean> merged);
}
