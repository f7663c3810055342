package io.fleetgauge.query.inventory;

import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.Answer;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that was read of a cluster at a time.
 *
 * @param states of hosts, in any order
 * @param samples newest ones of {@link #METRICS}; of a silent host its last ones
 * @param peaks the most GPUs of each host that were present at once within a day
 * @param domains the domain that each host was in last
 */
public record Observed(
    List<HostState> states,
    List<Answer.Sample> samples,
    Map<String, Integer> peaks,
    Map<String, String> domains) {
  static final String EXPECTED = "gpu_expected";
  static final String INFO = "gpu_info";
  static final String LOST = "gpu_lost";
  static final String LINKS = "gpu_nvlink_links";
  static final String FABRIC = "gpu_fabric_ready";
  static final String CLUSTER = "gpu_fabric_info";
  static final String FAULT = "gpu_fault_active";
  static final String SLURM = "slurm_job_info";
  static final String KUBERNETES = "kube_node_status_capacity";

  /** The metrics that an inventory is made of. */
  static final Set<String> METRICS =
      Set.of(EXPECTED, INFO, LOST, LINKS, FABRIC, CLUSTER, FAULT, SLURM, KUBERNETES);

  public Observed {
    states = List.copyOf(states);
    samples = List.copyOf(samples);
    peaks = Map.copyOf(peaks);
    domains = Map.copyOf(domains);
  }
}
