package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.detect.Detectors;
import io.fleetgauge.query.faults.detect.HostDetector;
import io.fleetgauge.query.faults.detect.JobDetector;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.HostTicks;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Finds the faults of a cluster's hosts, GPUs and jobs. Not for several threads.
 *
 * <p>Each host has its ticks, detectors and episodes: they go on with its ticks, however late these
 * come. Each job has a step of the grid, made of the newest ticks of its hosts. When ticks come
 * late, the job's steps since the last one for which nothing was missing are made again, and what
 * comes out replaces what was told, under the same identities.
 *
 * <p>Memory: some 40 KiB for each GPU with its links and its share of the host, and 0.7 KiB for
 * each of its ticks that is kept while ticks are missing: {@value #MOST_GPU_TICKS} of them at most,
 * and none of more than an hour. Without delay each host has one or two. Detectors of jobs are
 * there up to three times while ticks are missing.
 */
public final class FaultEngine {
  /** Time between two steps, ms. */
  public static final long STEP_MILLIS = 15_000;

  /** Jobs wait for a host's ticks so long, ms. */
  static final long WAIT_MILLIS = 3_600_000;

  private static final int MOST_GPU_TICKS = 250_000;

  /** Episodes that are over are known for so long, ms, to tell them once. */
  private static final long KNOWN_MILLIS = 2 * WAIT_MILLIS;

  /** A host that is not expected is forgotten when it has been silent for so long, ms. */
  private static final long FORGET_MILLIS = 86_400_000;

  private final Thresholds thresholds;
  private final Set<String> ownerLabels;
  private final List<ShadowRule> shadows;
  private final Supplier<List<HostDetector>> ofHost;
  private final Supplier<List<JobDetector>> ofJob;
  private final Map<String, HostTrack> hosts = new TreeMap<>();
  private final Map<JobKey, JobTrack> jobs = new HashMap<>();
  private final ToldEpisodes told = new ToldEpisodes();
  private final Map<JobKey, List<Episode>> restored = new HashMap<>();
  private Map<String, Labels> expected = Map.of();
  private long restoredAt;
  private long time;
  private long givenUp;
  private long replayed;
  private int gpuTicks;

  public FaultEngine(Thresholds thresholds, Collection<String> ownerLabels) {
    this(thresholds, ownerLabels, List.of());
  }

  /**
   * @param ownerLabels labels that say who has a GPU
   * @param shadows faults that are recorded and not alerted
   */
  public FaultEngine(
      Thresholds thresholds, Collection<String> ownerLabels, List<ShadowRule> shadows) {
    this(
        thresholds,
        ownerLabels,
        shadows,
        () -> Detectors.ofHost(thresholds),
        () -> Detectors.ofJob(thresholds));
  }

  /** An engine with detectors of one's own. */
  FaultEngine(
      Thresholds thresholds,
      Collection<String> ownerLabels,
      List<ShadowRule> shadows,
      Supplier<List<HostDetector>> ofHost,
      Supplier<List<JobDetector>> ofJob) {
    this.thresholds = thresholds;
    this.ofHost = ofHost;
    this.ofJob = ofJob;
    this.ownerLabels = Set.copyOf(ownerLabels);
    this.shadows = List.copyOf(shadows);
  }

  /**
   * Hosts that should be there: they are told as silent even if they never sent.
   *
   * @param places labels of the place of each, as far as they are known
   */
  public void expect(Map<String, Labels> places) {
    expected = Map.copyOf(places);
    if (time > 0) {
      expected.forEach((name, place) -> hosts.computeIfAbsent(name, this::host).at(place));
    }
  }

  private HostTrack host(String name) {
    return host(name, time);
  }

  private HostTrack host(String name, long since) {
    return new HostTrack(name, new HostTicks(name, ownerLabels), thresholds, ofHost.get(), since);
  }

  /**
   * Takes over episodes that another process has told. Before the first sample; then the samples
   * and steps of some time before are looked at again, and {@link #changes} is asked when that is
   * done. What was told is not told again.
   *
   * @param episodes those that are open, and those that were over within the last hours
   * @param at time of the takeover: up to then what is open counts as seen
   */
  public void restore(List<Episode> episodes, long at) {
    restoredAt = at;
    for (Episode each : episodes) {
      boolean isOfJob = !each.subject().job().isEmpty();
      Object scope =
          isOfJob
              ? JobKey.of(each.subject().job(), each.subject().labels())
              : each.subject().host();
      Episode seen = each.isOpen() ? each.seen(Math.max(each.lastSeen(), at)) : each;
      told.restore(scope, seen);
      if (!seen.isOpen()) {
        continue;
      }
      if (isOfJob) {
        restored.computeIfAbsent((JobKey) scope, none -> new ArrayList<>()).add(seen);
      } else {
        hosts.computeIfAbsent(each.subject().host(), name -> host(name, at)).restore(seen);
      }
    }
  }

  /**
   * Takes new raw samples of one host, those of a host in order of time, all of one time at once.
   *
   * @param samples of the metrics of {@code Signal}
   */
  public void feed(String name, List<Series> samples) {
    if (samples.isEmpty()) {
      return;
    }
    HostTrack host = hosts.computeIfAbsent(name, this::host);
    HostTick[] before = {host.kept().isEmpty() ? null : host.kept().getLast().tick()};
    host.feed(
        samples,
        time,
        tick -> {
          gpuTicks += tick.gpus().size();
          Set<JobKey> of = jobs(tick);
          for (JobKey each : of) {
            JobTrack job = jobs.computeIfAbsent(each, key -> job(key, tick.time()));
            job.hosts.add(name);
            job.arrived(tick.time());
          }
          if (before[0] != null) {
            for (JobKey each : jobs(before[0])) {
              JobTrack job = jobs.get(each);
              if (job != null && !of.contains(each)) {
                job.arrived(tick.time());
              }
            }
          }
          before[0] = tick;
        },
        episode -> take(host, episode));
  }

  private void take(HostTrack host, Episode episode) {
    told.take(host.host(), shaded(episode), host::rename);
  }

  private JobTrack job(JobKey key, long tickTime) {
    long from = tickTime - 1 - Math.floorMod(tickTime - 1, STEP_MILLIS);
    JobTrack job =
        new JobTrack(
            key, new JobState(thresholds, ofJob.get(), Math.max(from, time - WAIT_MILLIS)));
    List<Episode> open = restored.remove(key);
    if (open != null) {
      job.restore(open);
    }
    return job;
  }

  private static Set<JobKey> jobs(HostTick tick) {
    Set<JobKey> jobs = new HashSet<>();
    for (GpuTick gpu : tick.gpus()) {
      if (!gpu.job().isEmpty()) {
        jobs.add(JobKey.of(gpu));
      }
    }
    return jobs;
  }

  /**
   * Goes on to a step of the grid. Not while samples cannot be read: what has not come by then is
   * missing.
   */
  public void at(long now) {
    at(now, true);
  }

  /**
   * As {@link #at(long)}.
   *
   * @param isNow false for a step that is long past: its samples may be read later than it is, so
   *     that no host is found to be silent
   */
  public void at(long now, boolean isNow) {
    boolean isFirst = time == 0;
    time = now - Math.floorMod(now, STEP_MILLIS);
    if (isFirst) {
      expect(expected);
    }
    for (Iterator<HostTrack> all = hosts.values().iterator(); all.hasNext(); ) {
      HostTrack host = all.next();
      host.at(time, isNow, episode -> take(host, episode));
      if (!host.isGivenUp && time - host.last() > WAIT_MILLIS) {
        giveUp(host);
      }
      if (time - host.last() > FORGET_MILLIS && !expected.containsKey(host.host())) {
        host.end(time, "the host is not expected any more").forEach(each -> take(host, each));
        all.remove();
      }
    }
    while (gpuTicks > MOST_GPU_TICKS && giveUpOne()) {
      advanceJobs();
      forget();
    }
    advanceJobs();
    forget();
    endRestored();
    Relations.find(told, this::members);
  }

  private void giveUp(HostTrack host) {
    host.isGivenUp = true;
    givenUp++;
  }

  /** Gives up the host that has been missing for longest. */
  private boolean giveUpOne() {
    HostTrack worst = null;
    for (HostTrack each : hosts.values()) {
      if (!each.isGivenUp
          && each.isOverdue(time)
          && (worst == null || each.last() < worst.last())) {
        worst = each;
      }
    }
    if (worst != null) {
      giveUp(worst);
    }
    return worst != null;
  }

  private void advanceJobs() {
    List<HostTrack> overdue = new ArrayList<>();
    for (HostTrack host : hosts.values()) {
      if (!host.isGivenUp && host.isOverdue(time)) {
        overdue.add(host);
      }
    }
    for (Iterator<JobTrack> all = jobs.values().iterator(); all.hasNext(); ) {
      JobTrack job = all.next();
      // A host that is overdue may have begun to work for any job.
      long complete = time;
      for (HostTrack host : overdue) {
        complete = Math.min(complete, host.completeUntil());
      }
      long mostly = time;
      boolean isWhole = true;
      boolean isCatchingUp = false;
      for (String name : job.hosts) {
        HostTrack host = hosts.get(name);
        if (host == null || host.isGivenUp) {
          continue;
        }
        if (host.isOverdue(time)) {
          isWhole = false;
          isCatchingUp |= host.isHeard();
        } else {
          mostly = Math.min(mostly, host.completeUntil());
        }
      }
      complete = Math.min(complete, mostly);
      long before = job.replayed();
      job.at(time, complete, mostly, at -> step(job, at));
      replayed += job.replayed() - before;
      job.forget(time - KNOWN_MILLIS);
      List<Episode> episodes = job.episodes().stream().map(this::shaded).toList();
      told.takeAll(job.key(), episodes, time, isWhole, isCatchingUp, job::rename);
      if (job.hasEnded()) {
        all.remove();
      }
    }
  }

  private Optional<JobStep> step(JobTrack job, long at) {
    List<JobStep.JobGpu> gpus = new ArrayList<>();
    Labels owner = null;
    for (String name : job.hosts) {
      HostTrack host = hosts.get(name);
      HostTrack.Kept newest = host == null ? null : host.newest(at).orElse(null);
      if (newest == null || at - newest.tick().time() > WAIT_MILLIS) {
        continue;
      }
      for (GpuTick gpu : newest.tick().gpus()) {
        if (gpu.job().equals(job.key().job()) && JobKey.of(gpu).equals(job.key())) {
          gpus.add(new JobStep.JobGpu(newest.tick(), gpu, at <= newest.fresh()));
          owner = owner == null ? gpu.owner() : owner.common(gpu.owner());
        }
      }
    }
    return gpus.isEmpty()
        ? Optional.empty()
        : Optional.of(new JobStep(job.key().job(), owner, at, gpus));
  }

  /** Forgets ticks that no job needs, and episodes and hosts of the past. */
  private void forget() {
    long needed = time;
    for (JobTrack job : jobs.values()) {
      needed = Math.min(needed, job.settledUntil());
    }
    for (HostTrack host : hosts.values()) {
      gpuTicks -= host.forget(needed);
    }
    for (JobTrack job : jobs.values()) {
      job.hosts.removeIf(name -> !hosts.containsKey(name) || !hasJob(hosts.get(name), job.key()));
    }
    told.forget(time - KNOWN_MILLIS);
  }

  private static boolean hasJob(HostTrack host, JobKey key) {
    for (HostTrack.Kept each : host.kept()) {
      for (GpuTick gpu : each.tick().gpus()) {
        if (gpu.job().equals(key.job())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Ends episodes of jobs that were not there any more when they were taken over. */
  private void endRestored() {
    if (restored.isEmpty() || time <= restoredAt + JobState.MISSING_MILLIS) {
      return;
    }
    restored.keySet().forEach(key -> told.end(key, restoredAt, JobState.ENDED));
    restored.clear();
  }

  private Optional<Relations.Members> members(Object scope) {
    JobTrack job = scope instanceof JobKey key ? jobs.get(key) : null;
    if (job == null) {
      return Optional.empty();
    }
    Set<String> uuids = new HashSet<>();
    for (String name : job.hosts) {
      for (HostTrack.Kept each : hosts.get(name).kept()) {
        for (GpuTick gpu : each.tick().gpus()) {
          if (gpu.job().equals(job.key().job())) {
            uuids.add(gpu.uuid());
          }
        }
      }
    }
    return Optional.of(new Relations.Members(new TreeSet<>(job.hosts), uuids));
  }

  private Episode shaded(Episode episode) {
    if (shadows.isEmpty()) {
      return episode;
    }
    boolean isShadow =
        shadows.stream().anyMatch(each -> each.covers(episode.kind(), episode.subject()));
    return isShadow
        ? episode.related(episode.suspects(), episode.suspectedCause(), episode.related(), true)
        : episode;
  }

  /** Takes the episodes that have begun, tell more than before, or are over. */
  public List<Episode> changes() {
    return told.changes(time);
  }

  /** The open episodes. */
  public List<Episode> open() {
    return told.open();
  }

  /** What detectors think of the jobs that run now. */
  public List<JobVerdicts> verdicts() {
    return jobs.values().stream()
        .map(JobTrack::verdicts)
        .filter(each -> !each.host().isEmpty() && !each.owner().isEmpty())
        .toList();
  }

  /** The hosts that have sent nothing for a while. */
  public List<String> silent() {
    return hosts.values().stream().filter(HostTrack::isSilent).map(HostTrack::host).toList();
  }

  /** How often jobs did not wait for a host's late ticks any longer. */
  public long givenUp() {
    return givenUp;
  }

  /** Ticks of GPUs that are kept. */
  int gpuTicks() {
    return gpuTicks;
  }

  /** Steps of jobs that were made again, because ticks came late. */
  public long replayedSteps() {
    return replayed;
  }
}
