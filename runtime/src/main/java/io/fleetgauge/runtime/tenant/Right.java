package io.fleetgauge.runtime.tenant;

/** A right that a token gives. */
public enum Right {
  /** Query the data in the tenant's scope. */
  READ,
  /** Send samples. */
  WRITE,
  /** See and cancel the queries of all tenants, and read the processes' own metrics. */
  OPERATE
}
