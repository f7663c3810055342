package io.fleetgauge.query.faults.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.derived.DerivedWriter;
import io.fleetgauge.query.derived.SlotData;
import io.fleetgauge.query.faults.api.FaultContext;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.tell.FaultReceivers;
import io.fleetgauge.query.rules.ownership.SingleOwner;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.fleetgauge.sample.gpu.OwnerLabels;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for faults from step to step while this query API owns them. Everything but the detectors
 * runs on the event loop of the link, which never waits; public methods are safe for all threads.
 */
public final class RunningFaults implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningFaults.class);
  private static final String TOPIC = "faults";
  private static final long TICK_MILLIS = 100;
  private static final long RETRY_MILLIS = 1_000;
  private static final long STOP_MILLIS = 2_500;

  /** Samples of this time before the first step that is published are read again, ms. */
  private static final long HISTORY_MILLIS = 3_600_000;

  /** So long the hosts of a gateway that is gone are waited for, ms. */
  private static final long PATIENCE_MILLIS = 60_000;

  /** A step that is older is past: samples may have come since. */
  private static final long PAST_MILLIS = 2 * PATIENCE_MILLIS;

  /** A host that has sent nothing for so long is not read by itself any more, ms. */
  private static final long FORGOTTEN_MILLIS = 86_400_000;

  /** Steps of one host that are read at once when many are to be read again. */
  private static final int HOST_STEPS_AT_ONCE = 2_000;

  private static final int STEPS_AT_ONCE = 20;

  private final Vertx vertx;
  private final Context context;
  private final FaultsEnvironment environment;
  private final PeerLink link;
  private final WorkerExecutor worker;
  private final FaultReads reads;
  private final SlotData data;
  private final DerivedWriter<String> writer;
  private final FaultCounts counts = new FaultCounts();
  private final Telling telling;
  private final StoredInventory inventory;
  private final long interval;
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private SingleOwner owner;
  private byte lastNote;
  private volatile Run run;
  private long retryAt;
  private long restoringTerm = -1;
  private long restoringSince;
  private long ticks = -1;

  /** The evaluation in one term of ownership. */
  private static final class Run {
    final long term;

    /** Used by the worker. */
    Evaluation evaluation;

    /** Steps up to this one have been published by others, ms since the epoch. */
    long published;

    /** The last step that was gone to. */
    long last;

    /** The newest sample of each host. */
    final Map<String, Long> newest = new HashMap<>();

    /** Hosts that could not be read at the last step. */
    Set<String> missing = Set.of();

    boolean isBusy = true;

    Run(long term) {
      this.term = term;
    }
  }

  private record Computed(
      List<Evaluation.Outcome> outcomes, Map<String, Long> newest, double took) {}

  private RunningFaults(Vertx vertx, FaultsEnvironment environment) {
    this.vertx = vertx;
    this.environment = environment;
    this.link = environment.link();
    this.context = link.context();
    this.worker = vertx.createSharedWorkerExecutor("faults", 1);
    this.reads = new FaultReads(environment.querier(), environment.timeout());
    this.data = new SlotData(context, environment.querier()::watermark, environment.clock());
    this.writer =
        new DerivedWriter<>(
            "faults",
            "samples of faults",
            context,
            environment.http(),
            Optional.of(environment.view()));
    this.telling =
        new Telling(
            context,
            sample -> writer.writeNow(List.of(sample), () -> true),
            of ->
                reads
                    .samples(FaultContext.selections(of))
                    .map(reply -> FaultContext.of(of.episode(), reply.value())));
    this.inventory =
        new StoredInventory(
            context, worker, writer, reads, environment.inventory(), environment.planned());
    this.interval = environment.settings().interval().toMillis();
  }

  /** The evaluation of faults, which runs from {@link #start} on. */
  public static RunningFaults of(Vertx vertx, FaultsEnvironment environment) {
    return new RunningFaults(vertx, environment);
  }

  /** Tells receivers, who say what they take by {@link #taken}; before {@link #start}. */
  public void tell(FaultReceivers receivers) {
    telling.to(receivers);
  }

  /** A receiver has taken a state of an episode. */
  public void taken(String receiver, String episode, String state) {
    link.run(() -> telling.taken(receiver, episode, state));
  }

  /**
   * Begins to run; the link has started.
   *
   * @param name of this query API, which it keeps over restarts
   */
  public void start(String name) {
    context.runOnContext(
        none -> {
          owner = new SingleOwner(TOPIC, name);
          link.tell(TOPIC, false, owner::note);
          tick();
          ticks = vertx.setPeriodic(TICK_MILLIS, timer -> tick());
        });
  }

  private void tick() {
    long steady = PeerLink.now();
    owner.tick(steady, link.list());
    byte note = owner.note()[0];
    if (note != lastNote) {
      lastNote = note;
      link.beatSoon();
    }
    if (run != null && !owner.mayPublish(run.term, steady)) {
      drop();
    }
    long now = environment.clock().getAsLong();
    if (steady < retryAt) {
      return;
    }
    if (run == null && owner.mayBegin(steady)) {
      if (restoringTerm != owner.term()) {
        restoringTerm = owner.term();
        restoringSince = steady;
      }
      run = new Run(owner.term());
      restore(run, now);
    } else if (run != null && !run.isBusy) {
      advance(run, now);
    }
    if (run != null && run.evaluation != null) {
      Run of = run;
      inventory.at(now, () -> isCurrent(of));
    }
  }

  private void drop() {
    run = null;
    writer.abandon();
    counts.evaluates(false);
  }

  /** Returns true while what a run finds may be told. Safe for all threads. */
  private boolean isCurrent(Run of) {
    return of == run;
  }

  private void later() {
    retryAt = PeerLink.now() + RETRY_MILLIS;
  }

  private void failed(String what, Throwable why) {
    counts.readsFailed.increment();
    problems.update(PeerLink.now(), Optional.of(what + ": " + why.getMessage()));
    later();
  }

  /** Goes on with what has come or failed, on the event loop, if the run is still current. */
  private <T> void then(Run of, Future<T> future, Consumer<Future<T>> next) {
    future.onComplete(
        done ->
            context.runOnContext(
                none -> {
                  if (isCurrent(of)) {
                    next.accept(future);
                  }
                }));
  }

  // --- beginning ---

  private void restore(Run of, long now) {
    boolean isPatient = PeerLink.now() - restoringSince < PATIENCE_MILLIS || isCutOff();
    then(
        of,
        Restoration.read(reads, now, isPatient),
        done -> {
          if (done.failed()) {
            failed("stored faults cannot be read", done.cause());
            run = null;
          } else {
            begin(of, done.result(), now);
          }
        });
  }

  /** Returns true if all other query APIs are out of sight: this one is probably cut off. */
  private boolean isCutOff() {
    return link.list().listed().filter(names -> !names.isEmpty()).isPresent()
        && link.list().live().isEmpty();
  }

  private void begin(Run of, Stored stored, long now) {
    long oldest = aligned(now - ReadPlan.LATEST_MILLIS);
    long first = stored.episodes().isEmpty() ? aligned(now) : oldest;
    of.published = Math.max(oldest, Math.min(stored.evaluated().orElse(first), aligned(now)));
    of.last = of.published - aligned(HISTORY_MILLIS);
    then(
        of,
        worker.executeBlocking(
            () ->
                new Evaluation(
                    new FaultEngine(
                        environment.thresholds().thresholds(),
                        OwnerLabels.KNOWN,
                        environment.settings().shadows()),
                    interval,
                    stored,
                    of.published)),
        done -> {
          if (done.failed()) {
            failed("faults cannot be looked for", done.cause());
            run = null;
            return;
          }
          of.evaluation = done.result();
          of.isBusy = false;
          counts.takeovers.increment();
          counts.evaluates(true);
          telling.restore(stored, of.published - ReadPlan.LATEST_MILLIS, () -> isCurrent(of));
          LOG.info(
              "this query API looks for faults from {} on", Instant.ofEpochMilli(of.published));
        });
  }

  private long aligned(long time) {
    return time - Math.floorMod(time, interval);
  }

  // --- steps ---

  private void advance(Run of, long now) {
    if (now - of.last > ReadPlan.LATEST_MILLIS + HISTORY_MILLIS + interval) {
      of.last = aligned(now - ReadPlan.LATEST_MILLIS);
    }
    List<String> hosts =
        environment.view().get().table().hosts().stream()
            .filter(host -> !PseudoHosts.isOne(host))
            .toList();
    long most = Math.clamp(HOST_STEPS_AT_ONCE / Math.max(1, hosts.size()), 1, STEPS_AT_ONCE);
    if (now - of.last < interval) {
      return;
    }
    // A step that is not waited for any more does not wait for the one that has just begun.
    long due = Math.clamp((now - interval - of.last) / interval, 1, most);
    long to = of.last + due * interval;
    of.isBusy = true;
    then(
        of,
        data.arrived(to, to + interval)
            .compose(
                arrived ->
                    reads.hosts(
                        ReadPlan.of(hosts, of.newest, of.last, to, interval + interval / 2))),
        done -> {
          if (done.failed()) {
            failed("samples cannot be read", done.cause());
            of.isBusy = false;
          } else if (isWorthWaiting(of, done.result(), to)) {
            counts.readsFailed.increment();
            later();
            of.isBusy = false;
          } else {
            problems.update(PeerLink.now(), Optional.empty());
            compute(of, done.result(), to);
          }
        });
  }

  /**
   * Hosts may come back with another gateway; those that were missing before are not waited for.
   */
  private boolean isWorthWaiting(Run of, FaultReads.Read read, long to) {
    if (read.isWhole()) {
      return false;
    }
    boolean mayPass = environment.clock().getAsLong() < to + PATIENCE_MILLIS;
    return read.hosts().isEmpty() && isCutOff() || mayPass && !of.missing.equals(read.missing());
  }

  private void compute(Run of, FaultReads.Read read, long to) {
    long begin = of.last;
    then(
        of,
        worker.executeBlocking(
            () -> {
              if (environment.thresholds().hasChanged()) {
                return Optional.<Computed>empty();
              }
              return Optional.of(computed(of, read, begin, to));
            }),
        done -> {
          if (done.failed()) {
            // A defect: what detectors know is not to be trusted any more.
            LOG.error("looking for faults failed, and begins again", done.cause());
            drop();
            later();
          } else if (done.result().isEmpty()) {
            LOG.info("the thresholds of faults have changed");
            drop();
          } else {
            of.missing = read.missing();
            of.last = to;
            publish(of, done.result().get(), to);
          }
        });
  }

  private Computed computed(Run of, FaultReads.Read read, long begin, long to) {
    long started = System.nanoTime();
    List<Evaluation.Outcome> outcomes = new ArrayList<>();
    of.evaluation.expect(inventory.hosts());
    environment.contacts().look();
    of.evaluation.contacts(environment.contacts()::add);
    long after = Long.MIN_VALUE; // late samples come with the first step
    for (long step = begin + interval; step <= to; step += interval) {
      if (step <= of.published) {
        of.evaluation.replay(read.hosts(), after, step);
      } else {
        boolean isNow = environment.clock().getAsLong() - step < PAST_MILLIS;
        outcomes.add(of.evaluation.step(read.hosts(), after, step, isNow, read.missing()));
      }
      after = step;
    }
    Map<String, Long> newest = new HashMap<>();
    read.hosts()
        .forEach(
            (host, all) -> {
              for (Series each : all) {
                newest.merge(host, each.times()[each.size() - 1], Math::max);
              }
            });
    return new Computed(outcomes, newest, (System.nanoTime() - started) / 1e9);
  }

  private void publish(Run of, Computed computed, long to) {
    computed.newest.forEach((host, time) -> of.newest.merge(host, time, Math::max));
    of.newest.values().removeIf(time -> time < to - FORGOTTEN_MILLIS);
    of.isBusy = false;
    counts.stepped(computed.outcomes.size(), computed.took);
    if (!owner.mayPublish(of.term, PeerLink.now())) {
      drop();
      return;
    }
    for (Evaluation.Outcome each : computed.outcomes) {
      writer.write("steps", each.samples(), () -> telling.tell(each.news(), () -> isCurrent(of)));
    }
    if (!computed.outcomes.isEmpty()) {
      long behind = of.newest.values().stream().filter(time -> time < to - 2 * interval).count();
      counts.found(behind, computed.outcomes.getLast().open());
    }
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    counts.declare(meters);
    meters.gauge(
        "fault_thresholds_left_out",
        "Entries of faults.thresholds that cannot be used.",
        () -> environment.thresholds().leftOut().size());
    meters.gauge(
        "fault_contacts_left_out",
        "Entries of faults.contacts that cannot be used.",
        () -> environment.contacts().leftOut());
    meters.counter("fault_samples_written", "Stored samples of faults.", writer::written);
    meters.counter(
        "fault_samples_refused", "Samples of faults that a gateway rejected.", writer::refused);
    meters.counter(
        "fault_samples_dropped",
        "Samples of faults that were dropped because too many waited to be stored.",
        writer::dropped);
    meters.counter(
        "fault_write_retries", "Times that samples of faults were sent again.", writer::retries);
    meters.gauge(
        "fault_waiting_bytes", "Samples of faults that wait to be stored.", writer::waitingBytes);
  }

  /** Stores what was found, and tells the others that this process stops. */
  @Override
  public void close() {
    try {
      link.call(
              () -> {
                vertx.cancelTimer(ticks);
                run = null;
                return null;
              })
          .compose(none -> idle(System.nanoTime()))
          .compose(
              none ->
                  link.call(
                      () -> {
                        if (owner != null) {
                          owner.leave();
                        }
                        drop();
                        link.beatSoon();
                        return null;
                      }))
          .await(STOP_MILLIS + 1_000, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("looking for faults did not stop in time");
    }
    worker.close();
  }

  private Future<Void> idle(long begun) {
    return link.call(() -> writer.isIdle() || System.nanoTime() - begun > STOP_MILLIS * 1_000_000)
        .compose(
            idle ->
                idle
                    ? Future.succeededFuture()
                    : vertx.timer(20, TimeUnit.MILLISECONDS).compose(none -> idle(begun)));
  }
}
