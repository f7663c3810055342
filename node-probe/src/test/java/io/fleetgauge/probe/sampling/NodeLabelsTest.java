package io.fleetgauge.probe.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.relabel.RelabelFields;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeLabelsTest {
  private static final Labels NODE = Labels.of("Hostname", "n1", "rack", "r1");

  private static NodeLabels node(Map<String, Object> rule) {
    return new NodeLabels(
        NODE,
        new Relabelling(
            List.of(
                new RelabelFields(rule, (field, what) -> fail(field + ": " + what))
                    .rule()
                    .orElseThrow())));
  }

  @Test
  void rulesSeeTheLabelsOfTheNode() {
    NodeLabels node =
        node(Map.of("source_labels", List.of("rack", "gpu"), "target_label", "place"));
    assertThat(node.of(Labels.of("__name__", "a", "gpu", "0")))
        .isEqualTo(NODE.with(Labels.of("__name__", "a", "gpu", "0", "place", "r1;0")));
  }

  @Test
  void aSeriesThatARuleDropsIsLeftOut() {
    NodeLabels node =
        node(Map.of("source_labels", List.of("pod"), "regex", "p1", "action", "drop"));
    assertThat(node.of(Labels.of("__name__", "a", "pod", "p1"))).isSameAs(Labels.EMPTY);
    assertThat(node.of(Labels.of("__name__", "a", "pod", "p2"))).isNotEqualTo(Labels.EMPTY);
  }

  @Test
  void aSeriesThatLosesItsNameOrGetsALabelWithoutOneIsLeftOut() {
    assertThat(node(Map.of("regex", "__.*", "action", "labeldrop")).of(Labels.of("__name__", "a")))
        .isSameAs(Labels.EMPTY);
    assertThat(
            node(Map.of("regex", "rack", "replacement", "$2", "action", "labelmap"))
                .of(Labels.of("__name__", "a")))
        .isSameAs(Labels.EMPTY);
  }
}
