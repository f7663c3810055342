package io.fleetgauge.load.nodes.jobs;

import static java.util.Map.entry;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The faults of a trace. Nodes that run the same jobs have one at a time, with pauses between them,
 * so that a sign belongs to one fault; only the slow ones, such as a link that fails after days, go
 * on beside others.
 *
 * <p>The mix is that of the Llama 3 report (419 interruptions in 54 days on 16,384 GPUs: 148 by
 * GPUs, 72 by their memory, 17 by their system processor, 35 by the network, 54 by software), to
 * which faults are added that interrupt nothing: stragglers, heat, links.
 */
public final class FaultPlan {
  private static final double GPU_HOURS_OF_A_FAULT = 50_700;
  private static final double MINUTE = 60_000;
  private static final double HOUR = 60 * MINUTE;
  private static final double DAY = 24 * HOUR;

  /** Tries to find a place for a fault before time goes on. */
  private static final int TRIES = 40;

  private static final Map<Fault, Integer> MIX =
      new TreeMap<>(
          Map.ofEntries(
              entry(Fault.LOST, 30),
              entry(Fault.LOST_SILENTLY, 12),
              entry(Fault.SWITCH_TIMEOUT, 10),
              entry(Fault.UNCONTAINED, 10),
              entry(Fault.EXCEPTIONS, 12),
              entry(Fault.PAGE_FAULTS, 20),
              entry(Fault.GSP_TIMEOUT, 17),
              entry(Fault.UNCORRECTABLE, 30),
              entry(Fault.CONTAINED, 20),
              entry(Fault.REMAP_FAILED, 6),
              entry(Fault.REMAP_PENDING, 16),
              entry(Fault.REMAP_LOW, 4),
              entry(Fault.CORRECTABLE, 8),
              entry(Fault.RESET_NEEDED, 5),
              entry(Fault.HUNG_DRIVER, 12),
              entry(Fault.SLOW_DRIVER, 4),
              entry(Fault.SILENT, 12),
              entry(Fault.PORT_DOWN, 14),
              entry(Fault.PORT_ERRORS, 8),
              entry(Fault.PORT_SLOW, 6),
              entry(Fault.LINK_ERRORS, 8),
              entry(Fault.LINK_DOWN, 6),
              entry(Fault.FABRIC, 4),
              entry(Fault.HANG, 12),
              entry(Fault.KERNEL_HANG, 10),
              entry(Fault.COLLECTIVE_HANG, 18),
              entry(Fault.LOADER_STALL, 10),
              entry(Fault.STORAGE_STALL, 10),
              entry(Fault.STRAGGLER_CLOCK, 10),
              entry(Fault.STRAGGLER_LINK, 8),
              entry(Fault.STRAGGLER_HOST, 8),
              entry(Fault.STRAGGLER_NETWORK, 8),
              entry(Fault.THERMAL_SLOWDOWN, 6),
              entry(Fault.SOFTWARE_THERMAL, 4),
              entry(Fault.POWER_BRAKE, 5),
              entry(Fault.HOT_DIE, 3),
              entry(Fault.HOT_MEMORY, 3),
              entry(Fault.NARROW_LINK, 4),
              entry(Fault.SLOW_PCIE, 3),
              entry(Fault.REPLAYS, 3),
              entry(Fault.STUCK_STATE, 2),
              entry(Fault.WRONG_POWER, 1),
              entry(Fault.MEMORY_HELD, 4),
              entry(Fault.MEMORY_LEAK, 2),
              entry(Fault.IDLE, 4),
              entry(Fault.DROP, 4)));

  /** After these a job ends, or waits for a rank that does not come. */
  private static final Set<Fault> FATAL =
      EnumSet.of(
          Fault.LOST,
          Fault.LOST_SILENTLY,
          Fault.SWITCH_TIMEOUT,
          Fault.UNCONTAINED,
          Fault.CONTAINED,
          Fault.GSP_TIMEOUT,
          Fault.UNCORRECTABLE,
          Fault.LINK_DOWN);

  /** Jobs whose ranks have equal work, step by step. */
  private static final Set<JobKind> EQUAL =
      EnumSet.of(
          JobKind.DATA_PARALLEL,
          JobKind.TENSOR_PARALLEL,
          JobKind.EVALUATION,
          JobKind.CHECKPOINTS,
          JobKind.DATA_LOADING);

  /**
   * The time of a trace, ms since the epoch.
   *
   * @param tick time between two ticks, ms
   */
  public record Span(long start, long end, long tick) {}

  private final TraceJobs jobs;
  private final long seed;
  private final long start;
  private final long end;
  private final long tick;
  private final Map<Fault, Integer> weights = new TreeMap<>();
  private final boolean isMix;
  private final double factor;
  private final List<Incident> all = new ArrayList<>();
  private final Map<Long, HealthyJob> healthy = new TreeMap<>();

