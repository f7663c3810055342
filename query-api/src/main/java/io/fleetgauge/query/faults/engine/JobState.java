package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.detect.Copied;
import io.fleetgauge.query.faults.detect.Finding;
import io.fleetgauge.query.faults.detect.JobDetector;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.detect.Verdict;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.episode.EpisodeTrack;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** One job up to a step: its detectors and episodes. */
final class JobState extends Copied {
  /** A job whose labels are missing for so long has ended, ms. */
  static final long MISSING_MILLIS = 60_000;

  static final String ENDED = "the job has ended";
  private static final String UNSEEN = "no new samples have come of its GPUs";

  private List<JobDetector> detectors;
  private EpisodeTrack track;

  /** Episodes that are over. */
  private List<Episode> closed = new ArrayList<>();

  private long time;
  private long missingSince;
  private boolean hasBegun;
  private boolean hasEnded;

  /** Labels that all its GPUs share. */
  private Labels owner = Labels.EMPTY;

  /** True if anything was known of the last step. */
  private boolean isSeen;

  /**
   * @param time of the step before the first
   */
  JobState(Thresholds thresholds, List<JobDetector> detectors, long time) {
    this.detectors = detectors;
    this.track = new EpisodeTrack(thresholds);
    this.time = time;
  }

  /** A state that goes on from here on its own. */
  JobState copy() {
    JobState copy = (JobState) shallow();
    copy.detectors = detectors.stream().map(JobDetector::copy).toList();
    copy.track = track.copy();
    copy.closed = new ArrayList<>(closed);
    return copy;
  }

  long time() {
    return time;
  }

  boolean hasEnded() {
    return hasEnded;
  }

  void restore(Collection<Episode> episodes) {
    track.restore(episodes);
    for (Episode each : episodes) {
      detectors.forEach(
          detector -> detector.restore(each.kind(), each.subject(), each.cause(), each.since()));
    }
  }

  Labels owner() {
    return owner;
  }

  /** What detectors think of it: that is not enough evidence if nothing has come of it lately. */
  List<Verdict> verdicts() {
    return detectors.stream()
        .map(JobDetector::verdict)
        .flatMap(Optional::stream)
        .map(each -> isSeen ? each : Verdict.unknown(each.kind(), UNSEEN))
        .toList();
  }

  void rename(String id, String name) {
    track.rename(id, name);
    closed.replaceAll(each -> each.id().equals(id) ? each.named(name) : each);
  }

  /** All episodes that are known: those that are over, then those that are open. */
  List<Episode> episodes() {
    List<Episode> all = new ArrayList<>(closed);
    all.addAll(track.open());
    return all;
  }

  void forget(long before) {
    closed.removeIf(each -> each.over().getAsLong() < before);
  }

  /**
   * Goes on to a step.
   *
   * @param step empty if no GPU has the job
   */
  void at(long next, Optional<JobStep> step) {
    time = next;
    isSeen = step.isPresent() && step.get().gpus().stream().anyMatch(JobStep.JobGpu::fresh);
    if (hasEnded) {
      return;
    }
    if (step.isEmpty()) {
      if (hasBegun && missingSince == 0) {
        missingSince = next;
      } else if (hasBegun && next - missingSince >= MISSING_MILLIS) {
        closed.addAll(track.end(missingSince, ENDED));
        hasEnded = true;
      }
      return;
    }
    hasBegun = true;
    missingSince = 0;
    owner = step.get().owner();
    if (!isSeen) {
      return; // nothing is known of this step
    }
    List<Finding> findings = new ArrayList<>();
    detectors.forEach(each -> each.on(step.get(), findings::add));
    for (Episode each : track.at(next, findings)) {
      if (!each.isOpen()) {
        closed.add(each);
      }
    }
  }
}
