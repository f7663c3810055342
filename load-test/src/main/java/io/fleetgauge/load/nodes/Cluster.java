package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.JobSchedule;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Exporters of Slurm and kube-state-metrics of the cluster, with the names that published
 * dashboards ask for. Jobs that ended are shown for a while.
 */
final class Cluster implements Reader {
  private static final String INFO = "slurm_job_info";
  private static final long SHOWN_MILLIS = 1_200_000;
  private static final String[] REASONS = {"Priority", "Resources", "Resources"};
  private static final double HOUR_MILLIS = 3_600_000;

  private final FleetLayout fleet;
  private final Incidents incidents;
  private final JobSchedule jobs;
  private final TickClass core;
  private final LongSupplier clock;

  Cluster(FleetLayout fleet, Incidents incidents, TickClass core, LongSupplier clock) {
    this.fleet = fleet;
    this.incidents = incidents;
    this.jobs = new JobSchedule(fleet);
    this.core = core;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "scrape";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    long now = clock.getAsLong();
    Map<Long, Job> running = new TreeMap<>();
    Map<Long, Job> ended = new TreeMap<>();
    int down = 0;
    int busy = 0;
    List<Place> nodes = fleet.places().stream().filter(Place::isOfSlurm).toList();
    for (Place node : nodes) {
      Optional<Job> job = jobs.on(node, 0, -1, now);
      boolean isDown = isDown(node, now);
      down += isDown ? 1 : 0;
      busy += job.isPresent() && !isDown ? 1 : 0;
      job.ifPresent(of -> running.put(of.number(), of));
      jobs.on(node, 0, -1, now - SHOWN_MILLIS).ifPresent(of -> ended.put(of.number(), of));
      node(out, node, job, isDown, now);
    }
    ended.keySet().removeAll(running.keySet());
    running.values().forEach(job -> job(out, job, "RUNNING", "None", now));
    ended.values().forEach(job -> job(out, job, state(job), "None", job.ends()));
    pending(out, now);
    queue(out, running, ended, now);
    states(out, nodes.size(), busy, down);
    kubernetes(out);
  }

  private boolean isDown(Place node, long now) {
    return incidents.has(Fault.SILENT, node.number(), now)
        || incidents.has(Fault.HUNG_DRIVER, node.number(), now);
  }

  private static String state(Job job) {
    return job.number() % 7 == 0 ? "FAILED" : "COMPLETED";
  }

  private void node(Readings out, Place node, Optional<Job> job, boolean isDown, long now) {
    String base = isDown ? "DOWN" : job.isPresent() ? "ALLOCATED" : "IDLE";
    Labels named =
        Labels.of(
            "node_name",
            node.worker(),
            "state_base",
            base,
            "state_is_drain",
            Boolean.toString(isDown),
            "state_is_maintenance",
            "false",
            "state_is_reserved",
            "false");
    add(out, "slurm_node_info", named, 1);
    double hours = now / HOUR_MILLIS;
    double gpuSeconds = Math.rint(hours * 3_600 * node.board().perNode());
    add(out, "slurm_node_gpu_seconds_total", named, gpuSeconds);
    long fails =
        incidents.all().stream()
            .filter(incident -> incident.host() == node.number() && incident.from() <= now)
            .filter(incident -> incident.fault() == Fault.SILENT)
            .count();
    add(out, "slurm_node_fails_total", named.with("reason", "Not responding"), fails);
    job.ifPresent(
        of ->
            add(
                out,
                "slurm_node_job",
                Labels.of("node_name", node.worker(), "job_id", "" + of.number()),
                1));
  }

  private void job(Readings out, Job job, String state, String reason, long until) {
    Labels labels =
        Labels.of(
            "job_id",
            "" + job.number(),
            "job_name",
            job.name(),
            "job_state",
            state,
            "job_state_reason",
            reason,
            "user_name",
            job.tenant(),
            "slurm_partition",
            "main");
    add(out, INFO, labels, 1);
    double seconds = Math.max(0, until - job.began()) / 1_000;
    add(out, "slurm_job_duration_seconds", Labels.of("job_id", "" + job.number()), seconds);
  }

