package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.admission.CostEstimates;
import io.fleetgauge.query.cache.ReadTime;
import java.util.List;

/**
 * A planned query, or some of its steps.
 *
 * @param reads everything it reads, wherever that is evaluated
 */
record PlannedPiece(Planned planned, List<SamplesRead> reads) {
  static PlannedPiece of(Planned planned) throws QueryFailure {
    return new PlannedPiece(planned, Engine.reads(planned.query()));
  }

  /** For its cost. */
  CostEstimates.Part part() {
    boolean rollups = isOneRead() && planned.cuts().stream().allMatch(Planned.Cut::rollups);
    return new CostEstimates.Part(reads, rollups);
  }

  /** Returns true if the shards execute all of it in one read. */
  boolean isOneRead() {
    return !planned.cuts().isEmpty() && planned.selections().isEmpty();
  }

  Query query() {
    return planned.query();
  }

  long steps() {
    return query().isInstant() ? 1 : query().grid().size();
  }

  /** The last step of a range query, ms. */
  long lastStep() {
    Query query = query();
    return query.start() + (query.end() - query.start()) / query.step() * query.step();
  }

  /** Its reads, at a stamp. */
  ReadTime readTime(long stamp) {
    long after = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    for (SamplesRead read : reads) {
      Selection selection = read.selection();
      after = Math.min(after, selection.from());
      to = Math.max(to, selection.to());
    }
    return new ReadTime(after, to, stamp);
  }
}
