package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.ALLOCATED;
import static io.fleetgauge.query.faults.reading.Signal.BANKS_LOW;
import static io.fleetgauge.query.faults.reading.Signal.BANKS_NONE;
import static io.fleetgauge.query.faults.reading.Signal.ECC_CORRECTED;
import static io.fleetgauge.query.faults.reading.Signal.HW_THERMAL_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.LOST;
import static io.fleetgauge.query.faults.reading.Signal.MARGIN;
import static io.fleetgauge.query.faults.reading.Signal.MEMORY_TEMPERATURE;
import static io.fleetgauge.query.faults.reading.Signal.MEMORY_USED;
import static io.fleetgauge.query.faults.reading.Signal.PCIE_GENERATION;
import static io.fleetgauge.query.faults.reading.Signal.PCIE_MAX_GENERATION;
import static io.fleetgauge.query.faults.reading.Signal.PCIE_MAX_WIDTH;
import static io.fleetgauge.query.faults.reading.Signal.PCIE_REPLAYS;
import static io.fleetgauge.query.faults.reading.Signal.PCIE_WIDTH;
import static io.fleetgauge.query.faults.reading.Signal.PERFORMANCE_STATE;
import static io.fleetgauge.query.faults.reading.Signal.POWER;
import static io.fleetgauge.query.faults.reading.Signal.POWER_BRAKE_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.POWER_LIMIT;
import static io.fleetgauge.query.faults.reading.Signal.PROCESSES;
import static io.fleetgauge.query.faults.reading.Signal.RECOVERY_ACTION;
import static io.fleetgauge.query.faults.reading.Signal.REMAP_FAILURE;
import static io.fleetgauge.query.faults.reading.Signal.REMAP_PENDING;
import static io.fleetgauge.query.faults.reading.Signal.SM_CLOCK;
import static io.fleetgauge.query.faults.reading.Signal.SW_THERMAL_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.TEMPERATURE;
import static io.fleetgauge.query.faults.reading.Signal.UTILISATION;

import io.fleetgauge.query.faults.detect.GpuSign.Shown;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;

/** The table of faults of a GPU that are one state or one rate. */
final class GpuSigns {
  /** Performance states are 0 to 15; 32 is a state that the driver does not know. */
  private static final int PERFORMANCE_STATES = 16;

  private static final Shown SHARE_HEAT = new Shown(HW_THERMAL_SECONDS, "slowed by heat, ratio");
  private static final Shown SHARE_DRIVER =
      new Shown(SW_THERMAL_SECONDS, "slowed by the driver, ratio");
  private static final Shown SHARE_BRAKE =
      new Shown(POWER_BRAKE_SECONDS, "slowed by the power brake, ratio");
  private static final Shown CELSIUS = new Shown(TEMPERATURE, "temperature, celsius");
  private static final Shown CLOCK = new Shown(SM_CLOCK, "SM clock, MHz");
  private static final Shown WATTS = new Shown(POWER, "power, watts");
  private static final Shown BUSY = new Shown(UTILISATION, "utilization, percent");

  private GpuSigns() {}

  static List<GpuSign> of(Thresholds all) {
    return List.of(
        lost(all),
        recovery(all),
        state(
            all,
            FaultKind.ROW_REMAP_FAILED,
            new Shown(REMAP_FAILURE, "row remapping failed"),
            "A row of the memory could not be replaced."),
        state(
            all,
            FaultKind.ROW_REMAP_PENDING,
            new Shown(REMAP_PENDING, "row remapping pending"),
            "A row of the memory is replaced at the next reset."),
        spareRows(all),
        eccStorm(all),
        slowdown(all, FaultKind.THERMAL_SLOWDOWN, SHARE_HEAT, CELSIUS, "the hardware, for heat"),
        slowdown(all, FaultKind.THERMAL_SOFTWARE, SHARE_DRIVER, CELSIUS, "the driver, for heat"),
        slowdown(all, FaultKind.POWER_BRAKE, SHARE_BRAKE, WATTS, "the power brake"),
        hot(all),
        memoryHot(all),
        powerRange(all),
        performanceState(all),
        narrow(all),
        slow(all),
        replays(all),
        unowned(all),
        idle(all));
  }

  private static GpuSign lost(Thresholds all) {
    FaultKind kind = FaultKind.GPU_LOST;
    return new GpuSign(
        all.of(kind),
        kind,
        List.of(new Shown(LOST, "lost")),
        Sign.atLeast(LOST, 1),
        gpu -> "The driver cannot reach the GPU any more.");
  }

  private static GpuSign state(Thresholds all, FaultKind kind, Shown shown, String text) {
    return new GpuSign(
        all.of(kind), kind, List.of(shown), Sign.above(shown.signal(), 0), gpu -> text);
  }

