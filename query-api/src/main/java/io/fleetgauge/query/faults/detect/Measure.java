package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.CPU_IDLE_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.CPU_IOWAIT_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.CPU_PRESSURE_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.CPU_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.HW_THERMAL_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.LINK_CRC_ERRORS;
import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERIES;
import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERIES_5;
import static io.fleetgauge.query.faults.reading.Signal.LINK_REPLAYS;
import static io.fleetgauge.query.faults.reading.Signal.POWER_BRAKE_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.SM_CLOCK;
import static io.fleetgauge.query.faults.reading.Signal.SW_THERMAL_SECONDS;
import static io.fleetgauge.query.faults.reading.Signal.TENSOR_ACTIVE;
import static io.fleetgauge.query.faults.reading.Signal.UTILISATION;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import java.util.function.ToDoubleFunction;

/**
 * A number by which the GPUs of a job are compared. Those of hosts and ports are the same for all
 * GPUs of a host.
 */
enum Measure {
  // --- of a GPU ---
  /** MHz, while the GPU works: an idle one lowers its clock. */
  CLOCK("SM clock, MHz", Measure::clock),
  POWER("power, watts", gpu -> gpu.get(Signal.POWER)),
  LIMIT("power limit, watts", gpu -> gpu.get(Signal.POWER_LIMIT)),
  TENSOR("tensor activity, share", gpu -> gpu.get(TENSOR_ACTIVE)),
  SM("SM activity, share", gpu -> gpu.get(Signal.SM_ACTIVE)),
  UTIL("utilization, percent", gpu -> gpu.get(UTILISATION)),
  NVLINK("NVLink, bytes/s", gpu -> gpu.rate(Signal.NVLINK_BYTES)),
  PCIE("PCIe, bytes/s", gpu -> gpu.rate(Signal.PCIE_BYTES)),
  /** Share of time in which heat lowers the clock. */
  HEAT(
      "slowed down by heat, share of time",
      gpu -> sum(gpu.rate(HW_THERMAL_SECONDS), gpu.rate(SW_THERMAL_SECONDS))),
  BRAKE("slowed down by the power supply, share of time", gpu -> gpu.rate(POWER_BRAKE_SECONDS)),
  LINK_EVENTS("NVLink recoveries and errors for each second", Measure::linkEvents),
  REPLAYS("PCIe replays for each second", gpu -> gpu.rate(Signal.PCIE_REPLAYS)),
  /** 1 if all lanes are in use. */
  WIDTH(
      "PCIe lanes in use, share",
      gpu -> gpu.get(Signal.PCIE_WIDTH) / gpu.get(Signal.PCIE_MAX_WIDTH)),
  OWNER_CPU("CPU time of its processes, cores", gpu -> gpu.rate(Signal.OWNER_CPU_SECONDS)),
  BANDWIDTH("bus bandwidth by NCCL, bytes/s", Measure::bandwidth),

  // --- of its host ---
  CPU_IDLE("idle CPU time, share", null),
  IO_WAIT("CPU time waiting for I/O, share", null),
  CPU_PRESSURE("time in which processes wait for a CPU, share", null),
  RDMA("RDMA, bytes/s", null),
  SLOW_RESTARTS("slow restarts of RoCE for each second", null),
  PORT_ERRORS("symbol errors and recoveries of ports for each second", null);

  static final Measure[] ALL = values();
  static final int OF_GPU = CPU_IDLE.ordinal();
  static final int COUNT = ALL.length;

  private static final double WORKING_UTILISATION = 5;
  private static final double WORKING_TENSOR = 0.01;

  private final String text;
  private final ToDoubleFunction<GpuTick> ofGpu;

  Measure(String text, ToDoubleFunction<GpuTick> ofGpu) {
    this.text = text;
    this.ofGpu = ofGpu;
  }

  /** Its name and unit, for evidence. */
  String text() {
    return text;
  }

  /** A measure of GPUs, of one of them. */
  double of(GpuTick gpu) {
    return ofGpu.applyAsDouble(gpu);
  }

  /**
   * Reads the measures of a host.
   *
   * @param out takes them, at their ordinals
   */
  static void read(HostTick host, double[] out) {
    double cpu = host.get(CPU_SECONDS);
    out[CPU_IDLE.ordinal()] = host.get(CPU_IDLE_SECONDS) / cpu;
    out[IO_WAIT.ordinal()] = host.get(CPU_IOWAIT_SECONDS) / cpu;
    out[CPU_PRESSURE.ordinal()] = host.rate(CPU_PRESSURE_SECONDS);
    double rdma = Double.NaN;
    double restarts = Double.NaN;
    double errors = Double.NaN;
    for (Readings port : host.ports().values()) {
      rdma = sum(rdma, sum(port.rate(Signal.PORT_RECEIVED), port.rate(Signal.PORT_SENT)));
      restarts = sum(restarts, port.rate(Signal.PORT_SLOW_RESTARTS));
      errors =
          sum(errors, sum(port.rate(Signal.PORT_SYMBOL_ERRORS), port.rate(Signal.PORT_RECOVERIES)));
    }
    out[RDMA.ordinal()] = rdma;
    out[SLOW_RESTARTS.ordinal()] = restarts;
    out[PORT_ERRORS.ordinal()] = errors;
  }

  private static double clock(GpuTick gpu) {
    boolean works =
        gpu.get(TENSOR_ACTIVE) >= WORKING_TENSOR || gpu.get(UTILISATION) >= WORKING_UTILISATION;
    return works ? gpu.get(SM_CLOCK) : Double.NaN;
  }

  /** Of the GPU as a whole, or of its links: boards differ in what they count. */
  private static double linkEvents(GpuTick gpu) {
    double ofGpu =
        sum(
            sum(gpu.rate(LINK_RECOVERIES), gpu.rate(LINK_RECOVERIES_5)),
            sum(gpu.rate(LINK_REPLAYS), gpu.rate(LINK_CRC_ERRORS)));
    double ofLinks = Double.NaN;
    for (Readings link : gpu.links().values()) {
      ofLinks = sum(ofLinks, link.rate(Signal.LINK_ERRORS));
    }
    return Double.isNaN(ofGpu) || ofLinks > ofGpu ? ofLinks : ofGpu;
  }

  /** Of the communicator with the most ranks, which is where all members of the job meet. */
  private static double bandwidth(GpuTick gpu) {
    double most = -1;
    double bandwidth = Double.NaN;
    for (Readings rank : gpu.ranks().values()) {
      double ranks = rank.get(Signal.RANKS, 0);
      if (rank.has(Signal.BUS_BANDWIDTH) && ranks > most) {
        most = ranks;
        bandwidth = rank.get(Signal.BUS_BANDWIDTH);
      }
    }
    return bandwidth;
  }

  /** The sum of those that were read. */
  static double sum(double a, double b) {
    return Double.isNaN(a) ? b : Double.isNaN(b) ? a : a + b;
  }
}
