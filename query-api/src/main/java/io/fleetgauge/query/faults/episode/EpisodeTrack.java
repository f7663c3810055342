package io.fleetgauge.query.faults.episode;

import io.fleetgauge.query.faults.detect.Finding;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.sample.gpu.FaultKind;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** The open episodes of one host or job. Not for several threads. */
public final class EpisodeTrack {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Thresholds thresholds;
  private final Map<Key, Episode> open;

  /** Tells episodes of one host or job apart. */
  private record Key(FaultKind kind, Subject subject, String code) {
    static Key of(FaultKind kind, Subject subject, String cause) {
      boolean byCode = kind == FaultKind.XID || kind == FaultKind.XID_APPLICATION;
      return new Key(kind, subject, byCode ? cause : "");
    }
  }

  public EpisodeTrack(Thresholds thresholds) {
    this(thresholds, new LinkedHashMap<>());
  }

  private EpisodeTrack(Thresholds thresholds, Map<Key, Episode> open) {
    this.thresholds = thresholds;
    this.open = open;
  }

  /** A track that goes on from here on its own. */
  public EpisodeTrack copy() {
    return new EpisodeTrack(thresholds, new LinkedHashMap<>(open));
  }

  /** Takes over open episodes, which another process has told. */
  public void restore(Collection<Episode> episodes) {
    episodes.forEach(each -> open.put(Key.of(each.kind(), each.subject(), each.cause()), each));
  }

  /** The open episodes, in the order of their beginnings. */
  public List<Episode> open() {
    return List.copyOf(open.values());
  }

  /**
   * Goes on to a tick.
   *
   * @param findings all that detectors find at this tick
   * @return episodes that have begun, tell more than before, or are over
   */
  public List<Episode> at(long time, List<Finding> findings) {
    List<Episode> changed = new ArrayList<>();
    Map<Key, Finding> best = new LinkedHashMap<>();
    for (Finding each : findings) {
      best.merge(Key.of(each.kind(), each.subject(), each.cause()), each, EpisodeTrack::better);
    }
    best.forEach(
        (key, finding) -> {
          Episode before = open.get(key);
          Episode now = before == null ? begin(finding, time) : went(before, finding, time);
          open.put(key, now);
          if (before == null || now.tellsMoreThan(before)) {
            changed.add(now);
          }
        });
    open.values()
        .removeIf(
            each -> {
              long quiet = thresholds.of(each.kind()).quietMillis();
              boolean isOver = time > each.lastSeen() && time - each.lastSeen() >= quiet;
              if (isOver) {
                changed.add(
                    each.over(
                        each.lastSeen(), "its sign has been missing for " + quiet / 1_000 + " s"));
              }
              return isOver;
            });
    return changed;
  }

  /** Ends all open episodes. */
  public List<Episode> end(long time, String reason) {
    List<Episode> over = open.values().stream().map(each -> each.over(time, reason)).toList();
    open.clear();
    return over;
  }

  private static Finding better(Finding one, Finding other) {
    if (one.proven() != other.proven()) {
      return one.proven() ? one : other;
    }
    return other.since() < one.since() ? other : one;
  }

  private Episode begin(Finding finding, long time) {
    return new Episode(
        id(finding),
        finding.kind(),
        finding.severity().orElse(thresholds.of(finding.kind()).severity()),
        finding.subject(),
        finding.cause(),
        finding.proven(),
        finding.since(),
        time,
        time,
        OptionalLong.empty(),
        "",
        finding.count(),
        finding.text(),
        finding.evidence(),
        finding.suspects(),
        "",
        List.of(),
        false);
  }

  private Episode went(Episode before, Finding finding, long time) {
    boolean isWeaker = before.proven() && !finding.proven();
    return new Episode(
        before.id(),
        before.kind(),
        finding.severity().orElse(thresholds.of(finding.kind()).severity()),
        before.subject(),
        isWeaker ? before.cause() : finding.cause(),
        before.proven() || finding.proven(),
        Math.min(before.since(), finding.since()),
        before.foundAt(),
        time,
        OptionalLong.empty(),
        "",
        before.count() + finding.count(),
        isWeaker ? before.text() : finding.text(),
        isWeaker ? before.evidence() : finding.evidence(),
        isWeaker ? before.suspects() : finding.suspects(),
        before.suspectedCause(),
        before.related(),
        before.shadow());
  }

  /** Time, kind and subject: whoever finds the same calls it the same. */
  private static String id(Finding finding) {
    Subject subject = finding.subject();
    String gpu = subject.labels().value("gpu");
    String of = subject.uuid().isEmpty() ? "" : gpu.isEmpty() ? "-" + subject.uuid() : "-gpu" + gpu;
    String kind = finding.kind().text();
    boolean byCode = finding.kind() == FaultKind.XID || finding.kind() == FaultKind.XID_APPLICATION;
    return TIME.format(Instant.ofEpochMilli(finding.since()))
        + "-"
        + (byCode ? kind + finding.cause() : kind)
        + (subject.job().isEmpty() ? "" : "-" + subject.job())
        + (subject.host().isEmpty() ? "" : "-" + subject.host())
        + of
        + (subject.part().isEmpty() ? "" : "-" + subject.part().replace('/', '.'));
  }
}
