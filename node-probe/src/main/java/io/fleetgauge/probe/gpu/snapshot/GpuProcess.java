package io.fleetgauge.probe.gpu.snapshot;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A process that uses a GPU, as the driver lists it. Immutable.
 *
 * @param pid in the PID namespace of the probe, where the driver translates it
 * @param memoryBytes empty when the driver does not tell
 * @param utilization its part of the GPU's utilisation, 0 to 1; empty when the driver does not
 *     tell. Those of all processes of a GPU add up to the utilisation of the GPU
 */
public record GpuProcess(int pid, OptionalLong memoryBytes, OptionalDouble utilization) {}
