package io.fleetgauge.query.faults.running;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/** Reads what earlier evaluations have stored. */
final class Restoration {
  /** Episodes of this time are read, ms. */
  private static final long LONGEST_MILLIS = 30L * 86_400_000;

  /** Counters are stored each minute, and the last step with each step. */
  private static final long RECENT_MILLIS = 2L * 3_600_000;

  private Restoration() {}

  /**
   * Fails unless all hosts can be read, for a while: an episode that is not seen would be told
   * again.
   *
   * @param now ms since the epoch
   * @param isPatient false if hosts that cannot be read are not waited for any more
   */
  static Future<Stored> read(FaultReads reads, long now, boolean isPatient) {
    return reads
        .samples(
            List.of(
                of(FaultSeries.EPISODE, now - LONGEST_MILLIS, now),
                of(FaultSeries.TOTAL, now - RECENT_MILLIS, now),
                of(FaultSeries.DELIVERED, now - LONGEST_MILLIS, now),
                of(FaultSeries.EVALUATED, now - RECENT_MILLIS, now)))
        .compose(
            reply ->
                reply.completeness().isWhole() || !isPatient
                    ? Future.succeededFuture(stored(reply.value()))
                    : Future.failedFuture(String.join("; ", reply.completeness().warnings())));
  }

  private static Selection of(String metric, long from, long to) {
    return new Selection(List.of(Matcher.equal(Labels.NAME, metric)), from, to);
  }

  static Stored stored(List<List<Series>> read) {
    Map<Labels, Long> totals = new HashMap<>();
    for (Series each : read.get(1)) {
      newest(each).ifPresent(value -> totals.merge(each.labels(), (long) value, Math::max));
    }
    Set<Stored.Delivery> delivered = new HashSet<>();
    for (Series each : read.get(2)) {
      delivered.add(
          new Stored.Delivery(
              each.labels().value(FaultSeries.RECEIVER),
              each.labels().value(FaultSeries.ID),
              each.labels().value("state")));
    }
    OptionalLong evaluated = OptionalLong.empty();
    for (Series each : read.get(3)) {
      OptionalDouble seconds = newest(each);
      if (seconds.isPresent()) {
        long time = Math.round(seconds.getAsDouble() * 1e3);
        evaluated = OptionalLong.of(Math.max(evaluated.orElse(time), time));
      }
    }
    return new Stored(StoredEpisode.of(read.get(0)), totals, delivered, evaluated);
  }

  private static OptionalDouble newest(Series of) {
    for (int i = of.size() - 1; i >= 0; i--) {
      if (!Staleness.isMarker(of.values()[i])) {
        return OptionalDouble.of(of.values()[i]);
      }
    }
    return OptionalDouble.empty();
  }
}
