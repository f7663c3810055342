package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.reading.JobStep;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * One job at three times: {@code settled}, up to which all ticks have come; {@code recent}, up to
 * which those of hosts that are not overdue have; and {@code live}, the last step. Mostly they are
 * one. A tick that comes late makes the states after its time void, and they are made again from
 * the one before.
 */
final class JobTrack {
  private final JobKey key;

  /** Hosts that have a GPU of the job now, or had one lately. */
  final Set<String> hosts = new HashSet<>();

  private JobState settled;
  private JobState recent;
  private JobState live;

  /** The earliest tick that came since the last step. */
  private long arrived = Long.MAX_VALUE;

  private long replayed;

  /**
   * @param first its state before its first step
   */
  JobTrack(JobKey key, JobState first) {
    this.key = key;
    this.settled = first;
    this.recent = settled;
    this.live = settled;
  }

  JobKey key() {
    return key;
  }

  /** Takes over open episodes. */
  void restore(Collection<Episode> episodes) {
    settled.restore(episodes);
  }

  /** A tick of a host of the job, or of one that was. */
  void arrived(long time) {
    arrived = Math.min(arrived, time);
  }

  /** The last step up to which it is settled, ms. */
  long settledUntil() {
    return settled.time();
  }

  boolean hasEnded() {
    return settled.hasEnded();
  }

  /** Steps that were computed again. */
  long replayed() {
    return replayed;
  }

  /** What detectors think of it now. */
  JobVerdicts verdicts() {
    String first = hosts.stream().min(Comparator.naturalOrder()).orElse("");
    return new JobVerdicts(key.job(), live.owner(), first, live.verdicts());
  }

  /** All its episodes as they are known now. */
  List<Episode> episodes() {
    return live.episodes();
  }

  void rename(String id, String name) {
    settled.rename(id, name);
    if (recent != settled) {
      recent.rename(id, name);
    }
    if (live != recent && live != settled) {
      live.rename(id, name);
    }
  }

  void forget(long before) {
    settled.forget(before);
    recent.forget(before);
    live.forget(before);
  }

  /**
   * Goes on to a step.
   *
   * @param complete the last step for which all ticks have come
   * @param mostly the same without hosts that are overdue; not before {@code complete}
   * @param steps makes the job's step at a time
   */
  void at(long time, long complete, long mostly, LongFunction<Optional<JobStep>> steps) {
    long before = live.time();
    boolean isRecentVoid = arrived <= recent.time();
    boolean isLiveVoid = arrived <= live.time();
    arrived = Long.MAX_VALUE;
    if (!isLiveVoid && live.time() <= complete) {
      settled = live;
      recent = live;
    } else if (!isRecentVoid && recent.time() <= complete) {
      settled = recent;
    }
    settled = advanced(settled, complete, before, steps, false);
    if (isRecentVoid || recent.time() <= settled.time()) {
      recent = settled;
    }
    recent = advanced(recent, mostly, before, steps, recent == settled);
    if (isLiveVoid || live.time() <= recent.time()) {
      live = recent;
    }
    live = advanced(live, time, before, steps, live == recent);
  }

  private JobState advanced(
      JobState from,
      long to,
      long before,
      LongFunction<Optional<JobStep>> steps,
      boolean isShared) {
    if (from.time() >= to) {
      return from;
    }
    JobState state = isShared ? from.copy() : from;
    for (long next = from.time() + FaultEngine.STEP_MILLIS;
        next <= to;
        next += FaultEngine.STEP_MILLIS) {
      replayed += next <= before ? 1 : 0;
      state.at(next, steps.apply(next));
    }
    return state;
  }
}
