package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.reading.FieldRead.Kind;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.FieldValues;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.Tier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The batch of fields of one tier of one GPU: one call reads all that the GPU supports. */
final class FieldPlan {
  /** Names of the states of a link. */
  private static final String[] STATES = {"inactive", "active", "sleep"};

  private final Tier tier;
  private final FieldRead[] reads;
  private final Support[] support;

  /** The series of each field; of a state the first of its series. */
  private final int[] target;

  private final Labels[] series;
  private final double[] sums;
  private final boolean[] told;
  private final FieldValues values;
  private final Traffic traffic;

  /** Place of each field in {@link Traffic}; -1 for other fields. */
  private final int[] flow;

  /** Fields of the batch, by place in {@link #reads}. */
  private final int[] asked;

  FieldPlan(
      Nvml nvml,
      Tier tier,
      List<FieldRead> list,
      Labels gpu,
      SupportedMetrics supported,
      Traffic traffic) {
    this.tier = tier;
    this.traffic = traffic;
    reads = list.toArray(FieldRead[]::new);
    support = new Support[reads.length];
    target = new int[reads.length];
    flow = new int[reads.length];
    asked = new int[reads.length];
    Map<Labels, Integer> places = new LinkedHashMap<>();
    for (int i = 0; i < reads.length; i++) {
      FieldRead read = reads[i];
      support[i] =
          supported.question(
              read.kind() == Kind.TRAFFIC ? Traffic.metrics(read) : List.of(read.metric().name()));
      flow[i] = read.kind() == Kind.TRAFFIC ? traffic.place(tier, read) : -1;
      Labels of = gpu.with(read.own()).with(Labels.NAME, read.metric().name());
      if (read.kind() == Kind.STATE) {
        for (String state : STATES) {
          places.putIfAbsent(of.with("state", state), places.size());
        }
        target[i] = places.get(of.with("state", STATES[0]));
      } else {
        places.putIfAbsent(of, places.size());
        target[i] = places.get(of);
      }
    }
    series = places.keySet().toArray(Labels[]::new);
    sums = new double[series.length];
    told = new boolean[series.length];
    values = nvml.fields(reads.length);
  }

  /**
   * Reads the batch.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, NvmlDevice device, GpuSnapshot readings, ValueCounts counts, long now) {
    int count = 0;
    for (int i = 0; i < reads.length; i++) {
      if (support[i].isWorthAsking(now)) {
        asked[count] = i;
        values.ask(count++, reads[i].field(), reads[i].scope());
      }
    }
    if (count == 0) {
      return NvmlReturn.SUCCESS;
    }
    int code = nvml.fields(device, count, values);
    if (code != NvmlReturn.SUCCESS) {
      for (int k = 0; k < count; k++) {
        support[asked[k]].answered(code, now);
      }
      return code;
    }
    Arrays.fill(sums, 0);
    Arrays.fill(told, false);
    code = take(nvml, count, counts, now);
    for (int i = 0; i < series.length; i++) {
      if (told[i]) {
        readings.add(tier, series[i], sums[i]);
      }
    }
    return code;
  }

  private int take(Nvml nvml, int count, ValueCounts counts, long now) {
    for (int k = 0; k < count; k++) {
      int i = asked[k];
      int code = values.code(k);
      support[i].answered(code, now);
      if (code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code)) {
        return code;
      }
      if (code != NvmlReturn.SUCCESS) {
        nvml.log().failed(NvmlCall.FIELDS, code);
        continue;
      }
      FieldRead read = reads[i];
      double raw = read.kind() == Kind.BITS32 ? values.whole(k) & 0xffffffffL : values.number(k);
      double value = raw / read.divisor();
      if (!(value <= read.most()) || Double.isInfinite(value)) {
        counts.dropped(NvmlCall.FIELDS);
      } else if (value >= read.least()) {
        take(i, k, value, counts, now);
      } else if (read.least() <= 0) {
        counts.dropped(NvmlCall.FIELDS);
      }
    }
    return NvmlReturn.SUCCESS;
  }

  private void take(int i, int k, double value, ValueCounts counts, long now) {
    int place = target[i];
    if (reads[i].kind() == Kind.STATE) {
      for (int state = 0; state < STATES.length; state++) {
        sums[place + state] += state == (int) value ? 1 : 0;
        told[place + state] = true;
      }
      return;
    }
    if (flow[i] >= 0) {
      long total = traffic.take(flow[i], values.whole(k), values.isNarrow(k), now);
      if (total < 0) {
        counts.dropped(NvmlCall.FIELDS);
      } else if (reads[i].metric().isCounter()) {
        sums[place] = total / reads[i].divisor();
        told[place] = true;
      }
      return;
    }
    if (reads[i].kind() == Kind.INSTEAD && told[place]) {
      return;
    }
    sums[place] += value;
    told[place] = true;
  }
}
