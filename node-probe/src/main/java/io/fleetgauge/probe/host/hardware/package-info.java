/**
 * Collectors of sensors, memory errors, power and what the machine is built of.
 *
 * <p>In: files of sys. Out: samples under node_exporter's names; each class is named after the
 * collector of node_exporter that it stands for.
 */
package io.fleetgauge.probe.host.hardware;
