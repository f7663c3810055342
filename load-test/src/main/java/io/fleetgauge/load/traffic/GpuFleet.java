package io.fleetgauge.load.traffic;

import io.fleetgauge.load.nodes.SimulatedNode;
import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Simulated nodes with eight H100 each, of whose series 380 are sent at every tick: 40 of each GPU
 * and 60 of the host. The same number of hosts, seed and first time make the same samples. Not for
 * several threads.
 */
public final class GpuFleet implements AutoCloseable {
  public static final long TICK = 15_000;
  public static final int SERIES = 380;

  /** Metrics of one series for each GPU. */
  private static final Set<String> OF_GPUS =
      named(
          "DCGM_FI_DEV_",
          "CLOCK_THROTTLE_REASONS CORRECTABLE_REMAPPED_ROWS DEC_UTIL ECC_DBE_AGG_TOTAL"
              + " ECC_DBE_VOL_TOTAL ECC_SBE_AGG_TOTAL ECC_SBE_VOL_TOTAL ENC_UTIL"
              + " ENFORCED_POWER_LIMIT FB_FREE FB_RESERVED FB_TOTAL FB_USED GPU_RECOVERY_ACTION"
              + " GPU_TEMP GPU_UTIL MEMORY_TEMP MEM_CLOCK MEM_COPY_UTIL NVLINK_BANDWIDTH_TOTAL"
              + " PCIE_REPLAY_COUNTER POWER_USAGE ROW_REMAP_FAILURE ROW_REMAP_PENDING SM_CLOCK"
              + " TOTAL_ENERGY_CONSUMPTION UNCORRECTABLE_REMAPPED_ROWS XID_ERRORS");

  private static final Set<String> OF_PROFILER =
      named(
          "DCGM_FI_PROF_",
          "DRAM_ACTIVE GR_ENGINE_ACTIVE NVLINK_RX_BYTES NVLINK_TX_BYTES PCIE_RX_BYTES"
              + " PCIE_TX_BYTES PIPE_FP16_ACTIVE PIPE_FP32_ACTIVE PIPE_FP64_ACTIVE"
              + " PIPE_TENSOR_ACTIVE SM_ACTIVE SM_OCCUPANCY");

  private static final Set<String> OF_HOSTS =
      named(
          "node_",
          "context_switches_total cpu_seconds_total disk_io_time_seconds_total"
              + " disk_read_bytes_total disk_written_bytes_total filesystem_avail_bytes"
              + " filesystem_size_bytes intr_total load1 load5 load15 memory_Buffers_bytes"
              + " memory_Cached_bytes memory_MemAvailable_bytes memory_MemTotal_bytes"
              + " network_receive_bytes_total network_transmit_bytes_total nf_conntrack_entries"
              + " pressure_cpu_waiting_seconds_total pressure_io_waiting_seconds_total"
              + " pressure_memory_waiting_seconds_total procs_running");

  /** The names of all metrics. */
  public static final Set<String> METRICS =
      Stream.of(OF_GPUS, OF_PROFILER, OF_HOSTS)
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  /** So long that each active series adds half a new one an hour: those of a job and of a pause. */
  private static final Duration JOB_TIME = Duration.ofMinutes(150);

  private static final int NODES_OF_RACK = 8;

  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final List<Set<Labels>> ever = new ArrayList<>();

  /**
   * @param first time of the first tick, ms since the epoch
   */
  public GpuFleet(int hosts, long seed, long first) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < hosts; i++) {
      places.add(place(i));
    }
    Duration tick = Duration.ofMillis(TICK);
    FleetLayout fleet =
        new FleetLayout(
            places, JOB_TIME, new TickSettings(tick, tick, Duration.ofHours(1), Map.of()), seed);
    for (Place place : places) {
      nodes.add(new SimulatedNode(place, fleet, Incidents.NONE, first - TICK));
      ever.add(new HashSet<>());
      // Shares and rates have values from the second reading on.
      next(place.number(), first - TICK);
      ever.getLast().clear();
    }
  }

  private static Set<String> named(String prefix, String names) {
    return Arrays.stream(names.split(" ")).map(prefix::concat).collect(Collectors.toSet());
  }

  private static Place place(int host) {
    return new Place(host, 1 + host / NODES_OF_RACK, host % NODES_OF_RACK, Board.H100, false);
  }

  public static String name(int host) {
    return place(host).hostname();
  }

  public int size() {
    return nodes.size();
  }

  /** The next tick of a host. */
  public Tick next(int host, long time) {
    Tick all;
    try {
      all = nodes.get(host).tick(time).orElseThrow();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    List<Labels> series = new ArrayList<>(SERIES);
    double[] values = new double[all.size()];
    for (int i = 0; i < all.size(); i++) {
      if (METRICS.contains(all.series().get(i).metric())) {
        values[series.size()] = all.values()[i];
        series.add(all.series().get(i));
        if (!Staleness.isMarker(all.values()[i])) {
          ever.get(host).add(all.series().get(i));
        }
      }
    }
    return new Tick(all.time(), series, Arrays.copyOf(values, series.size()));
  }

  /** Label sets that have existed, of all hosts. */
  public long seriesEver() {
    return ever.stream().mapToLong(Set::size).sum();
  }

  /** Mean length of names and values of a series' labels, bytes. */
  public double labelBytes() {
    return ever.stream().flatMap(Set::stream).mapToInt(GpuFleet::bytes).average().orElse(0);
  }

  private static int bytes(Labels labels) {
    int bytes = 0;
    for (int i = 0; i < labels.size(); i++) {
      bytes += labels.name(i).length() + labels.value(i).length();
    }
    return bytes;
  }

  @Override
  public void close() {
    nodes.forEach(SimulatedNode::close);
  }
}
