package io.fleetgauge.cluster.bus;

/** Messages between processes. Each message is a hint: losing it costs time, never data. */
sealed interface BusMessage {
  /** The ownership table has changed. */
  record TableChanged(long epoch) implements BusMessage {}

  /** The tenants file of the sender has changed. */
  record TenantsChanged() implements BusMessage {}
}
