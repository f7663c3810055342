package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;

/**
 * A field of a batch, and the series that it becomes. Fields of one series are added.
 *
 * @param field number of the field at NVML
 * @param scope a link, or 0 where the field has none
 * @param divisor what the value is divided by to be in the metric's unit
 * @param least below it there is nothing to tell: no sample
 * @param most above it the value cannot be right
 */
record FieldRead(
    GpuMetric metric,
    Labels own,
    int field,
    int scope,
    Kind kind,
    double divisor,
    double least,
    double most) {
  /** The use of the value. */
  enum Kind {
    VALUE,
    /** 32 bits whatever type the driver says; some mislabel it. */
    BITS32,
    /** A value only where no field before it gave the series one. */
    INSTEAD,
    /** A state of a link: one more link in it. */
    STATE,
    /** A counter of data, of which rates are made; see {@link Traffic}. */
    TRAFFIC
  }

  private static final double MOST_COUNT = 1L << 62;

  static FieldRead of(String metric, int field, double divisor, String... own) {
    return new FieldRead(
        GpuMetrics.of(metric), Labels.of(own), field, 0, Kind.VALUE, divisor, 0, MOST_COUNT);
  }

  FieldRead at(int newScope) {
    return new FieldRead(metric, own, field, newScope, kind, divisor, least, most);
  }

  FieldRead as(Kind newKind) {
    return new FieldRead(metric, own, field, scope, newKind, divisor, least, most);
  }

  FieldRead within(double newLeast, double newMost) {
    return new FieldRead(metric, own, field, scope, kind, divisor, newLeast, newMost);
  }
}
