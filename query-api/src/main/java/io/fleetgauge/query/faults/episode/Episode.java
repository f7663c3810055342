package io.fleetgauge.query.faults.episode;

import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.List;
import java.util.OptionalLong;

/**
 * A fault from its start to its end.
 *
 * @param id stays the same from start to end, and is the same whoever finds it
 * @param cause a word, such as the code of an XID, {@code collective}, {@code clock}; may be empty
 * @param proven true if a record of its own tells it, and not a comparison
 * @param since when its signs began, ms since the epoch
 * @param foundAt the tick at which it was found, ms since the epoch
 * @param lastSeen the last tick at which its sign was seen, ms since the epoch
 * @param over when it was over, ms since the epoch; empty while it is open
 * @param overReason why it is over; empty while it is open
 * @param count events in it, such as XIDs
 * @param text a sentence that says what is seen
 * @param suspects the likeliest first
 * @param suspectedCause what may have caused it, such as {@code gpu_lost on h1, GPU 3}; empty for
 *     nothing
 * @param related identities of other episodes that are about the same
 * @param shadow true if it is recorded and not alerted
 */
public record Episode(
    String id,
    FaultKind kind,
    Severity severity,
    Subject subject,
    String cause,
    boolean proven,
    long since,
    long foundAt,
    long lastSeen,
    OptionalLong over,
    String overReason,
    int count,
    String text,
    List<Evidence> evidence,
    List<Suspect> suspects,
    String suspectedCause,
    List<String> related,
    boolean shadow) {
  public Episode {
    evidence = List.copyOf(evidence);
    suspects = List.copyOf(suspects);
    related = List.copyOf(related);
  }

  public boolean isOpen() {
    return over.isEmpty();
  }

  /** Returns true if another version tells more than the time at which it was seen last. */
  boolean tellsMoreThan(Episode before) {
    return severity != before.severity
        || proven != before.proven
        || !cause.equals(before.cause)
        || count != before.count
        || since != before.since
        || isOpen() != before.isOpen()
        || !suspects.equals(before.suspects)
        || !suspectedCause.equals(before.suspectedCause)
        || !related.equals(before.related);
  }

  /** The same, over. */
  Episode over(long time, String reason) {
    return new Episode(
        id,
        kind,
        severity,
        subject,
        cause,
        proven,
        since,
        foundAt,
        lastSeen,
        OptionalLong.of(time),
        reason,
        count,
        text,
        evidence,
        suspects,
        suspectedCause,
        related,
        shadow);
  }
}
