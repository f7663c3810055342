package io.fleetgauge.query.inventory;

/**
 * An NVLink domain of several hosts.
 *
 * @param name the UUID of the cluster and the number of the clique, joined by {@code /}; or the
 *     name that the file gives it
 */
public record InventoryDomain(String name, int hosts, GpuCount count, LinkCount links) {}
