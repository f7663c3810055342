/**
 * The query API's process: answers Prometheus's HTTP API from the gateways.
 *
 * <p>In: a {@link io.fleetgauge.query.config.QueryConfig}. Out: {@link
 * io.fleetgauge.query.QueryProcess}, a list of {@link io.fleetgauge.runtime.process.ProcessPart}s:
 * queries, the routes of the APIs, rules, the port, the cluster, the other query APIs and the
 * evaluation of rules.
 *
 * <p>Law: a part starts after those that it uses, and stops before them. This room connects and
 * starts; what decides is elsewhere.
 */
package io.fleetgauge.query;
