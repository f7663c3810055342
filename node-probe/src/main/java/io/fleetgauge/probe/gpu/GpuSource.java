package io.fleetgauge.probe.gpu;

import java.nio.file.Path;
import java.util.List;

/**
 * Where GPUs are read.
 *
 * @param library soname or path of NVML
 * @param roots folders to which a driver may be installed besides
 * @param links whether NVLinks are read one by one
 * @param expected how many GPUs there should be; 0 for as many as were seen
 */
public record GpuSource(String library, List<Path> roots, boolean links, int expected) {}
