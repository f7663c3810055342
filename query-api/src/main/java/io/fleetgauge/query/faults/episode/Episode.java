package io.fleetgauge.query.faults.episode;

import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.sample.Labels;
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

  /** Returns true if both are of one kind and subject, and an XID of one code. */
  public boolean isOfTheSameAs(Episode other) {
    return kind == other.kind
        && subject.equals(other.subject)
        && (!isByCode(kind) || cause.equals(other.cause));
  }

  /** Returns true if episodes of a kind are told apart by their cause, the code of an XID. */
  static boolean isByCode(FaultKind kind) {
    return kind == FaultKind.XID || kind == FaultKind.XID_APPLICATION;
  }

  /** Returns true if both were there at one time; an open one goes on. */
  public boolean overlaps(Episode other) {
    return since <= other.over.orElse(Long.MAX_VALUE) && other.since <= over.orElse(Long.MAX_VALUE);
  }

  /** The same, known by another identity. */
  public Episode named(String name) {
    return changed(name, lastSeen, over, overReason, suspects, suspectedCause, related, shadow);
  }

  /** The same, seen again. */
  public Episode seen(long time) {
    return changed(id, time, over, overReason, suspects, suspectedCause, related, shadow);
  }

  /** The same, with what is known of other episodes. */
  public Episode related(
      List<Suspect> suspected, String causedBy, List<String> others, boolean isShadow) {
    return changed(id, lastSeen, over, overReason, suspected, causedBy, others, isShadow);
  }

  /** The same, over. */
  public Episode over(long time, String reason) {
    return changed(
        id, lastSeen, OptionalLong.of(time), reason, suspects, suspectedCause, related, shadow);
  }

  /** The same, with other labels of its subject. */
  public Episode labelled(Labels labels) {
    Subject other =
        new Subject(subject.host(), subject.uuid(), subject.part(), subject.job(), labels);
    return new Episode(
        id,
        kind,
        severity,
        other,
        cause,
        proven,
        since,
        foundAt,
        lastSeen,
        over,
        overReason,
        count,
        text,
        evidence,
        suspects,
        suspectedCause,
        related,
        shadow);
  }

  private Episode changed(
      String name,
      long seenAt,
      OptionalLong end,
      String reason,
      List<Suspect> suspected,
      String causedBy,
      List<String> others,
      boolean isShadow) {
    return new Episode(
        name, kind, severity, subject, cause, proven, since, foundAt, seenAt, end, reason, count,
        text, evidence, suspected, causedBy, others, isShadow);
  }
}
