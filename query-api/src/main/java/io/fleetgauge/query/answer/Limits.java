package io.fleetgauge.query.answer;

/**
 * What admission needs to know of a tenant.
 *
 * @param weight its share when tenants wait for each other
 * @param running queries at once
 * @param queued queries that wait
 */
public record Limits(int weight, int running, int queued) {}
