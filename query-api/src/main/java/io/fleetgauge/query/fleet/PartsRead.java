package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.plan.EvaluatedParts;
import java.util.Optional;

/**
 * Parts of a query that gateways executed.
 *
 * @param changes at every gateway that was read, before anything was read there; empty when that
 *     was not asked for, or not all of them said so
 */
public record PartsRead(EvaluatedParts parts, Optional<Changes> changes) {
  /** Parts of a plan without cuts. */
  public static final PartsRead NONE = new PartsRead(EvaluatedParts.NONE, Optional.empty());
}
