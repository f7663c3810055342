package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;

/** The labels that every series of one node gets. */
public final class NodeLabels {
  private final Labels labels;

  /**
   * @param hostname value of the {@code Hostname} label
   * @param more further labels of every series, such as the rack
   */
  public NodeLabels(String hostname, Labels more) {
    this.labels = more.with("Hostname", hostname);
  }

  /** A series with the node's labels; its own win. An empty set means that it is left out. */
  public Labels of(Labels series) {
    return labels.with(series);
  }
}
