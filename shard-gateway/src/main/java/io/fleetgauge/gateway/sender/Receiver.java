package io.fleetgauge.gateway.sender;

import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import java.util.List;

/** A receiver of requests of remote write. */
interface Receiver {
  /** Meaning of an answer. */
  enum Kind {
    ACCEPTED,
    /** The same body will never be accepted. */
    REFUSED,
    /** The same samples have to be sent again. */
    AGAIN
  }

  /**
   * An outcome of a request.
   *
   * @param refused samples of a request that was accepted, but without them
   * @param waitMillis when to send again, as the receiver says; 0 if it does not
   * @param why empty if it is accepted whole
   */
  record Outcome(Kind kind, int refused, long waitMillis, String why) {
    static final Outcome ACCEPTED = new Outcome(Kind.ACCEPTED, 0, 0, "");

    static Outcome refused(String why) {
      return new Outcome(Kind.REFUSED, 0, 0, why);
    }

    static Outcome again(long waitMillis, String why) {
      return new Outcome(Kind.AGAIN, 0, waitMillis, why);
    }
  }

  /** Sends a request; fails never. */
  Future<Outcome> send(List<Series> series);
}