  /** Jobs of low priority that have waited for long: always a few. */
  private void pending(Readings out, long now) {
    long hour = (long) (now / HOUR_MILLIS);
    for (int i = 0; i < REASONS.length; i++) {
      long number = 100_000 + Math.floorMod(hour * 11 + i, 800_000L);
      Labels labels =
          Labels.of(
              "job_id",
              "" + number,
              "job_name",
              "queued-" + number,
              "job_state",
              "PENDING",
              "job_state_reason",
              REASONS[i],
              "user_name",
              JobSchedule.TENANTS.get(i),
              "slurm_partition",
              "main");
      add(out, INFO, labels, 1);
    }
  }

  private void queue(Readings out, Map<Long, Job> running, Map<Long, Job> ended, long now) {
    long failed = ended.values().stream().filter(job -> state(job).equals("FAILED")).count();
    add(out, "slurm_queue_running", running.size());
    add(out, "slurm_queue_pending", REASONS.length);
    add(out, "slurm_queue_completed", ended.size() - failed);
    add(out, "slurm_queue_failed", failed);
    for (String none :
        List.of("completing", "cancelled", "node_fail", "preempted", "suspended", "timeout")) {
      add(out, "slurm_queue_" + none, 0);
    }
    int jitter = Noise.below(40, fleet.seed(), 91, now);
    add(out, "slurm_scheduler_threads", 3 + jitter % 5);
    add(out, "slurm_scheduler_queue_size", jitter % 3);
    add(out, "slurm_scheduler_backfill_depth_mean", REASONS.length);
    for (String cycle : List.of("last_cycle", "mean_cycle")) {
      add(out, "slurm_scheduler_" + cycle, 900 + 10.0 * jitter);
      add(out, "slurm_scheduler_backfill_" + cycle, 21_000 + 200.0 * jitter);
    }
  }

  private void states(Readings out, int nodes, int busy, int down) {
    add(out, "slurm_nodes_alloc", busy);
    add(out, "slurm_nodes_down", down);
    add(out, "slurm_nodes_drain", 0);
    add(out, "slurm_nodes_idle", nodes - busy - down);
    for (String none : List.of("comp", "err", "fail", "maint", "mix")) {
      add(out, "slurm_nodes_" + none, 0);
    }
  }

  private void kubernetes(Readings out) {
    for (Place node : fleet.places()) {
      List<String> labels = new ArrayList<>(List.of("node", node.hostname()));
      labels.addAll(List.of("label_nebius_com_gpu_name", node.board().name()));
      if (node.isOfSlurm()) {
        String set = "worker-" + node.rackName();
        labels.addAll(List.of("label_slurm_nebius_ai_nodeset_name", set));
        labels.addAll(List.of("label_topology_nebius_com_nvl_instance_group_id", "nvl-" + set));
        Labels pod =
            Labels.of(
                "namespace", "soperator",
                "pod", node.worker(),
                "node", node.hostname(),
                "host_ip", node.address());
        add(out, "kube_pod_info", pod, 1);
      }
      add(out, "kube_node_labels", Labels.of(labels.toArray(String[]::new)), 1);
    }
    add(out, "cadvisor_version_info", Labels.of("kernelVersion", "6.8.0-48-generic"), 1);
    add(
        out,
        "kube_pod_created",
        Labels.of("namespace", "soperator", "pod", "controller-0"),
        1_789_000_000);
  }

  private void add(Readings out, String metric, double value) {
    add(out, metric, Labels.EMPTY, value);
  }

  private void add(Readings out, String metric, Labels labels, double value) {
    out.add(core, labels.with(Labels.NAME, metric), value);
  }
}
