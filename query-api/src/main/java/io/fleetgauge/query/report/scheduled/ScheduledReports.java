package io.fleetgauge.query.report.scheduled;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.config.ScheduledReportSettings;
import io.fleetgauge.query.report.ReportMaker;
import io.fleetgauge.query.rules.ownership.SingleOwner;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the reports that are due, one at a time, while this query API owns them. It decides on the
 * event loop of the link, which never waits.
 */
public final class ScheduledReports implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ScheduledReports.class);
  private static final String TOPIC = "reports";
  private static final long TICK_MILLIS = 100;
  private static final long STOP_MILLIS = 2_500;

  /** A report is made so long after its period: samples after a gap tell of the gap, ms. */
  static final long AFTER_MILLIS = UsageTerms.DEFAULT.bridge() + 15 * 60_000;

  /** A report that lacks hosts is made again after this time, ms. */
  static final long INCOMPLETE_MILLIS = 3_600_000;

  /** One that failed is tried again after this time, ms. */
  static final long FAILED_MILLIS = 60_000;

  private static final long NOBODY = -1;

  private final Vertx vertx;
  private final PeerLink link;
  private final ReportMaker maker;
  private final LongSupplier clock;
  private final WorkerExecutor worker;
  private final List<ReportSchedule> schedules = new ArrayList<>();
  private SingleOwner owner;
  private byte lastNote;
  private boolean isBusy;
  private long ticks = -1;

  /** The term in which reports may be delivered. */
  private volatile long term = NOBODY;

  private ScheduledReports(Vertx vertx, PeerLink link, ReportMaker maker, LongSupplier clock) {
    this.vertx = vertx;
    this.link = link;
    this.maker = maker;
    this.clock = clock;
    this.worker = vertx.createSharedWorkerExecutor("reports", 1);
  }

  /**
   * Scheduled reports, which run from {@link #start} on.
   *
   * @param clock ms since the epoch
   * @throws StartFailure if a report groups by something unknown, or a secret cannot be used
   */
  public static ScheduledReports of(
      Vertx vertx,
      PeerLink link,
      ReportMaker maker,
      List<ScheduledReportSettings> settings,
      LongSupplier clock)
      throws StartFailure {
    ScheduledReports all = new ScheduledReports(vertx, link, maker, clock);
    try {
      for (ScheduledReportSettings each : settings) {
        check(each);
        all.schedules.add(new ReportSchedule(vertx, all.worker, each, clock));
      }
    } catch (StartFailure e) {
      all.release();
      throw e;
    }
    return all;
  }

  private static void check(ScheduledReportSettings settings) throws StartFailure {
    try {
      ReportMaker.check(settings);
    } catch (QueryFailure e) {
      throw new StartFailure("report.scheduled." + settings.name() + ".by: " + e.getMessage(), e);
    }
  }

  /**
   * Begins to run; the link has started.
   *
   * @param name of this query API, which it keeps over restarts
   */
  public void start(String name) {
    link.run(
        () -> {
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
    if (!owner.mayBegin(steady)) {
      term = NOBODY;
      return;
    }
    if (term != owner.term()) {
      term = owner.term();
      schedules.forEach(
          each -> {
            // What was only offered in another term is not sent in this one.
            each.done = each.delivered;
            each.retryAt = Long.MIN_VALUE;
          });
    }
    long now = clock.getAsLong();
    for (int i = 0; i < schedules.size() && !isBusy; i++) {
      ReportSchedule each = schedules.get(i);
      ReportPeriod period =
          ReportPeriod.before(now - AFTER_MILLIS, each.settings.every(), each.settings.zone());
      if (!period.name().equals(each.done) && now >= each.retryAt) {
        make(each, period, term);
      }
    }
  }

  private void make(ReportSchedule schedule, ReportPeriod period, long in) {
    isBusy = true;
    worker
        .executeBlocking(() -> schedule.isThere(period))
        .compose(
            isThere ->
                isThere
                    ? Future.succeededFuture(true)
                    : maker
                        .make(schedule.settings, period.from(), period.to(), worker)
                        .compose(made -> deliver(schedule, period, made, in)))
        .onComplete(
            done ->
                link.run(
                    () -> {
                      isBusy = false;
                      long now = clock.getAsLong();
                      if (done.failed()) {
                        schedule.failed.increment();
                        schedule.retryAt = now + FAILED_MILLIS;
                        LOG.warn(
                            "report {} of {} cannot be made and is tried again: {}",
                            schedule.settings.name(),
                            period.name(),
                            done.cause().getMessage());
                      } else if (in == term && done.result()) {
                        schedule.done = period.name();
                      } else {
                        schedule.retryAt = now + INCOMPLETE_MILLIS;
                      }
                    }));
  }

  private Future<Boolean> deliver(
      ReportSchedule schedule, ReportPeriod period, ReportMaker.Made made, long in) {
    return worker.executeBlocking(
        () -> {
          if (in == term) {
            schedule.deliver(period, made, () -> in == term);
          }
          return made.isWhole();
        });
  }

  /** Declares the metrics of this package. */
  public void declare(Meters meters) {
    meters.counters(
        "scheduled_reports_made",
        "Scheduled reports that were made and lack no hosts, by report.",
        "report",
        () -> counts(each -> each.made.sum()));
    meters.counters(
        "scheduled_reports_incomplete",
        "Scheduled reports that were made and lack hosts, by report.",
        "report",
        () -> counts(each -> each.incomplete.sum()));
    meters.counters(
        "scheduled_reports_failed",
        "Times that a scheduled report could not be made, written or sent, by report.",
        "report",
        () -> counts(each -> each.failed.sum() + each.refused()));
    meters.counters(
        "scheduled_reports_dropped",
        "Scheduled reports that the receiver rejected, or that were too many, by report.",
        "report",
        () -> counts(ReportSchedule::dropped));
  }

  private Map<String, Long> counts(ToLongFunction<ReportSchedule> count) {
    Map<String, Long> counts = new HashMap<>();
    schedules.forEach(each -> counts.put(each.settings.name(), count.applyAsLong(each)));
    return counts;
  }

  /** Tells the others that this process stops. */
  @Override
  public void close() {
    try {
      link.call(
              () -> {
                vertx.cancelTimer(ticks);
                term = NOBODY;
                if (owner != null) {
                  owner.leave();
                }
                link.beatSoon();
                return null;
              })
          .await(STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("scheduled reports did not stop in time");
    }
    release();
  }

  private void release() {
    schedules.forEach(ReportSchedule::close);
    worker.close();
  }
}
