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

  /** A sign that is seen again after so long without ticks, ms, is of another fault. */
  private static final long HOLE = 300_000;

  private final Thresholds thresholds;
  private final Map<Key, Episode> open;

  /** Tells episodes of one host or job apart. */
  private record Key(FaultKind kind, Subject subject, String code) {
    static Key of(FaultKind kind, Subject subject, String cause) {
      return new Key(kind, subject, Episode.isByCode(kind) ? cause : "");
    }

    static Key of(Episode episode) {
      return of(episode.kind(), episode.subject(), episode.cause());
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
    episodes.forEach(each -> open.put(Key.of(each), each));
  }

  /** Gives an open episode another identity. */
  public void rename(String id, String name) {
    open.replaceAll((key, each) -> each.id().equals(id) ? each.named(name) : each);
  }

  /** The open episodes, in the order of their beginnings. */
  public List<Episode> open() {
    return List.copyOf(open.values());
  }

  /**
   * Goes on to a tick.
   *
   * @param findings all that detectors find at this tick
   * @return episodes that have begun, were seen, or are over
   */
  public List<Episode> at(long time, List<Finding> findings) {
    if (findings.isEmpty() && open.isEmpty()) {
      return List.of();
    }
    List<Episode> changed = new ArrayList<>();
    Map<Key, Finding> best = new LinkedHashMap<>();
    for (Finding each : findings) {
      best.merge(Key.of(each.kind(), each.subject(), each.cause()), each, EpisodeTrack::better);
    }
    // What was missing for long enough before this tick is over, and what is found now is another.
    open.entrySet()
        .removeIf(
            entry -> {
              Episode each = entry.getValue();
              long quiet = thresholds.of(each.kind()).quietMillis();
              boolean isSeen = best.containsKey(entry.getKey());
              boolean isOver =
                  isSeen
                      ? best.get(entry.getKey()).since() - each.lastSeen() > Math.max(quiet, HOLE)
                      : time > each.lastSeen() && time - each.lastSeen() >= quiet;
              if (isOver) {
                changed.add(
                    each.over(
                        each.lastSeen(), "its sign has been missing for " + quiet / 1_000 + " s"));
              }
              return isOver;
            });
    best.forEach(
        (key, finding) -> {
          Episode before = open.get(key);
          Episode now = before == null ? begin(finding, time) : went(before, finding, time);
          open.put(key, now);
          changed.add(now);
        });
    return changed;
  }

  /** Ends all open episodes. */
  public List<Episode> end(long time, String reason) {
    List<Episode> over = open.values().stream().map(each -> each.over(time, reason)).toList();
    open.clear();
    return over;
  }

  /** The likelier of two findings of one kind and subject: the proven one, else the older one. */
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
    // After a takeover times that the episode has counted already are looked at again.
    int more = time > before.lastSeen() ? finding.count() : 0;
    return new Episode(
        before.id(),
        before.kind(),
        isWeaker
            ? before.severity()
            : finding.severity().orElse(thresholds.of(finding.kind()).severity()),
        before.subject(),
        isWeaker ? before.cause() : finding.cause(),
        before.proven() || finding.proven(),
        Math.min(before.since(), finding.since()),
        before.foundAt(),
        Math.max(before.lastSeen(), time),
        OptionalLong.empty(),
        "",
        before.count() + more,
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
    String tenant = subject.job().isEmpty() ? "" : subject.labels().value("tenant");
    return TIME.format(Instant.ofEpochMilli(finding.since()))
        + "-"
        + (Episode.isByCode(finding.kind()) ? kind + finding.cause() : kind)
        + (tenant.isEmpty() ? "" : "-" + tenant)
        + (subject.job().isEmpty() ? "" : "-" + subject.job())
        + (subject.host().isEmpty() ? "" : "-" + subject.host())
        + of
        + (subject.part().isEmpty() ? "" : "-" + subject.part().replace('/', '.'));
  }
}
