package io.fleetgauge.promql.usage.series;

import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.sample.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The series of usage; all are counters. */
public enum UsageMetric {
  GPU_SECONDS(
      "job:gpu_seconds:total",
      "seconds",
      "Time for which GPUs were allocated, by class.",
      new Part("busy", Amount.BUSY, 1e9),
      new Part("execution_idle", Amount.EXECUTION_IDLE, 1e9),
      new Part("idle", Amount.IDLE, 1e9),
      new Part("unknown", Amount.UNKNOWN, 1e9)),
  GPU_ACTIVITY(
      "job:gpu_activity_seconds:total",
      "seconds",
      "Activity of GPUs times its time: the time for which a kernel ran.",
      new Part("", Amount.ACTIVITY, 1e9)),
  GPU_ENERGY(
      "job:gpu_energy_joules:total",
      "joules",
      "Energy of GPUs, estimates included.",
      new Part("", Map.of(Amount.ENERGY, 1e3, Amount.ENERGY_ESTIMATED, 1e6))),
  GPU_ENERGY_ESTIMATED(
      "job:gpu_energy_estimated_joules:total",
      "joules",
      "The part of the energy of GPUs that is an estimate: the integral of the power where the"
          + " energy counter is missing, and an owner's part of a GPU that several share.",
      new Part("", Amount.ENERGY_ESTIMATED, 1e6)),
  GPU_MEMORY(
      "job:gpu_memory_byte_seconds:total",
      "byte seconds",
      "Memory of GPUs in use times its time.",
      new Part("", Amount.MEMORY, 1e3)),
  CPU_SECONDS(
      "job:cpu_seconds:total",
      "seconds",
      "CPU time of processes that use GPUs.",
      new Part("", Amount.CPU, 1e3));

  /** The label of a part. */
  public static final String CLASS = "class";

  private static final Map<String, UsageMetric> BY_METRIC =
      Arrays.stream(values()).collect(Collectors.toMap(each -> each.metric, Function.identity()));

  public final String metric;
  public final String unit;
  public final String help;

  /** Each becomes a series. */
  final List<Part> parts;

  /** The amounts of which one has to be known, as bits: 0 is known if its time is. */
  final int bits;

  UsageMetric(String metric, String unit, String help, Part... parts) {
    this.metric = metric;
    this.unit = unit;
    this.help = help;
    this.parts = List.of(parts);
    this.bits =
        this.parts.stream()
            .flatMap(part -> part.units.keySet().stream())
            .flatMap(UsageMetric::knownBy)
            .distinct()
            .mapToInt(Amount::bit)
            .sum();
  }

  private static Stream<Amount> knownBy(Amount amount) {
    return switch (amount) {
      case ACTIVITY -> Stream.of(amount, Amount.ACTIVITY_TIME);
      case MEMORY -> Stream.of(amount, Amount.MEMORY_TIME);
      default -> Stream.of(amount);
    };
  }

  /**
   * What one series counts.
   *
   * @param name the class; empty if the metric has no classes
   * @param units of each amount, in one unit of the series
   */
  record Part(String name, Map<Amount, Double> units) {
    Part(String name, Amount amount, double units) {
      this(name, Map.of(amount, units));
    }
  }

  /** The metric of a name. */
  public static Optional<UsageMetric> named(String metric) {
    return Optional.ofNullable(BY_METRIC.get(metric));
  }

  /** The labels of a series. */
  public Labels labels(Labels owner, String ofClass) {
    Labels labels = owner.with(Labels.NAME, metric);
    return ofClass.isEmpty() ? labels : labels.with(CLASS, ofClass);
  }

  /** The values of {@link #CLASS}; the empty text alone if the metric has no classes. */
  public List<String> classes() {
    return parts.stream().map(Part::name).toList();
  }
}