  private FaultPlan(TraceJobs jobs, long seed, Span span, Optional<FaultKind> kind, double factor) {
    this.jobs = jobs;
    this.seed = seed;
    this.start = span.start();
    this.end = span.end();
    this.tick = span.tick();
    this.factor = factor;
    isMix = kind.isEmpty();
    if (isMix) {
      weights.putAll(MIX);
    } else {
      for (Fault fault : Fault.values()) {
        boolean isOfKind =
            fault.kind().equals(kind) || fault == Fault.LOST && kind.get() == FaultKind.GPU_MISSING;
        if (isOfKind && fault != Fault.LINK_TREND) {
          weights.put(fault, 1);
        }
      }
    }
    boolean hasTrends = isMix || kind.get() == FaultKind.NVLINK_TREND;
    for (int group = 0; group < jobs.groups().size(); group++) {
      List<Place> places = jobs.groups().get(group);
      long failure = hasTrends ? trend(places, group) : Long.MAX_VALUE;
      if (!weights.isEmpty()) {
        plan(places, group, failure);
      }
    }
    all.replaceAll(this::onTicks);
    all.sort(Comparator.comparingLong(Incident::from));
  }

  /**
   * Faults for jobs.
   *
   * @param kind the only kind; empty for the mix
   * @param factor on the rate of the mix; 0 for no fault at all
   */
  public static Incidents of(
      TraceJobs jobs, long seed, Span span, Optional<FaultKind> kind, double factor) {
    return factor == 0
        ? Incidents.NONE
        : new Incidents(new FaultPlan(jobs, seed, span, kind, factor).all);
  }

  private double number(int what, long which) {
    return Noise.of(seed, 9_000 + what, which);
  }

  /** An incident begins and ends with a tick, because only ticks show it. */
  private Incident onTicks(Incident is) {
    return new Incident(
        is.fault(),
        is.host(),
        is.gpu(),
        is.part(),
        is.amount(),
        onTick(is.from()),
        onTick(is.to()));
  }

  private long onTick(long time) {
    return start + Math.ceilDiv(time - start, tick) * tick;
  }

  /**
   * A link that fails after days of more and more recoveries; answers when it fails. Boards without
   * NVLink have none. Those of an A100 have none either: the probe reads links one by one only
   * where a fabric manager leads them, so that the trend would be of the GPU, and the label could
   * not name what is seen.
   */
  private long trend(List<Place> places, int group) {
    Place place = places.get((int) (number(1, group) * places.size()));
    double days = 2.5 + 2 * number(2, group);
    long from = start + (long) (HOUR * (2 + 10 * number(3, group)));
    long fails = from + (long) (days * DAY);
    boolean comes = !isMix || number(4, group) < 0.1 * Math.min(1, factor);
    if (!comes || !place.board().hasFabric() || fails + 3 * HOUR > end) {
      return Long.MAX_VALUE;
    }
    int gpu = (int) (number(5, group) * place.board().perNode());
    int link = (int) (number(6, group) * place.board().links());
    double growth = 1.7 + 1.3 * number(7, group);
    int host = place.number();
    all.add(new Incident(Fault.LINK_TREND, host, gpu, link, growth, from, fails));
    Incident down =
        new Incident(Fault.LINK_DOWN, host, gpu, link, 1, fails, fails + (long) (2 * HOUR));
    all.add(down);
    jobs.on(place, gpu, -1, fails).ifPresent(job -> follow(down, job, group));
    return fails;
  }

  private void plan(List<Place> places, int group, long failure) {
    int gpus = places.stream().mapToInt(place -> place.board().perNode()).sum();
    double at = start + 20 * MINUTE;
    for (int i = 0; at < end; i++) {
      long which = 100_000L * group + i;
      double gap =
          isMix
              ? -Math.log(1 - number(10, which)) * GPU_HOURS_OF_A_FAULT * HOUR / (gpus * factor)
              : MINUTE * (15 + 60 * number(10, which));
      at += gap;
      Optional<Incident> incident = Optional.empty();
      for (int attempt = 0; attempt < TRIES && incident.isEmpty() && at < end; attempt++) {
        incident = incident(places, (long) at, which * TRIES + attempt);
        at += incident.isEmpty() && attempt % 4 == 3 ? 5 * MINUTE : 0;
      }
      if (incident.isPresent()) {
        Incident is = incident.get();
        at = is.to() + 15 * MINUTE;
        if (is.from() < failure + 4 * HOUR && is.to() > failure - HOUR) {
          continue; // signs of the link that fails then
        }
        all.add(is);
        Place place = places.get(is.host() - places.getFirst().number());
        jobs.on(place, Math.max(0, is.gpu()), -1, is.from())
            .ifPresent(job -> follow(is, job, which));
      }
    }
  }

  /** A job whose GPU fails ends, or waits. */
  private void follow(Incident incident, Job job, long which) {
    boolean ends = !job.kind().isTogether() || number(20, which) < 0.6;
    if (incident.fault() == Fault.PAGE_FAULTS || incident.fault() == Fault.EXCEPTIONS) {
      return;
    }
    if (FATAL.contains(incident.fault())) {
      boolean isAlone = job.ranks().size() == 1 || !healthy(job).isInSteps(incident.from());
      all.add(
          new Incident(
              ends || isAlone ? Fault.ENDED : Fault.COLLECTIVE_HANG,
              incident.host(),
              ends || isAlone ? Incident.ALL : incident.gpu(),
              incident.from(),
              incident.to()));
    }
  }

