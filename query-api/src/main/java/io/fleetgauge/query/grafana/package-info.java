/**
 * Grafana's data sources for JSON (simPod's plugin and SimpleJson), under {@code /grafana}.
 *
 * <p>In: their requests: metrics, variables, targets of panels, annotations. Out: series, tables
 * and annotations in their JSON forms; errors with a {@code message}, which Grafana shows.
 *
 * <p>Law: every request reads with the matchers of the token's scope, and a target's answer is that
 * of the query it stands for.
 */
package io.fleetgauge.query.grafana;
