package io.fleetgauge.query.faults.reading;

import static io.fleetgauge.query.faults.reading.Entity.CODE;
import static io.fleetgauge.query.faults.reading.Entity.GPU;
import static io.fleetgauge.query.faults.reading.Entity.HOST;
import static io.fleetgauge.query.faults.reading.Entity.LINK;
import static io.fleetgauge.query.faults.reading.Entity.PORT;
import static io.fleetgauge.query.faults.reading.Entity.RANK;
import static io.fleetgauge.query.faults.reading.Signal.Form.INCREASE;
import static io.fleetgauge.query.faults.reading.Signal.Form.LAST;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A reading that detectors use: the metric that has it, and how its samples become one number. The
 * series of an entity that a signal selects are added up.
 */
public enum Signal {
  // --- of a host ---
  /** 0 while a driver call is late or hung. */
  DRIVER_RESPONSIVE(HOST, "gpu_probe_driver_responsive", LAST),
  /** 0 none, 1 slow, 2 late, 3 hung. */
  CALL_STATE(HOST, "gpu_probe_call_state", LAST),
  /** 1 while the driver's thread is in uninterruptible sleep. */
  THREAD_BLOCKED(HOST, "gpu_probe_thread_blocked", LAST),
  SLOW_CALLS(HOST, "gpu_probe_slow_calls_total", INCREASE),
  EXPECTED(HOST, "gpu_expected", LAST),
  COUNTED(HOST, "gpu_probe_devices", LAST, "state", "ok"),
  CPU_IDLE_SECONDS(HOST, "node_cpu_seconds_total", INCREASE, "mode", "idle"),
  CPU_IOWAIT_SECONDS(HOST, "node_cpu_seconds_total", INCREASE, "mode", "iowait"),
  CPU_SECONDS(HOST, "node_cpu_seconds_total", INCREASE),
  CPU_PRESSURE_SECONDS(HOST, "node_pressure_cpu_waiting_seconds_total", INCREASE),
  DISK_WRITTEN_BYTES(HOST, "node_disk_written_bytes_total", INCREASE),

