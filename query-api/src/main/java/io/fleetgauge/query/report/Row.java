package io.fleetgauge.query.report;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Figures of a group in an interval.
 *
 * @param group its values of what the report groups by, in that order
 * @param from ms
 * @param to ms
 * @param memory empty when no sample tells of it; so for the others
 * @param allocatedHours hours of GPUs that it was given
 */
record Row(
    List<String> group,
    long from,
    long to,
    Optional<Memory> memory,
    Optional<Utilization> utilization,
    Optional<Double> allocatedHours) {

  /**
   * Memory of GPUs.
   *
   * @param usedBytes at the end; empty when it has no value then
   * @param averageBytes over the time in which it had a value
   * @param seconds that time
   */
  record Memory(OptionalLong usedBytes, long peakBytes, double averageBytes, double seconds) {}

  /**
   * Utilization of its GPUs, as a ratio.
   *
   * @param averageRatio over the time of its GPUs
   * @param peakRatio the highest average of its GPUs at one time
   * @param busyHours hours in which they were busy
   */
  record Utilization(double averageRatio, double peakRatio, double busyHours) {}

  /** The figures of a row by the names that they have in JSON and CSV. */
  enum Figure {
    MEMORY_USED(
        "memory_used_bytes",
        row ->
            row.memory
                .map(Memory::usedBytes)
                .filter(OptionalLong::isPresent)
                .map(used -> (double) used.getAsLong())),
    MEMORY_PEAK("memory_peak_bytes", row -> row.memory.map(memory -> (double) memory.peakBytes)),
    MEMORY_AVERAGE("memory_average_bytes", row -> row.memory.map(Memory::averageBytes)),
    MEMORY_SECONDS("memory_seconds", row -> row.memory.map(Memory::seconds)),
    UTILIZATION_AVERAGE(
        "utilization_average_ratio", row -> row.utilization.map(Utilization::averageRatio)),
    UTILIZATION_PEAK("utilization_peak_ratio", row -> row.utilization.map(Utilization::peakRatio)),
    HOURS_ALLOCATED("gpu_hours_allocated", Row::allocatedHours),
    HOURS_BUSY("gpu_hours_busy", row -> row.utilization.map(Utilization::busyHours));

    /** In JSON and CSV, with its unit. */
    final String field;

    private final Function<Row, Optional<Double>> value;

    Figure(String field, Function<Row, Optional<Double>> value) {
      this.field = field;
      this.value = value;
    }

    /** Empty when no sample tells of it. */
    OptionalDouble of(Row row) {
      return value.apply(row).map(OptionalDouble::of).orElseGet(OptionalDouble::empty);
    }
  }
}
