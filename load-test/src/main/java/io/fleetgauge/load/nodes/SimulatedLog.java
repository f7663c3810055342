package io.fleetgauge.load.nodes;

import io.fleetgauge.probe.xid.XidSources;

/** Sources of XIDs that are always followed. */
enum SimulatedLog implements XidSources {
  ALL;

  @Override
  public long lines() {
    return 0;
  }

  @Override
  public long unreadable() {
    return 0;
  }

  @Override
  public long lost() {
    return 0;
  }

  @Override
  public boolean isLogOpen() {
    return true;
  }

  @Override
  public boolean isRegistered() {
    return true;
  }

  @Override
  public void close() {}
}
