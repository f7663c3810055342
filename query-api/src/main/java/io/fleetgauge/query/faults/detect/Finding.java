package io.fleetgauge.query.faults.detect;

import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.List;
import java.util.Optional;

/**
 * A fault that a detector sees at a tick.
 *
 * @param since when its signs began, ms since the epoch; not later than the tick
 * @param severity if it is another than the kind's
 * @param cause a word that tells findings of one kind apart, such as the code of an XID, {@code
 *     collective}, {@code clock}; empty for none
 * @param proven true if a record of its own tells it, such as a count of NCCL, and not a comparison
 * @param count events at this tick, such as XIDs; 0 for a state
 * @param text a sentence that says what is seen
 * @param suspects the likeliest first
 */
public record Finding(
    FaultKind kind,
    Subject subject,
    long since,
    Optional<Severity> severity,
    String cause,
    boolean proven,
    int count,
    String text,
    List<Evidence> evidence,
    List<Suspect> suspects) {
  public Finding {
    evidence = List.copyOf(evidence);
    suspects = List.copyOf(suspects);
  }

  /** A finding with the severity of its kind, of one GPU or host. */
  public static Finding of(
      FaultKind kind,
      Subject subject,
      long since,
      String cause,
      String text,
      Evidence... evidence) {
    return new Finding(
        kind,
        subject,
        since,
        Optional.empty(),
        cause,
        false,
        0,
        text,
        List.of(evidence),
        List.of());
  }

  /**
   * The same, told by a record of its own.
   *
   * @param events at this tick; 0 for a state
   */
  Finding counted(double events) {
    return new Finding(
        kind,
        subject,
        since,
        severity,
        cause,
        true,
        (int) Math.ceil(events),
        text,
        evidence,
        suspects);
  }
}
