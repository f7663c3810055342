package io.fleetgauge.query.report;

import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.query.prices.Rates;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The figures of a row. */
enum Figure {
  HOURS_ALLOCATED("gpu_hours_allocated", Unit.HOURS, (row, rates) -> hours(row, row.allocated())),
  HOURS_BUSY("gpu_hours_busy", Unit.HOURS, (row, rates) -> hours(row, row.of(Amount.BUSY))),
  HOURS_EXECUTION_IDLE(
      "gpu_hours_execution_idle",
      Unit.HOURS,
      (row, rates) -> hours(row, row.of(Amount.EXECUTION_IDLE))),
  HOURS_IDLE("gpu_hours_idle", Unit.HOURS, (row, rates) -> hours(row, row.of(Amount.IDLE))),
  HOURS_UNKNOWN(
      "gpu_hours_unknown", Unit.HOURS, (row, rates) -> hours(row, row.of(Amount.UNKNOWN))),
  SECONDS_ALLOCATED(
      "gpu_seconds_allocated", Unit.EXACT, (row, rates) -> seconds(row, row.allocated())),
  SECONDS_BUSY("gpu_seconds_busy", Unit.EXACT, (row, rates) -> seconds(row, row.of(Amount.BUSY))),
  SECONDS_EXECUTION_IDLE(
      "gpu_seconds_execution_idle",
      Unit.EXACT,
      (row, rates) -> seconds(row, row.of(Amount.EXECUTION_IDLE))),
  SECONDS_IDLE("gpu_seconds_idle", Unit.EXACT, (row, rates) -> seconds(row, row.of(Amount.IDLE))),
  SECONDS_UNKNOWN(
      "gpu_seconds_unknown", Unit.EXACT, (row, rates) -> seconds(row, row.of(Amount.UNKNOWN))),
  ENERGY("energy_kwh", Unit.PLAIN, (row, rates) -> row.energy().map(Units::kilowattHours)),
  ENERGY_ESTIMATED(
      "energy_estimated_kwh",
      Unit.PLAIN,
      (row, rates) ->
          row.energy().map(all -> Units.kilowattHours(row.of(Amount.ENERGY_ESTIMATED)))),
  JOULES("energy_joules", Unit.EXACT, (row, rates) -> row.energy().map(Units::joules)),
  JOULES_ESTIMATED(
      "energy_estimated_joules",
      Unit.EXACT,
      (row, rates) -> row.energy().map(all -> Units.joules(row.of(Amount.ENERGY_ESTIMATED)))),
  MEMORY_USED("memory_used_bytes", Unit.GIB, (row, rates) -> number(row.memoryAtEnd())),
  MEMORY_PEAK("memory_peak_bytes", Unit.GIB, (row, rates) -> number(row.memoryPeak())),
  MEMORY_AVERAGE(
      "memory_average_bytes",
      Unit.GIB,
      (row, rates) ->
          mean(row, Amount.MEMORY, Amount.MEMORY_TIME).map(each -> each.movePointRight(6))),
  MEMORY_SECONDS(
      "memory_seconds",
      Unit.SECONDS,
      (row, rates) -> some(row.of(Amount.MEMORY_TIME)).map(Units::deviceSeconds)),
  ACTIVITY(
      "activity_average_ratio",
      Unit.PERCENT,
      (row, rates) -> mean(row, Amount.ACTIVITY, Amount.ACTIVITY_TIME)),
  SM("sm_average_ratio", Unit.PERCENT, (row, rates) -> mean(row, Amount.SM, Amount.SM_TIME)),
  TENSOR(
      "tensor_average_ratio",
      Unit.PERCENT,
      (row, rates) -> mean(row, Amount.TENSOR, Amount.TENSOR_TIME)),
  DRAM(
      "dram_average_ratio", Unit.PERCENT, (row, rates) -> mean(row, Amount.DRAM, Amount.DRAM_TIME)),
  NVLINK("nvlink_bytes", Unit.GIB, (row, rates) -> count(row, Amount.NVLINK)),
  PCIE("pcie_bytes", Unit.GIB, (row, rates) -> count(row, Amount.PCIE)),
  CPU("cpu_seconds", Unit.SECONDS, (row, rates) -> row.count(Amount.CPU).map(Units::seconds)),
  HOST_MEMORY_PEAK(
      "host_memory_peak_bytes", Unit.GIB, (row, rates) -> number(row.hostMemoryPeak())),
  HOST_MEMORY_AVERAGE(
      "host_memory_average_bytes",
      Unit.GIB,
      (row, rates) ->
          mean(row, Amount.HOST_MEMORY, Amount.HOST_MEMORY_TIME)
              .map(each -> each.movePointRight(6))),
  HOST_MEMORY_SECONDS(
      "host_memory_seconds",
      Unit.SECONDS,
      (row, rates) -> some(row.of(Amount.HOST_MEMORY_TIME)).map(Units::deviceSeconds)),
  IO("io_bytes", Unit.GIB, (row, rates) -> count(row, Amount.IO)),
  COST("cost", Unit.PLAIN, (row, rates) -> cost(row, rates).map(Units::rounded)),
  COST_GPU(
      "cost_gpu",
      Unit.PLAIN,
      (row, rates) ->
          rates.prices().hasParts() ? costOfGpus(row).map(Units::rounded) : Optional.empty()),
  COST_CPU("cost_cpu", Unit.PLAIN, (row, rates) -> costOfCpu(row, rates).map(Units::rounded)),
  COST_MEMORY(
      "cost_memory", Unit.PLAIN, (row, rates) -> costOfMemory(row, rates).map(Units::rounded)),
  HOURS_UNPRICED(
      "gpu_hours_unpriced",
      Unit.HOURS,
      (row, rates) ->
          rates.prices().rules().isEmpty() ? Optional.empty() : hours(row, row.unpriced())),
  CARBON(
      "carbon_grams",
      Unit.KILOGRAMS,
      (row, rates) -> row.ratedEnergy().map(any -> Units.grams(row.carbon(), rates.pue()))),
  ENERGY_WITHOUT_CARBON(
      "energy_without_carbon_kwh",
      Unit.PLAIN,
      (row, rates) ->
          rates.carbon().isEmpty()
              ? Optional.empty()
              : row.energy()
                  .map(
                      all ->
                          Units.kilowattHours(
                              all.subtract(row.ratedEnergy().orElse(BigInteger.ZERO)))));