  // --- of a GPU ---
  POWER(GPU, "DCGM_FI_DEV_POWER_USAGE", LAST),
  POWER_LIMIT(GPU, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", LAST),
  SM_CLOCK(GPU, "DCGM_FI_DEV_SM_CLOCK", LAST),
  UTILISATION(GPU, "DCGM_FI_DEV_GPU_UTIL", LAST),
  MEMORY_UTILISATION(GPU, "DCGM_FI_DEV_MEM_COPY_UTIL", LAST),
  SM_ACTIVE(GPU, "DCGM_FI_PROF_SM_ACTIVE", LAST),
  TENSOR_ACTIVE(GPU, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", LAST),
  DRAM_ACTIVE(GPU, "DCGM_FI_PROF_DRAM_ACTIVE", LAST),
  NVLINK_BYTES(GPU, "gpu_nvlink_bytes_total", INCREASE, "nvlink", ""),
  PCIE_BYTES(GPU, "gpu_pcie_bytes_total", INCREASE),
  TEMPERATURE(GPU, "DCGM_FI_DEV_GPU_TEMP", LAST),
  /** Degrees to the nearest slowdown. */
  MARGIN(GPU, "DCGM_FI_DEV_GPU_TEMP_LIMIT", LAST),
  MEMORY_TEMPERATURE(GPU, "DCGM_FI_DEV_MEMORY_TEMP", LAST),
  HW_THERMAL_SECONDS(GPU, "gpu_clock_event_seconds_total", INCREASE, "reason", "hw_thermal"),
  SW_THERMAL_SECONDS(GPU, "gpu_clock_event_seconds_total", INCREASE, "reason", "sw_thermal"),
  POWER_BRAKE_SECONDS(GPU, "gpu_clock_event_seconds_total", INCREASE, "reason", "hw_power_brake"),
  MEMORY_USED(GPU, "DCGM_FI_DEV_FB_USED", LAST),
  MEMORY_TOTAL(GPU, "DCGM_FI_DEV_FB_TOTAL", LAST),
  PROCESSES(GPU, "gpu_processes", LAST),
  UNOWNED_PROCESSES(GPU, "gpu_unowned_processes", LAST),
  ALLOCATED(GPU, "gpu_allocated", LAST),
  LOST(GPU, "gpu_lost", LAST),
  ECC_UNCORRECTED(GPU, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", INCREASE),
  ECC_CORRECTED(GPU, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", INCREASE),
  REMAP_FAILURE(GPU, "DCGM_FI_DEV_ROW_REMAP_FAILURE", LAST),
  REMAP_PENDING(GPU, "DCGM_FI_DEV_ROW_REMAP_PENDING", LAST),
  ROWS_REMAPPED(GPU, "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", INCREASE),
  BANKS_LOW(GPU, "DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_LOW", LAST),
  BANKS_NONE(GPU, "DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_NONE", LAST),
  RECOVERY_ACTION(GPU, "DCGM_FI_DEV_GPU_RECOVERY_ACTION", LAST),
  PERFORMANCE_STATE(GPU, "DCGM_FI_DEV_PSTATE", LAST),
  PCIE_WIDTH(GPU, "DCGM_FI_DEV_PCIE_LINK_WIDTH", LAST),
  PCIE_MAX_WIDTH(GPU, "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", LAST),
  PCIE_GENERATION(GPU, "DCGM_FI_DEV_PCIE_LINK_GEN", LAST),
  PCIE_MAX_GENERATION(GPU, "DCGM_FI_DEV_PCIE_MAX_LINK_GEN", LAST),
  PCIE_REPLAYS(GPU, "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", INCREASE),
  LINKS_ACTIVE(GPU, "gpu_nvlink_links", LAST, "state", "active"),
  LINKS_INACTIVE(GPU, "gpu_nvlink_links", LAST, "state", "inactive"),
  LINK_CRC_ERRORS(GPU, "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", INCREASE),
  LINK_REPLAYS(GPU, "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", INCREASE),
  LINK_RECOVERIES(GPU, "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", INCREASE),
  LINK_RECOVERIES_5(GPU, "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS", INCREASE),
  LINK_RECOVERIES_FAILED(GPU, "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", INCREASE),
  /** 1 when the registration with the fabric has completed. */
  FABRIC_COMPLETED(GPU, "gpu_fabric_ready", LAST, "condition", "completed"),
  /** 1 when it has succeeded. */
  FABRIC_SUCCESS(GPU, "gpu_fabric_ready", LAST, "condition", "success"),
  /** 1 when it has a clique, which only fabrics of several nodes have. */
  FABRIC_CLIQUE(GPU, "gpu_fabric_ready", LAST, "condition", "clique"),
  /** 1 when the UUID of its fabric's cluster is known, which only fabrics of several nodes have. */
  FABRIC_CLUSTER(GPU, "gpu_fabric_ready", LAST, "condition", "cluster"),
  /** CPU time of the processes that hold the GPU. */
  OWNER_CPU_SECONDS(GPU, "gpu_owner_cpu_seconds_total", INCREASE),
  /** Bytes that the processes that hold the GPU read and wrote. */
  OWNER_IO_BYTES(GPU, "gpu_owner_io_bytes_total", INCREASE),
  /** Processes that hold the GPU and are in uninterruptible sleep. */
  OWNER_BLOCKED(GPU, "gpu_owner_blocked_processes", LAST),

  // --- of an NVLink ---
  /** 0 inactive, 1 active, 2 asleep. */
  LINK_STATE(LINK, "gpu_nvlink_state", LAST),
  LINK_ERRORS(LINK, "gpu_nvlink_errors_total", INCREASE),
  LINK_RECOVERY(LINK, "gpu_nvlink_errors_total", INCREASE, "error", "recovery"),

  // --- of a code ---
  XIDS(CODE, "gpu_xid_total", INCREASE),

  // --- of a rank ---
  /** Collective operations that the rank has begun. */
  OPERATIONS(RANK, "gpu_nccl_operations_total", LAST),
  RANK_NUMBER(RANK, "gpu_nccl_rank", LAST),
  RANKS(RANK, "gpu_nccl_ranks", LAST),
  /** Ranks that NCCL misses, or holds for dead. */
  RANKS_MISSING(RANK, "gpu_nccl_ranks_missing", LAST),
  /** Bytes/s of the bus, by NCCL's inspector. */
  BUS_BANDWIDTH(RANK, "nccl_bus_bandwidth_bytes_per_second", LAST),

  // --- of a port ---
  /** 4 when it is active. */
  PORT_STATE(PORT, "node_infiniband_state_id", LAST),
  PORT_RECEIVED(PORT, "node_infiniband_port_data_received_bytes_total", INCREASE),
  PORT_SENT(PORT, "node_infiniband_port_data_transmitted_bytes_total", INCREASE),
  PORT_DOWNED(PORT, "node_infiniband_link_downed_total", INCREASE),
  PORT_SYMBOL_ERRORS(PORT, "node_infiniband_symbol_error_total", INCREASE),
  PORT_RECOVERIES(PORT, "node_infiniband_link_error_recovery_total", INCREASE),
  PORT_OVERRUNS(PORT, "node_infiniband_excessive_buffer_overrun_errors_total", INCREASE),
  PORT_INTEGRITY(PORT, "node_infiniband_local_link_integrity_errors_total", INCREASE),
  PORT_RNR_RETRY(PORT, "node_infiniband_rnr_nak_retry_packets_received_total", INCREASE),
  PORT_SLOW_RESTARTS(PORT, "node_infiniband_roce_slow_restart_total", INCREASE);

  /** How the samples of a series become a number. */
  public enum Form {
    /** The newest sample. */
    LAST,
    /** The increase of a counter since the tick before. */
    INCREASE
  }

  private static final Map<Entity, Integer> COUNTS = new EnumMap<>(Entity.class);
  private static final Map<String, List<Signal>> BY_METRIC =
      Arrays.stream(values()).collect(Collectors.groupingBy(Signal::metric));

  static {
    for (Signal signal : values()) {
      signal.index = COUNTS.merge(signal.entity, 1, Integer::sum) - 1;
    }
  }

  private final Entity entity;
  private final String metric;
  private final Form form;
  private final String label;
  private final String value;
  private int index;

  Signal(Entity entity, String metric, Form form) {
    this(entity, metric, form, "", "");
  }

  /** Selects series by a label; an empty value selects those without the label. */
  Signal(Entity entity, String metric, Form form, String label, String value) {
    this.entity = entity;
    this.metric = metric;
    this.form = form;
    this.label = label;
    this.value = value;
  }

  public Entity entity() {
    return entity;
  }

  public String metric() {
    return metric;
  }

  public Form form() {
    return form;
  }

  /** The place in an array of the signals of its entity. */
  int index() {
    return index;
  }

  /** Number of signals of an entity. */
  static int count(Entity entity) {
    return COUNTS.get(entity);
  }

  /** Returns true if a label of a series is such that the series belongs to this signal. */
  boolean selects(UnaryOperator<String> labels) {
    return label.isEmpty() || labels.apply(label).equals(value);
  }

  /** The signals that a metric has. */
  static List<Signal> of(String metric) {
    return BY_METRIC.getOrDefault(metric, List.of());
  }

  /** The metrics that detectors need, sorted. */
  public static List<String> metrics() {
    return List.copyOf(new TreeSet<>(BY_METRIC.keySet()));
  }
}
