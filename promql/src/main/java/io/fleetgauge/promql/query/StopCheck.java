package io.fleetgauge.promql.query;

import java.util.Optional;

/** Tells a running query that it has to end. Asked often; must be cheap. */
@FunctionalInterface
public interface StopCheck {
  /** Never stops a query. */
  StopCheck NEVER = Optional::empty;

  /** Why the query ends now; empty to go on. */
  Optional<QueryFailure> reason();
}
