package io.fleetgauge.query.inventory;

/** Numbers of NVLinks: that should be active, and that are. */
public record LinkCount(int expected, int active) {
  static final LinkCount NONE = new LinkCount(0, 0);

  LinkCount plus(LinkCount other) {
    return new LinkCount(expected + other.expected, active + other.active);
  }
}
