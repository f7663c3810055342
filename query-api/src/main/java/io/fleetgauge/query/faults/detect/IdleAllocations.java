package io.fleetgauge.query.faults.detect;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Finds GPUs that are allocated and do nothing. How long that is accepted depends on who has the
 * GPU: interactive jobs may do nothing for longer, some for ever, and the first minutes of a job do
 * not count. Allocates nothing while owners stay.
 */
final class IdleAllocations implements HostDetector {
  private final SignRow usual;
  private final SignRow interactive;
  private final List<List<Matcher>> isInteractive;
  private final List<List<Matcher>> isExempt;
  private final long grace;
  private final PerGpu<Gpu> gpus;

  /** When restored allocations became idle, by UUID, ms. */
  private final Map<String, Long> restored = new HashMap<>();

  private static final class Gpu {
    final SignRow.State state;

    /** Null before the first tick. */
    Labels owner;

    /** Null if it is exempt. */
    SignRow row;

    long graceUntil = Long.MIN_VALUE;

    Gpu(SignRow.State state) {
      this.state = state;
    }
  }

  IdleAllocations(Thresholds thresholds) {
    Thresholds.OfKind limits = thresholds.of(FaultKind.IDLE_ALLOCATION);
    usual = SignTable.idle(thresholds, "after");
    interactive = SignTable.idle(thresholds, "interactiveAfter");
    isInteractive = limits.selectors("interactive");
    isExempt = limits.selectors("exempt");
    grace = limits.millis("grace");
    gpus = new PerGpu<>(() -> new Gpu(SignRow.begin(List.of(usual))[0]));
  }

  @Override
  public void restore(FaultKind kind, Subject subject, long since) {
    if (kind == FaultKind.IDLE_ALLOCATION) {
      restored.put(subject.uuid(), since);
    }
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick at : tick.gpus()) {
      Gpu gpu = gpus.of(tick, at);
      if (!at.owner().equals(gpu.owner)) {
        changeHands(gpu, tick, at);
      }
      if (gpu.row != null && tick.time() >= gpu.graceUntil) {
        gpu.row.look(tick, at, "", at.readings(), gpu.state, out);
      }
    }
  }

  private void changeHands(Gpu gpu, HostTick tick, GpuTick at) {
    SignRow.ownerChanged(gpu.state);
    if (gpu.owner == null) {
      // Nobody knows when a job began that is there already.
      Long since = restored.remove(at.uuid());
      if (since != null && since <= tick.time()) {
        SignRow.resume(gpu.state, since, tick.time());
      }
    } else {
      gpu.graceUntil = tick.time() + grace;
    }
    gpu.owner = at.owner();
    Labels labels = Subject.of(tick, at).labels();
    gpu.row = isOne(labels, isExempt) ? null : isOne(labels, isInteractive) ? interactive : usual;
  }

  private static boolean isOne(Labels labels, List<List<Matcher>> selectors) {
    for (List<Matcher> selector : selectors) {
      if (selector.stream().allMatch(each -> each.matches(labels.value(each.name())))) {
        return true;
      }
    }
    return false;
  }
}
