package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.Jobs;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A fault that a trace has: what should be told of it.
 *
 * @param host empty for a whole job
 * @param uuid of the GPU; empty for none
 * @param part an NVLink's number, or a port such as {@code mlx5_0/1}; empty for none
 * @param job that has the host or GPU then; empty for none
 * @param cause a word such as the code of an XID, {@code collective} or {@code clock}
 * @param firstRank the rank of the job that was first, or is the cause; -1 for none
 * @param from when the trace first shows it, ms since the epoch
 * @param to when it shows it no more, ms since the epoch
 * @param required false for a sign that another fault has too: it may be told, or may not
 */
public record TraceLabel(
    FaultKind kind,
    String host,
    String uuid,
    String part,
    String job,
    String cause,
    int firstRank,
    long from,
    long to,
    boolean required) {
  private static final long STEP = 15_000;

  /**
   * A die under load that gets hot is near its limit after so long: nothing shows it before, ms.
   */
  private static final long HEATING = 75_000;

  /** The labels of incidents, by time. */
  public static List<TraceLabel> of(Incidents incidents, FleetLayout fleet, Jobs jobs) {
    List<TraceLabel> labels = new ArrayList<>();
    for (Incident incident : incidents.all()) {
      labels.addAll(of(incident, fleet, jobs));
    }
    labels.sort(Comparator.comparingLong(TraceLabel::from));
    return List.copyOf(labels);
  }

  private static List<TraceLabel> of(Incident incident, FleetLayout fleet, Jobs jobs) {
    Place place = fleet.places().get(incident.host());
    List<TraceLabel> labels = new ArrayList<>();
    String cause = incident.fault().cause();
    incident
        .fault()
        .kind()
        .ifPresent(kind -> labels.addAll(of(kind, cause, incident, place, jobs, true)));
    for (FaultKind kind : incident.fault().companions()) {
      String code = kind == FaultKind.XID ? Integer.toString(incident.fault().xid()) : "";
      labels.addAll(of(kind, code, incident, place, jobs, false));
    }
    return labels;
  }

  /** A fault of a job has a label for each job that it meets. */
  private static List<TraceLabel> of(
      FaultKind kind, String cause, Incident incident, Place place, Jobs jobs, boolean required) {
    int gpu = Math.max(0, incident.gpu());
    if (kind.scope() != FaultKind.Scope.JOB) {
      Optional<Job> job = jobs.on(place, gpu, -1, incident.from());
      return List.of(
          of(kind, cause, incident, place, job, incident.from(), incident.to(), required));
    }
    List<TraceLabel> labels = new ArrayList<>();
    long from = incident.from();
    Optional<Job> job = jobs.on(place, gpu, -1, from);
    for (long at = from; at < incident.to(); at += STEP) {
      Optional<Job> now = jobs.on(place, gpu, -1, at);
      if (!now.equals(job)) {
        if (job.isPresent()) {
          labels.add(of(kind, cause, incident, place, job, from, at, required));
        }
        from = at;
        job = now;
      }
    }
    if (job.isPresent()) {
      labels.add(of(kind, cause, incident, place, job, from, incident.to(), required));
    }
    return labels;
  }

  private static TraceLabel of(
      FaultKind kind,
      String cause,
      Incident incident,
      Place place,
      Optional<Job> job,
      long from,
      long to,
      boolean required) {
    boolean isOfNobody = incident.fault() == Fault.HANG;
    boolean isOfGpu = kind.scope() != FaultKind.Scope.HOST && incident.gpu() != Incident.ALL;
    int gpu = Math.max(0, incident.gpu());
    return new TraceLabel(
        kind,
        isOfNobody ? "" : place.hostname(),
        isOfGpu ? place.uuid(incident.gpu()) : "",
        part(kind, incident, place),
        job.map(Job::name).orElse(""),
        cause,
        isOfNobody ? -1 : job.map(of -> of.rank(place.number(), gpu)).orElse(-1),
        kind == FaultKind.HOT ? Math.min(from + HEATING, to) : from,
        to,
        required);
  }

  /** It as a line of JSON; none of its texts has a sign that JSON escapes. */
  public String json() {
    return "{\"kind\":\""
        + kind.text()
        + "\",\"host\":\""
        + host
        + "\",\"uuid\":\""
        + uuid
        + "\",\"part\":\""
        + part
        + "\",\"job\":\""
        + job
        + "\",\"cause\":\""
        + cause
        + "\",\"first_rank\":"
        + firstRank
        + ",\"from\":"
        + Numbers.seconds(from)
        + ",\"to\":"
        + Numbers.seconds(to)
        + ",\"required\":"
        + required
        + "}";
  }

  private static String part(FaultKind kind, Incident incident, Place place) {
    return switch (kind) {
      case NIC_DOWN, NIC_ERRORS, NIC_SLOW ->
          HostModel.PORTS.get(incident.part() % HostModel.PORTS.size()) + "/1";
      case NVLINK_DOWN, NVLINK_ERRORS, NVLINK_TREND ->
          place.board().links() == 0 ? "" : "" + incident.part() % place.board().links();
      default -> "";
    };
  }
}
