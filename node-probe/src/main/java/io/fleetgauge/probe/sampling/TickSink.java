package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Tick;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes what a sampler has read, on the sampling thread.
 *
 * @param ticks takes every tick
 * @param past takes what was read with times of its own, in order of time
 */
public record TickSink(Consumer<Tick> ticks, Consumer<List<Tick>> past) {
  /** Takes nothing. */
  public static final TickSink NONE = new TickSink(tick -> {}, past -> {});
}
