/**
 * Collectors of disks and file systems.
 *
 * <p>In: files of proc and sys, and the space of file systems. Out: samples under node_exporter's
 * names; each class is named after the collector of node_exporter that it stands for.
 *
 * <p>Law: a file system of the network whose server does not answer delays nothing ({@code
 * NetworkMountsTest}).
 */
package io.fleetgauge.probe.host.storage;
