package io.fleetgauge.runtime.tenant;

/** What a token allows. */
public enum Right {
  /** Query the data in the tenant's scope. */
  READ,
  /** Send samples. */
  WRITE,
  /** See and cancel the queries of all tenants, and read the processes' own metrics. */
  OPERATE
}
