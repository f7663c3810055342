package io.fleetgauge.probe.attribution.kubelet;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which resources are GPUs.
 *
 * @param resources the whole name of an extended resource matches one of them
 * @param drivers of dynamic resource allocation
 */
record GpuResources(List<Pattern> resources, Set<String> drivers) {
  static GpuResources of(List<String> resources, List<String> drivers) {
    return new GpuResources(resources.stream().map(Pattern::compile).toList(), Set.copyOf(drivers));
  }

  boolean isGpu(String resource) {
    return resources.stream().anyMatch(pattern -> pattern.matcher(resource).matches());
  }

  boolean isDriver(String driver) {
    return drivers.contains(driver);
  }
}
