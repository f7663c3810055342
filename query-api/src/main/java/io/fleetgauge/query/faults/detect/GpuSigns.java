package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import java.util.List;
import java.util.function.Consumer;

/** Finds the faults of GPUs in {@link SignTable}. Allocates nothing while no sign is there. */
final class GpuSigns implements HostDetector {
  private final SignRow[] rows;
  private final PerGpu<Gpu> gpus;

  private static final class Gpu {
    final SignRow.State[] states;

    Gpu(SignRow.State[] states) {
      this.states = states;
    }
  }

  GpuSigns(Thresholds thresholds) {
    List<SignRow> table = SignTable.ofGpu(thresholds);
    rows = table.toArray(SignRow[]::new);
    gpus = new PerGpu<>(() -> new Gpu(SignRow.begin(table)));
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick at : tick.gpus()) {
      Gpu gpu = gpus.of(tick, at);
      for (int i = 0; i < rows.length; i++) {
        rows[i].look(tick, at, "", at.readings(), gpu.states[i], out);
      }
    }
  }
}
