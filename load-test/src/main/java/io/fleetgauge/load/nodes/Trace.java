package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.FaultPlan;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.JobKind;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.load.nodes.jobs.Rank;
import io.fleetgauge.load.nodes.jobs.TraceJobs;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.sample.gpu.FaultKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * A labelled trace: the nodes of a simulated fleet over a time, and the faults that they have. A
 * function of its specification. Not for several threads.
 */
public final class Trace implements AutoCloseable {
  private static final Duration TICK = Duration.ofSeconds(15);

  /** All traces begin at this time, ms since the epoch. */
  private static final long START = 1_790_000_000_000L / 86_400_000 * 86_400_000;

  private static final Set<JobKind> IDLE =
      Set.of(JobKind.IDLE_SERVING, JobKind.NOTEBOOK, JobKind.SERVING, JobKind.DEBUGGED);

  /** GPUs of such a job end or change their work while the others go on. */
  private static final Set<JobKind> DROPPING = Set.of(JobKind.BATCH, JobKind.SWEEP);

  private final TraceSpec spec;
  private final List<PlayedNode> nodes = new ArrayList<>();
  private final List<TraceLabel> labels = new ArrayList<>();
  private final List<Job> jobs;

  private Trace(TraceSpec spec) {
    this.spec = spec;
    boolean hasSmallJobs = spec.faults().kind().isEmpty();
    TraceJobs schedule = new TraceJobs(spec.seed(), spec.hosts(), START, end(), hasSmallJobs);
    Incidents incidents =
        FaultPlan.of(
            schedule,
            spec.seed(),
            new FaultPlan.Span(START, end(), tick()),
            spec.faults().kind(),
            spec.faults().factor());
    FleetLayout fleet =
        new FleetLayout(
            schedule.places(), Duration.ofDays(1), TickSettings.every(TICK), spec.seed());
    for (Place place : fleet.places()) {
      nodes.add(
          new SimulatedNode(place, fleet, schedule, incidents, KeptSeries.OF_DETECTORS, START));
    }
    labels.addAll(TraceLabel.of(incidents, fleet, schedule));
    jobs = schedule.all();
    labels.addAll(permitted(FaultKind.IDLE_ALLOCATION, IDLE));
    labels.addAll(permitted(FaultKind.UTILISATION_DROP, DROPPING));
    labels.sort(Comparator.comparingLong(TraceLabel::from));
  }

  /** What may be told of each GPU of some jobs, because it is so: that a job hardly uses it. */
  private List<TraceLabel> permitted(FaultKind kind, Set<JobKind> of) {
    List<TraceLabel> permitted = new ArrayList<>();
    for (Job job : jobs) {
      if (of.contains(job.kind())) {
        for (int rank = 0; rank < job.ranks().size(); rank++) {
          Rank at = job.ranks().get(rank);
          permitted.add(
              new TraceLabel(
                  kind,
                  at.place().hostname(),
                  at.place().uuid(at.gpu()),
                  "",
                  job.name(),
                  "",
                  rank,
                  job.began(),
                  job.ends(),
                  false));
        }
      }
    }
    return permitted;
  }

  public static Trace of(TraceSpec spec) {
    return new Trace(spec);
  }

  /** Its nodes; each is played from {@link #start} to {@link #end}, tick by tick. */
  public List<PlayedNode> nodes() {
    return List.copyOf(nodes);
  }

  /** Its faults, by time. */
  public List<TraceLabel> labels() {
    return List.copyOf(labels);
  }

  /** Its jobs, also those that began before it. */
  public List<Job> jobs() {
    return jobs;
  }

  /** The time of the first tick, ms since the epoch. */
  public long start() {
    return START;
  }

  /** The time after the last tick, ms since the epoch. */
  public long end() {
    return START + spec.length().toMillis();
  }

  /** Time between two ticks, ms. */
  public long tick() {
    return TICK.toMillis();
  }

  @Override
  public void close() {
    nodes.forEach(PlayedNode::close);
  }
}
