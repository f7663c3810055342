package io.fleetgauge.runtime.tenant;

/** A permission of a token; the key {@code rights} of the tenants file lists those of each. */
public enum Permission {
  /** Query the data in the tenant's scope. */
  READ,
  /** Send samples. */
  WRITE,
  /** See and cancel the queries of all tenants, and read the processes' own metrics. */
  OPERATE
}
