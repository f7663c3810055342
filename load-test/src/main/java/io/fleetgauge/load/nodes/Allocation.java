package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.SimulatedGpu;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Allocation of each GPU to a job or pod, as attribution tells it. */
final class Allocation implements Reader {
  private final List<Labels> series = new ArrayList<>();
  private final TickClass core;
  private final UnaryOperator<Labels> owner;
  private final Function<Labels, List<Labels>> sharers;

  /**
   * @param owner labels of who has a GPU or instance, by its series
   * @param sharers labels of those who share a GPU, by its series; none if nobody shares it
   */
  Allocation(
      List<SimulatedGpu> gpus,
      TickClass core,
      UnaryOperator<Labels> owner,
      Function<Labels, List<Labels>> sharers) {
    this.core = core;
    this.owner = owner;
    this.sharers = sharers;
    for (int i = 0; i < gpus.size(); i++) {
      Labels gpu = OwnerReadout.labels(i, gpus.get(i)).with(Labels.NAME, "gpu_allocated");
      if (gpus.get(i).instances() == 0) {
        series.add(gpu);
      }
      for (int instance = 1; instance <= gpus.get(i).instances(); instance++) {
        series.add(gpu.with("GPU_I_ID", "" + instance).with("GPU_I_PROFILE", "3g.40gb"));
      }
    }
  }

  @Override
  public String name() {
    return "attribution";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    for (Labels each : series) {
      List<Labels> among = sharers.apply(each);
      boolean isFree = among.isEmpty() && owner.apply(each).value("job").isEmpty();
      out.add(core, each, isFree ? 0 : 1);
      for (int slot = 0; slot < among.size(); slot++) {
        Labels info = each.with(Labels.NAME, "gpu_allocation_info").with(among.get(slot));
        out.add(core, info.with(GpuOwners.SLOT, "" + slot).with("basis", "allocation"), 1);
      }
    }
  }
}
