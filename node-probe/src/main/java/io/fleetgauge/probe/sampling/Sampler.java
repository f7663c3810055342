package io.fleetgauge.probe.sampling;

import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads at every tick what is due. Ticks are at multiples of their length since the epoch, so that
 * the times of all series are regular and those of all nodes agree.
 */
public final class Sampler implements ProbePart {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

  private final List<SampledReader> sources;
  private final TickAssembly assembly;
  private final Health health;
  private final TickAssembly.Part ownSeries = new TickAssembly.Part();
  private final TickSink out;
  private final LongSupplier clock;
  private final Supplier<GpuOwners> owners;
  private final LongSupplier nanos;
  private final Duration tick;
  private final ReadingThreads reading;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sampling").factory());
  private volatile List<Tick> newest = List.of();

  /**
   * @param readers where two have the same series, the first one's counts
   * @param owners who owns the GPUs in this tick; asked when the readers have read, never waits
   * @param job value of the label {@code job} of {@code up}
   * @param clock ms since the epoch
   */
  public Sampler(
      List<Reader> readers,
      NodeLabels node,
      Supplier<GpuOwners> owners,
      String job,
      Duration tick,
      LongSupplier clock,
      TickSink out) {
    this(readers, node, owners, job, tick, clock, System::nanoTime, out);
  }

  /**
   * @param nanos a clock that only moves forward, by which durations are measured
   */
  public Sampler(
      List<Reader> readers,
      NodeLabels node,
      Supplier<GpuOwners> owners,
      String job,
      Duration tick,
      LongSupplier clock,
      LongSupplier nanos,
      TickSink out) {
    this.sources = readers.stream().map(reader -> new SampledReader(reader, tick)).toList();
    this.assembly = new TickAssembly(node);
    this.health = new Health(job, sources, tick);
    this.owners = owners;
    this.out = out;
    this.clock = clock;
    this.tick = tick;
    this.nanos = nanos;
    this.reading = new ReadingThreads(nanos);
  }

  /** Reads once, now, and then at every tick. */
  @Override
  public void start() {
    thread.execute(() -> read(clock.getAsLong()));
    next();
  }

  /** The newest reading of every series whose reader answers, as one tick. */
  public Tick last() {
    Tick.Builder last = new Tick.Builder();
    for (Tick piece : newest) {
      for (int i = 0; i < piece.size(); i++) {
        last.add(piece.series().get(i), piece.values()[i]);
      }
    }
    return last.at(0);
  }

  @Override
  public void declare(Meters meters) {
    meters.counter(
        "samples_left_out",
        "Samples that are not sent because relabel rules drop them or two readers have the series;"
            + " they do not count as read.",
        assembly::leftOut);
  }

  private void next() {
    long now = clock.getAsLong();
    long millis = tick.toMillis();
    long time = (now / millis + 1) * millis;
    thread.schedule(
        () -> {
          try {
            read(time);
          } finally {
            next();
          }
        },
        time - now,
        TimeUnit.MILLISECONDS);
  }

  private void read(long time) {
    try {
      out.ticks().accept(readAt(time));
      List<Tick> dated = dated();
      if (!dated.isEmpty()) {
        out.past().accept(dated);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("the reading at {} failed", time, e);
    }
  }

  /** Reads what is due at a time: the tick of that time. Times need not ascend. */
  public Tick readAt(long time) throws InterruptedException {
    long begun = nanos.getAsLong();
    List<ReadingThreads.Call> calls = new ArrayList<>();
    for (SampledReader source : sources) {
      source.begin(time).ifPresent(calls::add);
    }
    calls.forEach(call -> call.reader.begin(call.due, time));
    // Half a tick for the readers leaves the other half for everything else.
    reading.run(calls, tick.dividedBy(2));
    assembly.follow(owners.get());
    List<Tick> pieces = new ArrayList<>();
    for (SampledReader source : sources) {
      source.end(time, assembly);
      pieces.addAll(source.newest());
    }
    assembly.read(ownSeries, health.read(time, nanos.getAsLong() - begun, assembly.counts()));
    pieces.add(ownSeries.last());
    newest = List.copyOf(pieces);
    return assembly.at(time);
  }

  /** Takes out what was read since the last call with times of its own: a tick for each time. */
  public List<Tick> dated() {
    return assembly.dated();
  }

  @Override
  public void close() {
    thread.shutdownNow();
    reading.close();
    try {
      if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
        LOG.warn("a reading is still under way");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