  private HealthyJob healthy(Job job) {
    return healthy.computeIfAbsent(job.number(), none -> new HealthyJob(job));
  }

  private Optional<Incident> incident(List<Place> places, long at, long which) {
    Fault fault = fault(number(11, which));
    Place place = places.get((int) (number(12, which) * places.size()));
    int gpu = (int) (number(13, which) * place.board().perNode());
    long to = at + (long) (length(fault, number(14, which)));
    Optional<Job> job = jobs.on(place, gpu, -1, at);
    if (to > end || !Incidents.fits(place.board(), fault) || !fits(fault, job, at, to)) {
      return Optional.empty();
    }
    int parts = fault.name().startsWith("PORT") || fault == Fault.STRAGGLER_NETWORK ? 4 : 18;
    return Optional.of(
        new Incident(
            fault,
            place.number(),
            fault.isOfNode() ? Incident.ALL : gpu,
            (int) (number(15, which) * parts),
            amount(fault, place, number(16, which)),
            at,
            to));
  }

  private Fault fault(double chance) {
    double left = chance * weights.values().stream().mapToInt(Integer::intValue).sum();
    for (Map.Entry<Fault, Integer> each : weights.entrySet()) {
      left -= each.getValue();
      if (left < 0) {
        return each.getKey();
      }
    }
    throw new IllegalStateException("no fault for " + chance);
  }

  private static double length(Fault fault, double chance) {
    return switch (fault) {
      case MEMORY_LEAK -> HOUR * (5 + 2 * chance);
      case IDLE -> MINUTE * (80 + 60 * chance);
      case SILENT, HUNG_DRIVER -> MINUTE * (4 + 30 * chance);
      case HANG, KERNEL_HANG, COLLECTIVE_HANG, LOADER_STALL, STORAGE_STALL ->
          MINUTE * (6 + 25 * chance);
      case STRAGGLER_CLOCK, STRAGGLER_LINK, STRAGGLER_HOST, STRAGGLER_NETWORK ->
          MINUTE * (25 + 60 * chance);
      case PAGE_FAULTS, EXCEPTIONS -> MINUTE * (3 + 20 * chance);
      default -> MINUTE * (15 + 45 * chance);
    };
  }

  private static double amount(Fault fault, Place place, double chance) {
    return switch (fault) {
      case STRAGGLER_CLOCK, STRAGGLER_LINK, STRAGGLER_HOST, STRAGGLER_NETWORK ->
          0.12 + 0.28 * chance;
      case CORRECTABLE -> Math.exp(Math.log(2) + chance * Math.log(2_000));
      case PORT_ERRORS -> 0.1 + 3 * chance;
      case PORT_SLOW -> 20 + 200 * chance;
      case MEMORY_LEAK -> 1_500 + 2_500 * chance;
      case DROP -> 0.75 + 0.2 * chance;
      case FABRIC -> 1 + (int) (chance * (place.board().perNode() == 4 ? 4 : 2));
      default -> fault.usualAmount();
    };
  }

  /** Tells whether a job can have a fault at a time. */
  private boolean fits(Fault fault, Optional<Job> of, long at, long to) {
    if (of.isEmpty()) {
      return fault.kind().get().scope() == FaultKind.Scope.HOST;
    }
    Job job = of.get();
    boolean lasts = at > job.began() + 20 * MINUTE && to < job.ends() - 2 * MINUTE;
    boolean steps = job.kind().isTogether() && healthy(job).isInSteps(at);
    int nodes = (int) job.ranks().stream().map(Rank::place).distinct().count();
    return switch (fault) {
      case HANG, COLLECTIVE_HANG, LOADER_STALL, KERNEL_HANG, STORAGE_STALL ->
          lasts
              && steps
              && healthy(job).isInSteps(to)
              && job.ranks().size() > 1
              && job.kind() != JobKind.ELASTIC;
      case STRAGGLER_CLOCK, STRAGGLER_LINK ->
          lasts && steps && EQUAL.contains(job.kind()) && job.ranks().size() >= 8;
      case STRAGGLER_HOST, STRAGGLER_NETWORK ->
          lasts && steps && EQUAL.contains(job.kind()) && nodes > 1;
      case MEMORY_HELD -> lasts && !job.kind().isTogether();
      case MEMORY_LEAK -> lasts && job.kind() != JobKind.NOTEBOOK && job.kind() != JobKind.BURN_IN;
      case IDLE -> lasts && (job.kind() == JobKind.SERVING || job.kind() == JobKind.BURN_IN);
      case DROP -> lasts && job.kind() == JobKind.SERVING && job.ranks().size() >= 4;
      case SLOW_PCIE, STUCK_STATE, THERMAL_SLOWDOWN, POWER_BRAKE, PAGE_FAULTS, EXCEPTIONS ->
          lasts && steps;
      default -> fault.kind().isPresent();
    };
  }
}
