package io.fleetgauge.promql.exec;

import java.util.Optional;

/** Tells a running query that it has to end. Asked often; must be cheap. */
@FunctionalInterface
public interface StopSign {
  /** Never stops a query. */
  StopSign NEVER = Optional::empty;

  /** Why the query ends now; empty to go on. */
  Optional<QueryFailure> reason();
}
