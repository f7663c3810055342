package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.engine.JobVerdicts;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.episode.Lemons;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Goes on from step to step: feeds the engine, and makes samples and news of what it finds. Not for
 * several threads at once.
 */
final class Evaluation {
  /** An episode that is open is stored again after this time, so that a reader finds it, ms. */
  static final long AGAIN_MILLIS = 3_600_000;

  /** Episodes that were over so long before may be found again in late samples, ms. */
  private static final long LATE_MILLIS = 3 * 3_600_000;

  private static final long TOTALS_MILLIS = 60_000;
  private static final int MOST_TOTALS = 50_000;

  /** Labels by which tenants are told apart. */
  private static final List<String> SCOPES = List.of("tenant", "namespace", "account", "user");

  private static final int MOST_OVER = 20_000;

  private final FaultEngine engine;
  private Map<String, Labels> expected = Map.of();
  private final long interval;
  private UnaryOperator<Labels> contacts = UnaryOperator.identity();
  private final GpuOwners owners = new GpuOwners();

  /** The open episodes that are stored, by identity. */
  private final Map<String, Told> told = new LinkedHashMap<>();

  /** Labels of the episodes that a step tells or finds open, by identity. */
  private final Map<String, Labels> subjects = new HashMap<>();

  private final Lemons lemons = new Lemons();
  private final Map<Labels, Long> totals = new HashMap<>();

  /** Verdicts on jobs that were stored last. */
  private Set<Labels> verdicts = Set.of();

  /** Identities of episodes that were over, the newest last. */
  private final Map<String, Boolean> over = new LinkedHashMap<>();

  /** An open episode that is stored. */
  private static final class Told {
    Episode episode;
    String home;
    Labels active;
    Labels series;
    long againAt;
  }

  /**
   * What a step has found.
   *
   * @param open number of open episodes by kind
   */
  record Outcome(List<DerivedSample> samples, List<FaultNews> news, Map<String, Long> open) {}

  /**
   * @param interval of steps, ms
   * @param at steps up to this time have been published, ms since the epoch
   */
  Evaluation(FaultEngine engine, long interval, Stored stored, long at) {
    this.engine = engine;
    this.interval = interval;
    List<Episode> known = new ArrayList<>();
    for (StoredEpisode each : stored.episodes()) {
      if (each.episode().isOpen()) {
        known.add(each.episode());
        Told open = new Told();
        open.episode = each.episode();
        open.home = each.home();
        open.active = FaultSeries.active(each.episode(), each.home());
        open.series = FaultSeries.episode(each.episode(), each.home());
        open.againAt = each.last() + AGAIN_MILLIS;
        told.put(each.episode().id(), open);
      } else if (each.episode().over().getAsLong() >= at - LATE_MILLIS) {
        known.add(each.episode());
        remember(each.episode().id());
      }
    }
    totals.putAll(stored.totals());
    stored.episodes().stream()
        .map(StoredEpisode::episode)
        .sorted(Comparator.comparingLong(Episode::since).thenComparing(Episode::id))
        .forEach(lemons::add);
    engine.restore(known, at);
  }

  /** Hosts that should be there, with their places: they are told as silent if they never sent. */
  void expect(Map<String, Labels> hosts) {
    if (!hosts.equals(expected)) {
      expected = hosts;
      engine.expect(hosts);
    }
  }

  /** Adds the address of their owner to the labels of episodes that begin. */
  void contacts(UnaryOperator<Labels> adding) {
    contacts = adding;
  }

  /** Samples up to a time, for a step. */
  private static List<Series> upTo(List<Series> all, long after, long to) {
    List<Series> some = new ArrayList<>(all.size());
    for (Series each : all) {
      long[] times = each.times();
      int begin = Series.firstAfter(times, 0, times.length, after);
      int end = Series.firstAfter(times, begin, times.length, to);
      if (begin == 0 && end == times.length) {
        some.add(each);
      } else if (begin < end) {
        some.add(
            new Series(
                each.labels(),
                Arrays.copyOfRange(times, begin, end),
                Arrays.copyOfRange(each.values(), begin, end)));
      }
    }
    return some;
  }

