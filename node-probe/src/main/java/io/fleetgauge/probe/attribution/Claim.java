package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;

/**
 * A source says that somebody owns a GPU or a part of it.
 *
 * @param owner the labels that it knows of the owner, such as pod and namespace
 */
public record Claim(GpuOwners.Gpu gpu, Labels owner) {}
