package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.relabel.Relabelling;

/** The labels that the series of one node get. Immutable. */
public final class NodeLabels {
  private final Labels labels;
  private final Relabelling relabelling;

  /**
   * @param labels the labels of every series, such as the host's name and its rack
   * @param relabelling is applied to each series with these labels
   */
  public NodeLabels(Labels labels, Relabelling relabelling) {
    this.labels = labels;
    this.relabelling = relabelling;
  }

  /** A series with the node's labels; its own win. An empty set means that it is left out. */
  public Labels of(Labels series) {
    try {
      Labels changed = relabelling.apply(labels.with(series)).orElse(Labels.EMPTY);
      return changed.metric().isEmpty() ? Labels.EMPTY : changed;
    } catch (IllegalArgumentException e) {
      return Labels.EMPTY; // a rule made a label without a name
    }
  }
}
