package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.FABRIC_CLIQUE;
import static io.fleetgauge.query.faults.reading.Signal.FABRIC_CLUSTER;
import static io.fleetgauge.query.faults.reading.Signal.FABRIC_COMPLETED;
import static io.fleetgauge.query.faults.reading.Signal.FABRIC_SUCCESS;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.function.Consumer;

/**
 * Finds GPUs that are not part of their NVLink fabric: the registration has not completed or not
 * succeeded, or it has no clique or no cluster. Fabrics of one node have neither of the last two.
 */
final class FabricDetector implements HostDetector {
  private final long after;
  private final PerGpu<State> states = new PerGpu<>(State::new);

  private static final class State {
    final Spell spell = new Spell();
    boolean hadClique;
    boolean hadCluster;
  }

  FabricDetector(Thresholds thresholds) {
    after = thresholds.of(FaultKind.FABRIC).millis("after");
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      look(tick, gpu, states.of(tick, gpu), out);
    }
  }

  private void look(HostTick tick, GpuTick gpu, State state, Consumer<Finding> out) {
    state.hadClique |= gpu.get(FABRIC_CLIQUE) > 0;
    state.hadCluster |= gpu.get(FABRIC_CLUSTER) > 0;
    Signal missing = missing(gpu, state);
    Sign sign =
        missing != null
            ? Sign.PRESENT
            : gpu.has(FABRIC_COMPLETED) || gpu.has(FABRIC_SUCCESS) ? Sign.ABSENT : Sign.UNREAD;
    if (state.spell.on(sign, tick.time(), tick.time(), after, out)) {
      state.spell.tell(
          Finding.of(
              FaultKind.FABRIC,
              Subject.of(tick, gpu),
              state.spell.since(),
              word(missing),
              text(missing),
              new Evidence("registration has completed", 1, gpu.get(FABRIC_COMPLETED)),
              new Evidence("registration has succeeded", 1, gpu.get(FABRIC_SUCCESS)),
              new Evidence("has a clique", 1, gpu.get(FABRIC_CLIQUE)),
              new Evidence("has a cluster", 1, gpu.get(FABRIC_CLUSTER))),
          out);
    }
  }

  /** The first condition that is not met; null for none. */
  private static Signal missing(GpuTick gpu, State state) {
    if (gpu.get(FABRIC_COMPLETED) == 0) {
      return FABRIC_COMPLETED;
    }
    if (gpu.get(FABRIC_SUCCESS) == 0) {
      return FABRIC_SUCCESS;
    }
    if (gpu.get(FABRIC_CLIQUE) == 0 && (state.hadClique || isOfSeveralNodes(gpu))) {
      return FABRIC_CLIQUE;
    }
    return gpu.get(FABRIC_CLUSTER) == 0 && (state.hadCluster || isOfSeveralNodes(gpu))
        ? FABRIC_CLUSTER
        : null;
  }

  private static boolean isOfSeveralNodes(GpuTick gpu) {
    return gpu.model().contains("GB200") || gpu.model().contains("GB300");
  }

  private static String word(Signal missing) {
    return switch (missing) {
      case FABRIC_COMPLETED -> "completed";
      case FABRIC_SUCCESS -> "success";
      case FABRIC_CLIQUE -> "clique";
      default -> "cluster";
    };
  }

  private static String text(Signal missing) {
    return switch (missing) {
      case FABRIC_COMPLETED -> "The registration with the NVLink fabric has not completed.";
      case FABRIC_SUCCESS -> "The registration with the NVLink fabric has failed.";
      case FABRIC_CLIQUE -> "The GPU has no clique in its NVLink fabric.";
      default -> "The GPU does not know the cluster of its NVLink fabric.";
    };
  }
}
