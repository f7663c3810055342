package io.fleetgauge.query.report;

import java.util.ArrayList;
import java.util.List;

/** Measures of a report, in whole numbers, and the metrics that they are read from. */
enum Measure {
  /** Bytes. */
  MEMORY(
      List.of(new Metric("DCGM_FI_DEV_FB_USED", 1 << 20)),
      List.of(
          new Metric("gpu_process_memory_bytes", 1), new Metric("gpu_container_memory_bytes", 1)),
      List.of()),

  /** Millionths of a GPU that are busy. */
  UTILIZATION(
      List.of(
          new Metric("DCGM_FI_DEV_GPU_UTIL", Measure.WHOLE / 100.0),
          // MIG instances have this one only.
          new Metric("DCGM_FI_PROF_GR_ENGINE_ACTIVE", Measure.WHOLE)),
      List.of(new Metric("gpu_container_utilization_ratio", Measure.WHOLE)),
      List.of()),

  /** Millionths of a GPU that are allocated. */
  ALLOCATION(
      List.of(new Metric("gpu_allocated", Measure.WHOLE)),
      List.of(),
      List.of(new Metric("gpu_allocation_info", 1)));

  /** A whole GPU. */
  static final int WHOLE = 1_000_000;

  /**
   * A metric.
   *
   * @param scale one unit of its values in that of the measure
   */
  record Metric(String name, double scale) {}

  /** Roles of the series of a metric. */
  enum Role {
    /** The value of the device. */
    DEVICE,
    /** The part of the value that one process or container has. */
    PART,
    /** One of those that the value is divided among; the series has no value. */
    SHARER
  }

  /**
   * A metric of a measure.
   *
   * @param rank among those of the role; the first that has a value counts
   */
  record Source(Measure measure, Role role, int rank, Metric metric) {}

  /** Every metric that a report reads. */
  static final List<Source> SOURCES = sources();

  private final List<Metric> ofDevice;
  private final List<Metric> ofPart;
  private final List<Metric> ofSharer;

  Measure(List<Metric> ofDevice, List<Metric> ofPart, List<Metric> ofSharer) {
    this.ofDevice = ofDevice;
    this.ofPart = ofPart;
    this.ofSharer = ofSharer;
  }

  private static List<Source> sources() {
    List<Source> all = new ArrayList<>();
    for (Measure measure : values()) {
      add(all, measure, Role.DEVICE, measure.ofDevice);
      add(all, measure, Role.PART, measure.ofPart);
      add(all, measure, Role.SHARER, measure.ofSharer);
    }
    return List.copyOf(all);
  }

  private static void add(List<Source> all, Measure measure, Role role, List<Metric> metrics) {
    for (int rank = 0; rank < metrics.size(); rank++) {
      all.add(new Source(measure, role, rank, metrics.get(rank)));
    }
  }
}