  private static GpuSign recovery(Thresholds all) {
    FaultKind kind = FaultKind.RECOVERY_ACTION;
    return new GpuSign(
            all.of(kind),
            kind,
            List.of(new Shown(RECOVERY_ACTION, "recovery action")),
            Sign.above(RECOVERY_ACTION, 0),
            gpu -> "The driver asks for " + recoveryText(gpu) + ".")
        .causedBy(GpuSigns::recoveryWord);
  }

  private static String recoveryWord(GpuTick gpu) {
    return switch ((int) gpu.get(RECOVERY_ACTION)) {
      case 1 -> "reset";
      case 2 -> "reboot";
      case 3 -> "drain_p2p";
      case 4 -> "drain_and_reset";
      default -> "other";
    };
  }

  private static String recoveryText(GpuTick gpu) {
    return switch (recoveryWord(gpu)) {
      case "reset" -> "a reset of the GPU";
      case "reboot" -> "a reboot of the node";
      case "drain_p2p" -> "a drain of the GPU's peer-to-peer traffic";
      case "drain_and_reset" -> "a drain and a reset of the GPU";
      default -> "recovery " + Amount.of(gpu.get(RECOVERY_ACTION));
    };
  }

  private static GpuSign spareRows(Thresholds all) {
    FaultKind kind = FaultKind.ROW_SPARE_LOW;
    double banks = all.of(kind).number("banks");
    return new GpuSign(
        all.of(kind),
        kind,
        List.of(
            new Shown(BANKS_LOW, "banks with few spare rows"),
            new Shown(BANKS_NONE, "banks without spare rows")),
        (gpu, was) -> {
          double none = gpu.get(BANKS_NONE);
          double few = gpu.get(BANKS_LOW) + (Double.isNaN(none) ? 0 : none);
          return Sign.of(few, few >= banks);
        },
        gpu ->
            Amount.of(gpu.get(BANKS_LOW) + gpu.readings().get(BANKS_NONE, 0), "bank")
                + " of the memory have few spare rows, or none.");
  }

