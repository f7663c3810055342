package io.fleetgauge.load.judge;

import io.fleetgauge.load.nodes.TraceLabel;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;

/** Compares episodes with labels: the same kind and place, at the same time. */
final class Match {
  /** Signs may last so long after the fault: counters, windows of minutes, ms. */
  private static final long AFTER = 600_000;

  /** The first sign may be taken for so much older than it is: windows, the tick before, ms. */
  private static final long BEFORE = 60_000;

  private static final int SUSPECTS = 3;

  private Match() {}

  static boolean matches(Episode episode, TraceLabel label) {
    return episode.kind() == label.kind()
        && isPlace(episode, label)
        && isCode(episode, label)
        && episode.foundAt() >= label.from()
        && episode.since() <= label.to() + AFTER
        && episode.over().orElse(Long.MAX_VALUE) >= label.from() - BEFORE;
  }

  private static boolean isPlace(Episode episode, TraceLabel label) {
    Subject subject = episode.subject();
    if (!subject.job().isEmpty()) {
      return subject.job().equals(label.job());
    }
    return subject.host().equals(label.host())
        && (label.uuid().isEmpty()
            || subject.uuid().isEmpty()
            || label.uuid().equals(subject.uuid()))
        && (label.part().isEmpty()
            || subject.part().isEmpty()
            || label.part().equals(subject.part()));
  }

  private static boolean isCode(Episode episode, TraceLabel label) {
    boolean isXid = episode.kind() == FaultKind.XID || episode.kind() == FaultKind.XID_APPLICATION;
    return !isXid || label.cause().isEmpty() || label.cause().equals(episode.cause());
  }

  /** Returns true if the label says which host or GPU is the cause. */
  static boolean hasCulprit(TraceLabel label) {
    return label.kind().scope() == FaultKind.Scope.JOB && !label.host().isEmpty();
  }

  /** Returns true if the cause is among those that the episode names first. */
  static boolean namesCulprit(Episode episode, TraceLabel label) {
    Subject subject = episode.subject();
    if (!subject.host().isEmpty()) {
      return isCulprit(subject.host(), subject.uuid(), label);
    }
    List<Suspect> first = episode.suspects().stream().limit(SUSPECTS).toList();
    return first.stream().anyMatch(each -> isCulprit(each.host(), each.uuid(), label));
  }

  private static boolean isCulprit(String host, String uuid, TraceLabel label) {
    return host.equals(label.host())
        && (label.uuid().isEmpty() || uuid.isEmpty() || uuid.equals(label.uuid()));
  }
}
