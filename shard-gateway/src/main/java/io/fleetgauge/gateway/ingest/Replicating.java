package io.fleetgauge.gateway.ingest;

import io.fleetgauge.cluster.table.Situation.Report;
import java.util.function.BiConsumer;

/**
 * How this gateway shares hosts with others.
 *
 * @param replication how many gateways are to hold each host
 * @param peers the way to the others
 * @param report tells the cluster of a host; never waits
 */
public record Replicating(int replication, Peers peers, BiConsumer<String, Report> report) {}