  /** What the page makes of a figure. */
  enum Unit {
    HOURS(1),
    PLAIN(1),
    GIB(1 << 30),
    SECONDS(3_600),
    PERCENT(0.01),
    KILOGRAMS(1_000),
    /** Not on the page, which has the same in another unit. */
    EXACT(1);

    private final BigDecimal size;

    Unit(double size) {
      this.size = BigDecimal.valueOf(size);
    }
  }

  /** In JSON and CSV, with its unit. */
  final String field;

  private final Unit unit;
  private final BiFunction<Sums, Rates, Optional<BigDecimal>> value;

  Figure(String field, Unit unit, BiFunction<Sums, Rates, Optional<BigDecimal>> value) {
    this.field = field;
    this.unit = unit;
    this.value = value;
  }

  /** Empty when no sample tells of it. */
  Optional<BigDecimal> of(Row row, Rates rates) {
    return value.apply(row.sums(), rates);
  }

  boolean has(Row row, Rates rates) {
    return of(row, rates).isPresent();
  }

  /** As JSON and CSV have it; empty when no sample tells of it. */
  Optional<String> text(Row row, Rates rates) {
    return of(row, rates).map(Figure::plain);
  }

  static String plain(BigDecimal value) {
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
  }

  boolean isOnPage() {
    return unit != Unit.EXACT;
  }

  /** As the page has it. */
  String pageText(BigDecimal of) {
    return of.divide(unit.size, 2, RoundingMode.HALF_EVEN).toPlainString();
  }

  // --- values ---

  private static Optional<BigInteger> some(BigInteger sum) {
    return sum.signum() == 0 ? Optional.empty() : Optional.of(sum);
  }

  private static Optional<BigDecimal> hours(Sums row, BigInteger time) {
    return some(row.allocated()).map(any -> Units.hours(time));
  }

  private static Optional<BigDecimal> seconds(Sums row, BigInteger time) {
    return some(row.allocated()).map(any -> Units.deviceSeconds(time));
  }

  private static Optional<BigDecimal> count(Sums row, Amount amount) {
    return row.count(amount).map(BigDecimal::new);
  }

  private static Optional<BigDecimal> number(OptionalLong value) {
    return value.isPresent()
        ? Optional.of(BigDecimal.valueOf(value.getAsLong()))
        : Optional.empty();
  }

  private static Optional<BigDecimal> mean(Sums row, Amount integral, Amount time) {
    return some(row.of(time)).map(known -> Units.quotient(row.of(integral), known));
  }

  private static Optional<BigDecimal> cost(Sums row, Rates rates) {
    return Stream.of(costOfGpus(row), costOfCpu(row, rates), costOfMemory(row, rates))
        .flatMap(Optional::stream)
        .reduce(BigDecimal::add);
  }

  private static Optional<BigDecimal> costOfGpus(Sums row) {
    return row.priced().entrySet().stream()
        .filter(each -> each.getValue().toBigInteger().signum() != 0)
        .map(each -> Units.cost(each.getKey(), each.getValue()))
        .reduce(BigDecimal::add);
  }

  private static Optional<BigDecimal> costOfCpu(Sums row, Rates rates) {
    return rates
        .prices()
        .cpu()
        .flatMap(price -> row.count(Amount.CPU).map(time -> Units.costOfCpu(price, time)));
  }

  private static Optional<BigDecimal> costOfMemory(Sums row, Rates rates) {
    return some(row.of(Amount.HOST_MEMORY_TIME))
        .flatMap(
            known ->
                rates
                    .prices()
                    .memory()
                    .map(price -> Units.costOfMemory(price, row.of(Amount.HOST_MEMORY))));
  }
}
