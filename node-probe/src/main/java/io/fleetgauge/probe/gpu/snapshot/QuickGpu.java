package io.fleetgauge.probe.gpu.snapshot;

import io.fleetgauge.sample.Labels;
import java.util.Arrays;

/** The reading of one GPU within a second. Not for several threads at a time. */
public final class QuickGpu {
  private final Labels labels;
  private final boolean lost;
  private final double[] values = new double[QuickMetric.values().length];

  /**
   * @param labels gpu, UUID, device, modelName, pci_bus_id
   */
  public QuickGpu(Labels labels, boolean lost) {
    this.labels = labels;
    this.lost = lost;
    Arrays.fill(values, Double.NaN);
  }

  public Labels labels() {
    return labels;
  }

  public boolean isLost() {
    return lost;
  }

  /** In the unit of the metric's series; NaN when it was not read. */
  public double value(QuickMetric metric) {
    return values[metric.ordinal()];
  }

  /** The same GPU, lost in this very reading. */
  public QuickGpu lose() {
    return new QuickGpu(labels, true);
  }

  public void set(QuickMetric metric, double value) {
    values[metric.ordinal()] = value;
  }
}
