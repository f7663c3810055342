package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.replication.Reply;
import java.net.URI;
import java.util.Map;
import java.util.function.Consumer;

/** The way to other gateways. Nothing here waits; answers come on any thread, each once. */
public interface Peers {
  /**
   * Bodies of a host on their way from its owner to a copy.
   *
   * @param epoch of the owner's table
   * @param owner the id of the gateway that sends them
   * @param number of the first body within the session
   * @param count how many bodies; with none the owner just asks
   */
  record Copy(
      String host, long epoch, String owner, long session, long number, int count, byte[] frames) {}

  /**
   * What a copy answers.
   *
   * @param wantedRun the run whose dictionary has to come first; 0 when none is wanted
   */
  record CopyAnswer(Reply reply, long wantedRun) {
    public static CopyAnswer of(Reply reply) {
      return new CopyAnswer(reply, 0);
    }

    /** The same bodies are wanted again, behind the dictionary of a run. */
    public static CopyAnswer wants(long run) {
      return new CopyAnswer(Reply.LATER, run);
    }
  }

  /**
   * How a pull ended.
   *
   * @param done whether all that the other has is here
   * @param equal whether both have the same
   * @param kept up to which sequence the other had the ticks of each run when it was asked last
   */
  record Pulled(boolean done, boolean equal, Map<Long, Long> kept) {
    public static final Pulled FAILED = new Pulled(false, false, Map.of());
  }

  void copy(URI to, Copy copy, Consumer<CopyAnswer> answer);

  /** Brings what another gateway has of a host and this one has not. */
  void pull(URI from, String host, Consumer<Pulled> done);

  /**
   * Asks the owner of a host to pull from this gateway.
   *
   * @param merged is told whether the owner has all of it now
   */
  void offer(URI owner, String host, String self, Consumer<Boolean> merged);
}