  private void feed(Map<String, List<Series>> hosts, long after, long to, boolean isNow) {
    hosts.forEach(
        (host, all) -> {
          List<Series> some = upTo(all, after, to);
          if (!some.isEmpty()) {
            owners.take(host, some);
            engine.feed(host, some);
          }
        });
    engine.at(to, isNow);
  }

  /** Goes on to a step that another process has published. */
  void replay(Map<String, List<Series>> hosts, long after, long to) {
    feed(hosts, after, to, false);
  }

  /**
   * Goes on to a step.
   *
   * @param after samples of earlier times have been given; {@link Long#MIN_VALUE} for all
   * @param to the step, ms since the epoch
   * @param isNow false if the step is long past
   * @param missing hosts whose samples could not be read, which may not be silent
   */
  Outcome step(
      Map<String, List<Series>> hosts, long after, long to, boolean isNow, Set<String> missing) {
    feed(hosts, after, to, isNow);
    Map<String, Episode> changed = new LinkedHashMap<>();
    engine.changes().forEach(each -> changed.put(each.id(), each));
    subjects.clear();
    engine.open().forEach(each -> subjects.put(each.id(), each.subject().labels()));
    changed.values().forEach(each -> subjects.put(each.id(), each.subject().labels()));
    Outcome out = new Outcome(new ArrayList<>(), new ArrayList<>(), new TreeMap<>());
    for (Episode each : changed.values()) {
      if (!each.isOpen() && !isWithheld(each, missing)) {
        end(placed(each), to, out);
      }
    }
    Set<String> open = new HashSet<>();
    for (Episode found : engine.open()) {
      Told known = told.get(found.id());
      boolean hasChanged = changed.containsKey(found.id());
      boolean wasOver = known == null && over.containsKey(found.id());
      if (isWithheld(found, missing) || wasOver && !hasChanged) {
        continue;
      }
      if (known == null) {
        begin(placed(found), wasOver, to, out);
      } else {
        goOn(known, found, hasChanged, to, out);
      }
      open.add(found.id());
      out.open.merge(found.kind().text(), 1L, Long::sum);
    }
    for (String id : Set.copyOf(told.keySet())) {
      if (!open.contains(id)) {
        end(told.get(id).episode.over(to, "it is not found any more"), to, out);
      }
    }
    active(to, out);
    if (Math.floorMod(to, TOTALS_MILLIS) < interval) {
      totals.forEach((labels, count) -> out.samples.add(new DerivedSample(labels, to, count)));
      for (Lemons.Lemon each : lemons.at(to)) {
        out.samples.add(new DerivedSample(FaultSeries.lemon(each), to, each.score()));
      }
      verdicts(to, out);
    }
    out.samples.add(new DerivedSample(Labels.of(Labels.NAME, FaultSeries.EVALUATED), to, to / 1e3));
    return out;
  }

  /** Says what is open; an episode may have begun where another one was over. */
  private void active(long time, Outcome out) {
    Set<Labels> active = new HashSet<>();
    told.values().forEach(each -> active.add(each.active));
    out.samples.removeIf(
        each -> Staleness.isMarker(each.value()) && active.contains(each.labels()));
    active.forEach(labels -> out.samples.add(new DerivedSample(labels, time, 1)));
  }

  private void verdicts(long time, Outcome out) {
    Set<Labels> now = new LinkedHashSet<>();
    for (JobVerdicts job : engine.verdicts()) {
      job.verdicts()
          .forEach(each -> now.add(FaultSeries.verdict(job.job(), job.owner(), job.host(), each)));
    }
    now.forEach(labels -> out.samples.add(new DerivedSample(labels, time, 1)));
    verdicts.stream()
        .filter(before -> !now.contains(before))
        .forEach(before -> out.samples.add(DerivedSample.end(before, time)));
    verdicts = now;
  }

  /** A host is not silent only because nobody has its samples. */
  private boolean isWithheld(Episode of, Set<String> missing) {
    return of.kind() == FaultKind.HOST_SILENT
        && missing.contains(of.subject().host())
        && !told.containsKey(of.id());
  }

