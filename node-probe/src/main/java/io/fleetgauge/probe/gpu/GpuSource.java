package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.gpu.reading.LinkSeries;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Where GPUs are read.
 *
 * @param library soname or path of NVML
 * @param roots folders to which a driver may be installed besides
 * @param links series of each NVLink
 * @param expected how many GPUs there should be; 0 for as many as were seen
 * @param labels labels of dcgm-exporter that every series of a GPU gets in addition
 * @param dashes whether the model's name has dashes in the place of blanks
 */
public record GpuSource(
    String library,
    List<Path> roots,
    LinkSeries links,
    int expected,
    Set<String> labels,
    boolean dashes) {
  /** Without further labels. */
  public GpuSource(String library, List<Path> roots, LinkSeries links, int expected) {
    this(library, roots, links, expected, Set.of(), false);
  }
}
