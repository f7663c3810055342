package io.fleetgauge.query.inventory;

/**
 * Numbers of GPUs.
 *
 * @param expected that should be there
 * @param present that their probe reads now
 * @param healthy of those present, without an open critical fault of theirs or of their host
 */
public record GpuCount(int expected, int present, int healthy) {
  static final GpuCount NONE = new GpuCount(0, 0, 0);

  GpuCount plus(GpuCount other) {
    return new GpuCount(
        expected + other.expected, present + other.present, healthy + other.healthy);
  }
}
