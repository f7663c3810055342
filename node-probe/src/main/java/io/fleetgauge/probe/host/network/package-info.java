/**
 * Collectors of the network: devices, protocols, RDMA ports.
 *
 * <p>In: files of proc and sys. Out: samples under node_exporter's names; each class is named after
 * the collector of node_exporter that it stands for.
 */
package io.fleetgauge.probe.host.network;
