package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/** Series of the owners of GPUs; it never waits. It reads after the processes on the GPUs. */
public final class AttributionSampling implements Reader {
  private static final double MILLIS = 1000;

  private final Attribution attribution;
  private final Supplier<List<GpuIdentity>> gpus;
  private final TickClass core;

  /**
   * @param gpus the GPUs of the node
   */
  public AttributionSampling(
      Attribution attribution, Supplier<List<GpuIdentity>> gpus, TickClass core) {
    this.attribution = attribution;
    this.gpus = gpus;
    this.core = core;
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
    Attribution.State state = attribution.now();
    for (GpuIdentity gpu : gpus.get()) {
      gpu(out, state, gpu.labels(), !gpu.instances().isEmpty());
      gpu.instances().stream()
          .map(GpuIdentity.Instance::labels)
          .distinct()
          .forEach(instance -> gpu(out, state, instance, false));
    }
    for (int i = 0; i < state.knowledge().size(); i++) {
      OwnerSource source = attribution.sources().get(i);
      if (source.isThere()) {
        source(out, source, state.knowledge().get(i));
        source.addTo(out, core);
      }
    }
    for (Attribution.Disagreement kind : Attribution.Disagreement.values()) {
      int count = state.disagreements().getOrDefault(kind, Set.of()).size();
      String label = kind.name().toLowerCase(Locale.ROOT);
      out.add(core, "gpu_attribution_disagreements", Labels.of("kind", label), count);
    }
  }

  /** A GPU that is divided is given away by its instances. */
  private void gpu(Readings out, Attribution.State state, Labels labels, boolean isDivided) {
    List<Attribution.Statement> statements =
        state.statements().getOrDefault(GpuOwners.Gpu.of(labels), List.of());
    boolean isAllocated =
        statements.stream().anyMatch(each -> each.source().basis() == Basis.ALLOCATION);
    if (state.tellsAllocation() && (!isDivided || isAllocated)) {
      out.add(core, "gpu_allocated", labels, isAllocated ? 1 : 0);
    }
    for (int i = 0; i < statements.size(); i++) {
      Attribution.Statement one = statements.get(i);
      // Owners are told apart by time only: what is true of several at once needs a label.
      Labels info =
          labels
              .with(one.owner())
              .with(GpuOwners.SLOT, Integer.toString(i))
              .with("source", one.source().name())
              .with("basis", one.source().basis().label());
      out.add(core, "gpu_allocation_info", info, 1);
    }
  }

  private void source(Readings out, OwnerSource source, OwnerSource.Knowledge knowledge) {
    Labels labels = Labels.of("source", source.name());
    out.add(core, "gpu_attribution_up", labels, knowledge.isUp() ? 1 : 0);
    out.add(core, "gpu_attribution_claims", labels, knowledge.claims().size());
    out.add(core, "gpu_attribution_errors_total", labels, knowledge.errors());
    out.add(core, "gpu_attribution_unresolved_devices", labels, knowledge.unresolved());
    knowledge
        .ageMillis()
        .ifPresent(age -> out.add(core, "gpu_attribution_age_seconds", labels, age / MILLIS));
  }
}
