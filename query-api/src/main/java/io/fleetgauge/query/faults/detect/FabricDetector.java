package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.FABRIC_CLIQUE;
import static io.fleetgauge.query.faults.reading.Signal.FABRIC_CLUSTER;
import static io.fleetgauge.query.faults.reading.Signal.FABRIC_COMPLETED;
import static io.fleetgauge.query.faults.reading.Signal.FABRIC_SUCCESS;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Finds GPUs that are not part of their NVLink fabric: the registration has not completed or not
 * succeeded, or it has no clique or no cluster. Fabrics of one node have neither of the last two.
 */
final class FabricDetector implements HostDetector {
  private final long after;
  private final PerGpu<State> states = new PerGpu<>(State::new);

  /** What has to be, the first that is not met is the cause. */
  private enum Condition {
    COMPLETED(
        FABRIC_COMPLETED,
        "registration has completed",
        "The registration with the NVLink fabric has not completed."),
    SUCCESS(
        FABRIC_SUCCESS,
        "registration has succeeded",
        "The registration with the NVLink fabric has failed."),
    CLIQUE(FABRIC_CLIQUE, "has a clique", "The GPU has no clique in its NVLink fabric."),
    CLUSTER(
        FABRIC_CLUSTER, "has a cluster", "The GPU does not know the cluster of its NVLink fabric.");

    static final Condition[] ALL = values();

    final Signal signal;
    final String evidence;
    final String text;

    Condition(Signal signal, String evidence, String text) {
      this.signal = signal;
      this.evidence = evidence;
      this.text = text;
    }
  }

  private static final class State {
    final Spell spell = new Spell();
    final boolean[] wasMet = new boolean[Condition.ALL.length];
  }

  FabricDetector(Thresholds thresholds) {
    after = thresholds.of(FaultKind.FABRIC).millis("after");
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      State state = states.of(tick, gpu);
      Condition missing = missing(gpu, state);
      boolean isRead = gpu.has(FABRIC_COMPLETED) || gpu.has(FABRIC_SUCCESS);
      Sign sign = missing != null ? Sign.PRESENT : isRead ? Sign.ABSENT : Sign.UNREAD;
      if (state.spell.on(sign, tick.time(), tick.time(), after, out)) {
        Evidence[] evidence = new Evidence[Condition.ALL.length];
        for (Condition each : Condition.ALL) {
          evidence[each.ordinal()] = new Evidence(each.evidence, 1, gpu.get(each.signal));
        }
        String cause = missing.name().toLowerCase(Locale.ROOT);
        state.spell.tell(
            Finding.of(
                FaultKind.FABRIC,
                Subject.of(tick, gpu),
                state.spell.since(),
                cause,
                missing.text,
                evidence),
            out);
      }
    }
  }

  /** The first condition that is not met; null for none. */
  private static Condition missing(GpuTick gpu, State state) {
    Condition missing = null;
    for (Condition each : Condition.ALL) {
      double value = gpu.get(each.signal);
      boolean wasMet = state.wasMet[each.ordinal()] |= value > 0;
      boolean isExpected = each.compareTo(Condition.CLIQUE) < 0 || wasMet || isOfSeveralNodes(gpu);
      missing = missing == null && value == 0 && isExpected ? each : missing;
    }
    return missing;
  }

  private static boolean isOfSeveralNodes(GpuTick gpu) {
    return gpu.model().contains("GB200") || gpu.model().contains("GB300");
  }
}
