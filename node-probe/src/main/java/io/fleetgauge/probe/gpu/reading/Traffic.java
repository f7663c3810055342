package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counters of data on links, and the rates between two readings that dcgm-exporter shows. The
 * driver counts some with 32 bits; here they go on.
 */
final class Traffic {
  private static final double NANOS = 1e9;
  private static final double KIB = 1024;
  private static final long NARROW = 1L << 32;

  /** No GPU moves a hundred terabytes a second. */
  private static final double MOST_PER_SECOND = 1e14;

  /** A rate: the flows that are added, and what their sum per second is divided by. */
  private record Rate(Tier tier, Labels series, int first, int second, double factor) {}

  private final Labels gpu;
  private final List<FieldRead> flows = new ArrayList<>();
  private final List<Rate> rates = new ArrayList<>();
  private long[] raw = new long[0];
  private long[] total = new long[0];
  private long[] at = new long[0];
  private double[] perSecond = new double[0];

  /** True if GPM gives the rates of PCIe and NVLink, which it measures itself. */
  private boolean measuredElsewhere;

  Traffic(Labels gpu) {
    this.gpu = gpu;
  }

  /** Metrics that a flow gives: its own, and rates that are made of it. */
  static List<String> metrics(FieldRead flow) {
    String own = flow.metric().name();
    boolean isOfLink = !flow.own().value("nvlink").isEmpty();
    return switch (flow.field()) {
      case 138, 139 ->
          isOfLink
              ? List.of(own, "DCGM_FI_DEV_NVLINK_BANDWIDTH_L" + flow.scope())
              : List.of(
                  own,
                  "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
                  "DCGM_FI_DEV_NVLINK_" + (flow.field() == 138 ? "TX" : "RX") + "_BANDWIDTH_TOTAL");
      case 197 -> List.of(own, "DCGM_FI_PROF_PCIE_TX_BYTES");
      case 198 -> List.of(own, "DCGM_FI_PROF_PCIE_RX_BYTES");
      default -> List.of(own);
    };
  }

  void measuredElsewhere(boolean isMeasured) {
    measuredElsewhere = isMeasured;
  }

  /** Place of a flow that is taken from now on, and the rates that it gives. */
  int place(Tier tier, FieldRead read) {
    int place = flows.size();
    flows.add(read);
    raw = Arrays.copyOf(raw, place + 1);
    total = Arrays.copyOf(total, place + 1);
    at = Arrays.copyOf(at, place + 1);
    perSecond = Arrays.copyOf(perSecond, place + 1);
    raw[place] = -1;
    perSecond[place] = Double.NaN;
    switch (read.field()) {
      case 138 -> rate(tier, read, "TX", place, -1);
      case 139 -> {
        rate(tier, read, "RX", place, -1);
        rate(tier, read, "", place - 1, place);
      }
      case 140, 141 -> rates.add(new Rate(tier, named(read.metric().name()), place, -1, KIB));
      case 197 -> rates.add(new Rate(tier, named("DCGM_FI_PROF_PCIE_TX_BYTES"), place, -1, 1));
      case 198 -> rates.add(new Rate(tier, named("DCGM_FI_PROF_PCIE_RX_BYTES"), place, -1, 1));
      default -> throw new IllegalArgumentException("field " + read.field() + " is no flow");
    }
    return place;
  }

  /** dcgm-exporter's MB per second are thousands of KiB. */
  private void rate(Tier tier, FieldRead read, String way, int first, int second) {
    if (tier == Tier.LINK) {
      if (second >= 0) {
        Labels series = named("DCGM_FI_DEV_NVLINK_BANDWIDTH_L" + read.scope());
        rates.add(new Rate(tier, series, first, second, 1 / 1000.0));
      }
    } else if (second >= 0) {
      Labels series = named("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL");
      rates.add(new Rate(tier, series, first, second, 1 / 1000.0));
    } else {
      Labels series = named("DCGM_FI_DEV_NVLINK_" + way + "_BANDWIDTH_TOTAL");
      rates.add(new Rate(Tier.EXTENDED, series, first, second, 1 / 1000.0));
    }
  }

  private Labels named(String metric) {
    return gpu.with(Labels.NAME, metric);
  }

  /**
   * Takes a counter as the driver tells it.
   *
   * @return the same counter without wrapping around; -1 when it cannot have grown so much
   */
  long take(int place, long value, boolean narrow, long now) {
    if (raw[place] < 0) {
      total[place] = value;
      perSecond[place] = Double.NaN;
    } else {
      long more = value - raw[place];
      if (more < 0 && narrow) {
        more += NARROW;
      }
      double seconds = (now - at[place]) / NANOS;
      if (more < 0) {
        total[place] = value; // the driver began anew
        perSecond[place] = Double.NaN;
      } else if (more > Math.max(1, seconds) * MOST_PER_SECOND) {
        raw[place] = value; // what comes next is counted from here
        return -1;
      } else {
        total[place] += more;
        perSecond[place] = seconds > 0 ? more / seconds : Double.NaN;
      }
    }
    raw[place] = value;
    at[place] = now;
    return total[place];
  }

  /** Adds the rates of flows that were taken in this reading. */
  void emit(GpuSnapshot readings, long now) {
    for (int i = 0; i < rates.size(); i++) {
      Rate rate = rates.get(i);
      boolean measured = measuredElsewhere && rate.series().metric().startsWith("DCGM_FI_PROF_");
      if (measured || at[rate.first()] != now) {
        continue;
      }
      double value = perSecond[rate.first()];
      if (rate.second() >= 0) {
        value = at[rate.second()] == now ? value + perSecond[rate.second()] : Double.NaN;
      }
      if (!Double.isNaN(value)) {
        readings.add(rate.tier(), rate.series(), value * rate.factor());
      }
    }
  }
}