  private static GpuSign eccStorm(Thresholds all) {
    FaultKind kind = FaultKind.ECC_STORM;
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(new Shown(ECC_CORRECTED, "corrected errors, 1/s")),
        Sign.above(ECC_CORRECTED, of.number("errorsPerSecond")),
        gpu -> Amount.of(gpu.rate(ECC_CORRECTED), "memory error") + " a second are corrected.");
  }

  private static GpuSign slowdown(
      Thresholds all, FaultKind kind, Shown share, Shown beside, String by) {
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(share, beside, CLOCK),
        Sign.above(share.signal(), of.number("share")),
        gpu ->
            "Clocks are reduced for "
                + Amount.percent(share.read(gpu))
                + " of the time by "
                + by
                + ".");
  }

  private static GpuSign hot(Thresholds all) {
    FaultKind kind = FaultKind.HOT;
    Thresholds.OfKind of = all.of(kind);
    double margin = of.number("margin");
    double least = of.number("leastCelsius");
    double hysteresis = of.number("hysteresis");
    Sign.Check byCelsius = Sign.above(TEMPERATURE, of.number("celsius"), hysteresis);
    return new GpuSign(
        of,
        kind,
        List.of(CELSIUS, new Shown(MARGIN, "margin, celsius")),
        (gpu, was) ->
            hasMargin(gpu, least)
                ? Sign.of(gpu.get(MARGIN), gpu.get(MARGIN) < (was ? margin + hysteresis : margin))
                : byCelsius.at(gpu, was),
        gpu ->
            hasMargin(gpu, least)
                ? "The GPU is "
                    + Amount.of(Math.max(0, gpu.get(MARGIN)), "degree")
                    + " below the temperature at which it slows down."
                : "The GPU is at " + Amount.of(gpu.get(TEMPERATURE)) + " degrees Celsius.");
  }

  /** Older boards report a margin of 0 or less at any temperature. */
  private static boolean hasMargin(GpuTick gpu, double leastCelsius) {
    return gpu.get(MARGIN) > 0 || gpu.get(MARGIN) <= 0 && gpu.get(TEMPERATURE) >= leastCelsius;
  }

  private static GpuSign memoryHot(Thresholds all) {
    FaultKind kind = FaultKind.MEMORY_HOT;
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(new Shown(MEMORY_TEMPERATURE, "memory temperature, celsius")),
        Sign.above(MEMORY_TEMPERATURE, of.number("celsius"), of.number("hysteresis")),
        gpu -> "The memory is at " + Amount.of(gpu.get(MEMORY_TEMPERATURE)) + " degrees Celsius.");
  }

  private static GpuSign powerRange(Thresholds all) {
    FaultKind kind = FaultKind.POWER_RANGE;
    Thresholds.OfKind of = all.of(kind);
    double share = of.number("ofLimit");
    double least = of.number("watts");
    return new GpuSign(
        of,
        kind,
        List.of(WATTS, new Shown(POWER_LIMIT, "power limit, watts")),
        (gpu, was) -> {
          double power = gpu.get(POWER);
          double limit = gpu.get(POWER_LIMIT);
          // A limit of 0 is none.
          return Sign.of(power, power < least || limit > 0 && power > share * limit);
        },
        gpu ->
            "The power is "
                + Amount.of(gpu.get(POWER))
                + " W; the limit is "
                + Amount.of(gpu.readings().get(POWER_LIMIT, 0))
                + " W.");
  }

  private static GpuSign performanceState(Thresholds all) {
    FaultKind kind = FaultKind.PSTATE_STUCK;
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(new Shown(PERFORMANCE_STATE, "performance state"), BUSY, CLOCK),
        Sign.atLeast(PERFORMANCE_STATE, of.number("lowestIdleState"))
            .and(Sign.below(PERFORMANCE_STATE, PERFORMANCE_STATES))
            .and(Sign.above(UTILISATION, of.number("utilisation"))),
        gpu ->
            "The GPU is busy in performance state P" + Amount.of(gpu.get(PERFORMANCE_STATE)) + ".");
  }

  private static GpuSign narrow(Thresholds all) {
    FaultKind kind = FaultKind.PCIE_NARROW;
    return new GpuSign(
        all.of(kind),
        kind,
        List.of(new Shown(PCIE_WIDTH, "PCIe lanes"), new Shown(PCIE_MAX_WIDTH, "PCIe lanes, most")),
        Sign.below(PCIE_WIDTH, PCIE_MAX_WIDTH).and(Sign.above(PCIE_WIDTH, 0)),
        gpu ->
            "The PCIe link uses "
                + Amount.of(gpu.get(PCIE_WIDTH))
                + " of "
                + Amount.of(gpu.get(PCIE_MAX_WIDTH))
                + " lanes.");
  }

  private static GpuSign slow(Thresholds all) {
    FaultKind kind = FaultKind.PCIE_SLOW;
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(
            new Shown(PCIE_GENERATION, "PCIe generation"),
            new Shown(PCIE_MAX_GENERATION, "PCIe generation, highest"),
            BUSY),
        Sign.below(PCIE_GENERATION, PCIE_MAX_GENERATION)
            .and(Sign.above(PCIE_GENERATION, 0))
            .and(Sign.above(UTILISATION, of.number("utilisation"))),
        gpu ->
            "The PCIe link runs at generation "
                + Amount.of(gpu.get(PCIE_GENERATION))
                + " under load; board and slot have "
                + Amount.of(gpu.get(PCIE_MAX_GENERATION))
                + ".");
  }

  private static GpuSign replays(Thresholds all) {
    FaultKind kind = FaultKind.PCIE_REPLAYS;
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(new Shown(PCIE_REPLAYS, "PCIe replays, 1/s")),
        Sign.above(PCIE_REPLAYS, of.number("replaysPerSecond")),
        gpu -> Amount.of(gpu.rate(PCIE_REPLAYS), "PCIe packet") + " a second are sent again.");
  }

  private static GpuSign unowned(Thresholds all) {
    FaultKind kind = FaultKind.MEMORY_UNOWNED;
    Thresholds.OfKind of = all.of(kind);
    return new GpuSign(
        of,
        kind,
        List.of(new Shown(MEMORY_USED, "memory, MiB"), new Shown(PROCESSES, "processes")),
        Sign.above(MEMORY_USED, of.number("mib")).and(Sign.below(PROCESSES, 1)),
        gpu -> Amount.of(gpu.get(MEMORY_USED)) + " MiB are in use and no process holds them.");
  }

  private static GpuSign idle(Thresholds all) {
    FaultKind kind = FaultKind.IDLE_ALLOCATION;
    Thresholds.OfKind of = all.of(kind);
    long after = of.millis("after");
    return new GpuSign(
            of,
            kind,
            List.of(BUSY, WATTS, new Shown(ALLOCATED, "allocated")),
            Sign.atLeast(ALLOCATED, 1).and(Sign.below(UTILISATION, of.number("utilisation"))),
            gpu ->
                "The GPU is allocated and has done nothing for more than "
                    + Amount.time(after)
                    + ".")
        .ofOwners();
  }
}
