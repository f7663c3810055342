/**
 * Collectors of what the kernel says of itself: CPUs, memory, tasks, time, and which system it is.
 *
 * <p>In: files of proc and sys. Out: samples under node_exporter's names; each class is named after
 * the collector of node_exporter that it stands for.
 */
package io.fleetgauge.probe.host.kernel;
