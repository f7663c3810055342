package io.fleetgauge.cluster.tenant;

/** What a token lets its bearer do. */
public enum Right {
  /** Ask for what the tenant's scope shows. */
  READ,
  /** Send samples. */
  WRITE,
  /** See and cancel the queries of all tenants, read the meters, tell a gateway to leave. */
  OPERATE
}
