package io.fleetgauge.promql.query;

import java.util.Optional;

/** Says whether a running query has to stop. Called often, so it must be cheap. */
@FunctionalInterface
public interface StopCheck {
  /** Never stops a query. */
  StopCheck NEVER = Optional::empty;

  /** Why the query has to stop now; empty to continue. */
  Optional<QueryFailure> reason();
}
