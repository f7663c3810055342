package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.sample.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Finds the faults of {@link GpuSigns}. Allocates nothing while no sign is there. */
final class GpuStates implements HostDetector {
  private final GpuSign[] signs;
  private final PerGpu<State> states;

  private static final class State {
    final Spell[] spells;

    /** Readings of each sign when it was not there last. */
    final double[][] before;

    Labels owner = Labels.EMPTY;

    State(GpuSign[] signs) {
      spells = new Spell[signs.length];
      before = new double[signs.length][];
      for (int i = 0; i < signs.length; i++) {
        spells[i] = new Spell();
        before[i] = new double[signs[i].shown().size()];
        Arrays.fill(before[i], Double.NaN);
      }
    }
  }

  GpuStates(List<GpuSign> signs) {
    this.signs = signs.toArray(GpuSign[]::new);
    this.states = new PerGpu<>(() -> new State(this.signs));
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      State state = states.of(tick, gpu);
      boolean changedHands = !gpu.owner().equals(state.owner);
      state.owner = gpu.owner();
      for (int i = 0; i < signs.length; i++) {
        if (changedHands && signs[i].ofOwner()) {
          state.spells[i].end();
        }
        look(tick, gpu, state, i, out);
      }
    }
  }

  private void look(HostTick tick, GpuTick gpu, State state, int at, Consumer<Finding> out) {
    GpuSign sign = signs[at];
    Spell spell = state.spells[at];
    Sign seen = sign.check().at(gpu, spell.isOn());
    if (seen == Sign.ABSENT) {
      for (int i = 0; i < state.before[at].length; i++) {
        double value = sign.shown().get(i).read(gpu);
        if (!Double.isNaN(value)) {
          state.before[at][i] = value;
        }
      }
    }
    long from = seen == Sign.PRESENT ? sign.from(gpu, tick.time()) : tick.time();
    if (!spell.next(seen, from, tick.time(), sign.after())) {
      return;
    }
    if (seen == Sign.PRESENT) {
      Evidence[] evidence = new Evidence[state.before[at].length];
      for (int i = 0; i < evidence.length; i++) {
        GpuSign.Shown shown = sign.shown().get(i);
        evidence[i] = new Evidence(shown.what(), state.before[at][i], shown.read(gpu));
      }
      spell.told(
          Finding.of(
              sign.kind(),
              Subject.of(tick, gpu),
              spell.since(),
              sign.cause().apply(gpu),
              sign.text().apply(gpu),
              evidence));
    }
    out.accept(spell.last());
  }
}
