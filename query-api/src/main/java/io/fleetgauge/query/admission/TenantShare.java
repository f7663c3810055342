package io.fleetgauge.query.admission;

/**
 * Share of a tenant in the places for queries.
 *
 * @param weight its share when tenants wait for each other
 * @param running most queries that run at once
 * @param queued most queries that wait
 */
public record TenantShare(int weight, int running, int queued) {}
