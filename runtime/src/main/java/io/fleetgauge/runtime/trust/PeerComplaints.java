package io.fleetgauge.runtime.trust;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which processes reject the requests of this one because of their signature, and why. Safe
 * for all threads.
 *
 * <pre>
 * WWW-Authenticate: Fleetgauge-Signature reason="REASON", error="TEXT"
 * </pre>
 */
public final class PeerComplaints {
  private static final Logger LOG = LoggerFactory.getLogger(PeerComplaints.class);
  private static final Pattern CHALLENGE =
      Pattern.compile("Fleetgauge-Signature reason=\"([a-z]+)\", error=\"([ -~&&[^\"]]{1,500})\"");
  private static final int UNAUTHORIZED = 401;
  private static final int MAX_PEERS = 1_000;

  private final OriginLog due = new OriginLog();
  private final Set<String> complaining = ConcurrentHashMap.newKeySet();

  /** The value of the header by which a receiver says why it rejects a signature. */
  public static String challenge(String reason, String text) {
    return "Fleetgauge-Signature reason=\"" + reason + "\", error=\"" + text + "\"";
  }

  /** Tells whether an answer with a status says anything about signatures. */
  public boolean concerns(int status) {
    return status == UNAUTHORIZED || status < 300 && !complaining.isEmpty();
  }

  /**
   * A process has answered with a status that {@link #concerns}.
   *
   * @param challenge its header {@code WWW-Authenticate}; null when it has none
   */
  public void heard(String peer, int status, String challenge) {
    if (status != UNAUTHORIZED) {
      if (complaining.remove(peer)) {
        due.isOver(peer);
        LOG.info("{} accepts the requests of this process again", peer);
      }
      return;
    }
    Matcher said = CHALLENGE.matcher(challenge == null ? "" : challenge);
    if (said.matches() && due.isDue(peer, System.currentTimeMillis())) {
      if (complaining.size() < MAX_PEERS) {
        complaining.add(peer);
      }
      LOG.warn("{} rejects the requests of this process: {}", peer, said.group(2));
    }
  }
}