  /**
   * The episode with the labels that it was stored with first. An episode of a host has those that
   * all its jobs share.
   */
  private Episode placed(Episode of) {
    Subject subject = of.subject();
    Told known = told.get(of.id());
    Labels labels =
        known != null
            ? known.episode.subject().labels()
            : of.kind().scope() == FaultKind.Scope.HOST
                ? owners.shared(subject.host()).with(subject.labels())
                : contacts.apply(subject.labels());
    List<String> related = of.related().stream().filter(each -> isShown(each, labels)).toList();
    return of.labelled(labels).related(of.suspects(), of.suspectedCause(), related, of.shadow());
  }

  /** An identity names hosts and jobs, so that no other tenant's is told. */
  private boolean isShown(String related, Labels to) {
    Labels other = subjects.get(related);
    return other != null
        && SCOPES.stream()
            .allMatch(
                name ->
                    to.value(name).isEmpty()
                        || other.value(name).isEmpty()
                        || other.value(name).equals(to.value(name)));
  }

  private String home(Episode of) {
    Subject subject = of.subject();
    String first = subject.job().isEmpty() ? "" : owners.firstHost(subject.job(), subject.labels());
    return FaultSeries.home(of, first);
  }

  /**
   * @param wasOver true if late samples show that it was not over
   */
  private void begin(Episode of, boolean wasOver, long time, Outcome out) {
    Told now = new Told();
    now.home = home(of);
    now.active = FaultSeries.active(of, now.home);
    told.put(of.id(), now);
    over.remove(of.id());
    if (!wasOver) {
      count(of, now.home, time, out);
    }
    store(now, of, time, out);
  }

  private void goOn(Told known, Episode found, boolean hasChanged, long time, Outcome out) {
    if (hasChanged) {
      Episode now = placed(found);
      String home = home(now);
      known.home = home.isEmpty() ? known.home : home;
      Labels active = FaultSeries.active(now, known.home);
      if (!active.equals(known.active)) {
        out.samples.add(DerivedSample.end(known.active, time));
        known.active = active;
      }
      store(known, now, time, out);
    } else if (time >= known.againAt) {
      out.samples.add(new DerivedSample(known.series, time, 1));
      known.againAt = time + AGAIN_MILLIS;
    }
  }

  private void end(Episode of, long time, Outcome out) {
    Told known = told.remove(of.id());
    boolean wasOver = over.containsKey(of.id());
    remember(of.id());
    String home = known == null ? home(of) : known.home;
    if (known != null) {
      out.samples.add(DerivedSample.end(known.active, time));
      out.samples.add(DerivedSample.end(known.series, time));
    } else if (!wasOver) {
      count(of, home, time, out);
    }
    out.samples.add(new DerivedSample(FaultSeries.episode(of, home), time, 0));
    // Late samples may tell when it was over; it is not told again.
    if (known != null || !wasOver) {
      out.news.add(new FaultNews(of, home, time));
    }
  }

  private static void store(Told known, Episode now, long time, Outcome out) {
    Labels series = FaultSeries.episode(now, known.home);
    if (known.series != null && !known.series.equals(series)) {
      out.samples.add(DerivedSample.end(known.series, time));
    }
    out.samples.add(new DerivedSample(series, time, 1));
    out.news.add(new FaultNews(now, known.home, time));
    known.episode = now;
    known.series = series;
    known.againAt = time + AGAIN_MILLIS;
  }

  /** Counts from 0 on, so that an increase shows the first one. */
  private void count(Episode of, String home, long time, Outcome out) {
    lemons.add(of);
    Labels series = FaultSeries.total(of, home);
    if (!totals.containsKey(series)) {
      if (totals.size() >= MOST_TOTALS) {
        return;
      }
      totals.put(series, 0L);
      out.samples.add(new DerivedSample(series, time - interval, 0));
    }
    long now = totals.merge(series, 1L, Long::sum);
    boolean isWritten = Math.floorMod(time, TOTALS_MILLIS) < interval;
    if (!isWritten) {
      out.samples.removeIf(each -> each.time() == time && each.labels().equals(series));
      out.samples.add(new DerivedSample(series, time, now));
    }
  }

  private void remember(String id) {
    over.put(id, true);
    if (over.size() > MOST_OVER) {
      over.keySet().removeAll(Set.of(over.keySet().iterator().next()));
    }
  }
}
