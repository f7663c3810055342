package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.vocabulary.AliasTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Metrics that documents name are those that processes have. */
class MetricNamesTest {
  private static final Pattern METRIC =
      Pattern.compile(
          "(?<![\\w./:$<-])(DCGM_FI_[A-Z0-9_]+"
              + "|(?:gpu|node|slurm|probe|fleetgauge_(?:gateway|query|probe))_[a-z0-9_]+)"
              + "(?![\\w(])");

  /** Names that begin as a metric does and are none of ours. */
  private static final Set<String> OTHERS =
      Set.of(
          // Labels.
          "DCGM_FI_DRIVER_VERSION",
          "DCGM_FI_NVML_VERSION",
          "DCGM_FI_DEV_SERIAL",
          "DCGM_FI_DEV_VBIOS_VERSION",
          // Metrics that node_exporter has and a probe does not.
          "node_filesystem_purgeable_bytes",
          // Series that a query API derives.
          "gpu_fault_active",
          "gpu_fault_delivered",
          "gpu_fault_episode",
          "gpu_fault_episodes_total",
          "gpu_fault_evaluated_timestamp_seconds",
          "gpu_job_verdict",
          "gpu_lemon_score",
          "gpu_inventory_hosts",
          "gpu_inventory_gpus",
          "gpu_inventory_domain_info",
          "gpu_domain_gpus",
          // A kind of fault.
          "gpu_missing",
          // Fields of reports.
          "gpu_hours_allocated",
          "gpu_hours_busy",
          "gpu_hours_execution_idle",
          "gpu_hours_idle",
          "gpu_hours_unknown",
          "gpu_hours_unpriced",
          "gpu_seconds_allocated",
          "gpu_seconds_idle",
          // An example of an alias.
          "gpu_busy_ratio",
          // Metrics that an adapter makes for autoscalers.
          "fleetgauge_query_load",
          "gpu_utilization",
          "gpu_engine_active",
          "gpu_container_utilization",
          "gpu_container_memory");

  private final Set<String> known = new HashSet<>(OTHERS);

  MetricNamesTest() throws IOException {
    for (String page : List.of("gpu", "host", "processes")) {
      known.addAll(Prose.listed("docs/metrics/" + page + ".md", "\\| "));
    }
    for (FaultKind kind : FaultKind.values()) {
      known.add(kind.text());
    }
    assertThat(known).hasSizeGreaterThan(500);
  }

  @Test
  void everyMetricInADocumentExists() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Prose document : Prose.all().values()) {
      unknown.addAll(Prose.unknown(document.spans(), METRIC, this::exists));
      unknown.addAll(Prose.unknown(document.blocks(), METRIC, this::exists));
    }
    assertThat(unknown).isEmpty();
  }

  private boolean exists(String name) {
    if (name.endsWith("_")) {
      // The beginning of several, such as node_pressure_{cpu,io}.
      return known.stream().anyMatch(each -> each.startsWith(name));
    }
    return known.contains(name)
        || AliasTable.builtIn().hasMetric(name)
        || AliasTable.builtIn().hasLabel(name)
        || known.contains(name.replaceFirst("_(bucket|sum|count)$", ""))
        || known.stream()
            .anyMatch(
                each -> each.contains("*") && name.startsWith(each.replaceFirst("\\*.*", "")));
  }
}
