package io.fleetgauge.probe.attribution.kubelet;

import java.util.List;

/**
 * A GPU, or a share of one, that a container has been given.
 *
 * @param resource the extended resource, such as {@code nvidia.com/gpu}; of a dynamic one the
 *     driver
 * @param names what the device is called: the id or name of the device, then its CDI names
 * @param isDynamic whether it was given by dynamic resource allocation
 */
record PodDevice(
    Pod pod, String container, String resource, List<String> names, boolean isDynamic) {
  String id() {
    return names.getFirst();
  }

  /**
   * Tells whether only one pod can have it. This is so of shares of a GPU too, each of which has an
   * id of its own; claims of dynamic resources may be shared by pods.
   */
  boolean isExclusive() {
    return !isDynamic;
  }
}
