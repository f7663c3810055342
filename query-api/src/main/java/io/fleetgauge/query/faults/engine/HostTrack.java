package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.detect.Finding;
import io.fleetgauge.query.faults.detect.HostDetector;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.episode.EpisodeTrack;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.HostTicks;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** One host: its ticks, its detectors, its episodes, and its silence. */
final class HostTrack {
  /** Ticks may come so much later than their time says, ms. */
  private static final long JITTER = 1_000;

  private static final int INTERVALS = 5;
  private static final double FRESH_INTERVALS = 2.5;
  private static final double OVERDUE_INTERVALS = 1.5;
  private static final long SLOWEST = 120_000;

  private final String host;
  private final Thresholds thresholds;
  private final HostTicks ticks;
  private final List<HostDetector> detectors;
  private final EpisodeTrack track;

  /** Its newest ticks, those that jobs still need, in order of time. */
  private final Deque<Kept> kept = new ArrayDeque<>();

  private final long[] intervals = new long[INTERVALS];
  private int intervalCount;
  private long last;

  /** The last step before which only late ticks came, ms: who catches up is not silent. */
  private long heard = Long.MIN_VALUE;

  /** True if ticks have come since the last step. */
  private boolean isFed;

  /** True if ticks came between the last step and the one before. */
  private boolean isHeard;

  private boolean hasSent;
  private Labels place;
  private Episode silence;

  /** True if jobs do not wait for it any more: it has sent nothing for too long. */
  boolean isGivenUp;

  /**
   * A tick that jobs look at.
   *
   * @param fresh until when it says something about now, ms
   */
  record Kept(HostTick tick, long fresh) {}

  HostTrack(
      String host, HostTicks ticks, Thresholds thresholds, List<HostDetector> detectors, long now) {
    this.host = host;
    this.ticks = ticks;
    this.thresholds = thresholds;
    this.detectors = detectors;
    this.track = new EpisodeTrack(thresholds);
    this.last = now;
    this.place = Labels.of("Hostname", host);
  }

  String host() {
    return host;
  }

  /** The last tick, or when it was expected first, ms. */
  long last() {
    return last;
  }

  boolean isSilent() {
    return silence != null;
  }

  /** Returns true if ticks of it came before this step, after the one before. */
  boolean isHeard() {
    return isHeard;
  }

  Deque<Kept> kept() {
    return kept;
  }

  /** Takes over an open episode. */
  void restore(Episode episode) {
    if (episode.kind() == FaultKind.HOST_SILENT) {
      place = episode.subject().labels();
      silence = episode;
      last = episode.since();
    } else {
      track.restore(List.of(episode));
      detectors.forEach(each -> each.restore(episode.kind(), episode.subject(), episode.since()));
    }
  }

  /** Its place, as others know it: it counts until the host sends. */
  void at(Labels known) {
    if (!hasSent && silence == null && !known.isEmpty()) {
      place = known;
    }
  }

  void rename(String id, String name) {
    track.rename(id, name);
    silence = silence != null && silence.id().equals(id) ? silence.named(name) : silence;
  }

  /**
   * Takes new samples.
   *
   * @param now the last step
   * @param out takes ticks after their detectors have looked at them
   * @param changed takes episodes
   */
  void feed(List<Series> samples, long now, Consumer<HostTick> out, Consumer<Episode> changed) {
    ticks.feed(
        samples,
        tick -> {
          if (silence != null) {
            boolean isLate = tick.time() - last <= silentMillis();
            changed.accept(
                silence.over(
                    isLate ? Math.max(now, tick.time()) : tick.time(),
                    isLate ? "its samples arrived late" : "it sends again"));
            silence = null;
          }
          if (hasSent) {
            intervals[intervalCount++ % INTERVALS] = tick.time() - last;
          }
          hasSent = true;
          isFed = true;
          last = tick.time();
          place = tick.place();
          isGivenUp = false;
          List<Finding> findings = new ArrayList<>();
          detectors.forEach(each -> each.on(tick, findings::add));
          track.at(tick.time(), findings).forEach(changed);
          long usual = Math.clamp(interval(INTERVALS / 2), FaultEngine.STEP_MILLIS, SLOWEST);
          kept.add(new Kept(tick, tick.time() + Math.round(FRESH_INTERVALS * usual)));
          out.accept(tick);
        });
  }

  /** Goes on to a step: a host that has sent nothing for a while is silent. */
  void at(long time, boolean isNow, Consumer<Episode> changed) {
    isHeard = isFed;
    isFed = false;
    heard = isHeard && time - last >= silentMillis() ? time : heard;
    if (silence != null) {
      silence = silence.seen(Math.max(time, silence.lastSeen()));
      changed.accept(silence);
    } else if (isNow && time - Math.max(last, heard) >= silentMillis()) {
      Finding finding =
          Finding.of(
              FaultKind.HOST_SILENT,
              new Subject(host, "", "", "", place),
              last,
              "",
              hasSent
                  ? "nothing has come for " + (time - last) / 1_000 + " s"
                  : "nothing has ever come");
      silence = new EpisodeTrack(thresholds).at(time, List.of(finding)).getFirst();
      changed.accept(silence);
    }
  }

  /** Ends all that is open: the host is expected no more. */
  List<Episode> end(long time, String reason) {
    List<Episode> over = new ArrayList<>(track.end(time, reason));
    if (silence != null) {
      over.add(silence.over(time, reason));
    }
    return over;
  }

  private long silentMillis() {
    long usual = Math.min(interval(INTERVALS / 2), SLOWEST);
    return Math.max(
        thresholds.of(FaultKind.HOST_SILENT).millis("after"), Math.round(FRESH_INTERVALS * usual));
  }

  /** The last intervals between ticks: the one at a place in their order. */
  private long interval(int place) {
    int count = Math.min(intervalCount, INTERVALS);
    if (count == 0) {
      return FaultEngine.STEP_MILLIS;
    }
    long[] sorted = Arrays.copyOf(intervals, count);
    Arrays.sort(sorted);
    return sorted[Math.min(place, count - 1)];
  }

  /** Up to when all of its ticks have come, ms. */
  long completeUntil() {
    return hasSent ? Math.max(last, last + interval(0) - JITTER - 1) : Long.MAX_VALUE;
  }

  /** Returns true if a tick of it is missing. */
  boolean isOverdue(long time) {
    return hasSent && time > last + OVERDUE_INTERVALS * Math.min(interval(INTERVALS - 1), SLOWEST);
  }

  /** The newest tick up to a time. */
  Optional<Kept> newest(long time) {
    for (Iterator<Kept> all = kept.descendingIterator(); all.hasNext(); ) {
      Kept each = all.next();
      if (each.tick.time() <= time) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /** Forgets ticks that no step after a time needs; returns how many GPUs were in them. */
  int forget(long time) {
    int count = 0;
    while (kept.size() > 1) {
      Kept first = kept.removeFirst();
      if (kept.getFirst().tick.time() > time) {
        kept.addFirst(first);
        break;
      }
      count += first.tick.gpus().size();
    }
    return count;
  }
}
