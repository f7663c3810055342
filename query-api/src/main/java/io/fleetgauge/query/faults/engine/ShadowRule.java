package io.fleetgauge.query.faults.engine;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import java.util.Optional;

/**
 * Faults that are recorded and not alerted: those of a kind in a pool.
 *
 * @param kind empty for all kinds
 * @param pool what labels of a fault's subject have to be; none for all
 */
public record ShadowRule(Optional<FaultKind> kind, List<Matcher> pool) {
  public ShadowRule {
    pool = List.copyOf(pool);
  }

  /** Returns true if the rule is for a fault. */
  boolean covers(FaultKind of, Subject subject) {
    return kind.map(of::equals).orElse(true)
        && pool.stream().allMatch(each -> each.matches(subject.labels().value(each.name())));
  }
}
