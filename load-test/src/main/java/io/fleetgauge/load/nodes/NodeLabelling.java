package io.fleetgauge.load.nodes;

import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.relabel.RelabelFields;
import io.fleetgauge.sample.relabel.RelabelRule;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.List;
import java.util.Map;

/**
 * The labels of a node's series. Published dashboards know GPUs by the port of dcgm-exporter and
 * hosts by that and the labels of node_exporter, so the rules that a site would configure are here.
 */
final class NodeLabelling {
  private static final String METRIC = "__name__";
  private static final String INSTANCE = "instance";
  private static final Relabelling RULES =
      new Relabelling(
          List.of(
              drop("probe_reader_(duration|age)_seconds"),
              rule(List.of(METRIC), "node_.*", "job", "node-exporter"),
              rule(List.of(METRIC), "node_.*", "container", "node-exporter"),
              rule(List.of(METRIC, INSTANCE), "node_.*;(.*)", INSTANCE, "$1:9100"),
              rule(List.of(METRIC, INSTANCE), "nvidia_smi_.*;(.*)", INSTANCE, "$1:9835"),
              rule(
                  List.of(METRIC, INSTANCE),
                  "(?:DCGM_|gpu_|up|scrape_|probe_|slurm_|kube_).*;([^:]*)",
                  INSTANCE,
                  "$1:9400")));

  private NodeLabelling() {}

  static NodeLabels of(String hostname, String address, String rack) {
    return new NodeLabels(
        Labels.of(
            "Hostname",
            hostname,
            INSTANCE,
            address,
            "rack",
            rack,
            "zone",
            rack.hashCode() % 2 == 0 ? "hall-b" : "hall-a",
            "region",
            "north-1",
            "cluster",
            "demo"),
        RULES);
  }

  private static RelabelRule drop(String metrics) {
    return rule(Map.of("source_labels", List.of(METRIC), "regex", metrics, "action", "drop"));
  }

  private static RelabelRule rule(
      List<String> sources, String regex, String target, String replacement) {
    return rule(
        Map.of(
            "source_labels", sources,
            "regex", regex,
            "target_label", target,
            "replacement", replacement));
  }

  private static RelabelRule rule(Map<String, Object> fields) {
    return new RelabelFields(
            fields,
            (field, problem) -> {
              throw new IllegalArgumentException(field + ": " + problem);
            })
        .rule()
        .orElseThrow();
  }
}
