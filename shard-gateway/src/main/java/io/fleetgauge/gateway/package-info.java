/**
 * The gateway's process: receives the samples of the hosts it owns, stores them, and executes
 * fragments of queries on them.
 *
 * <p>In: a {@link io.fleetgauge.gateway.config.GatewayConfig}. Out: {@link
 * io.fleetgauge.gateway.GatewayProcess}, which listens, joins the cluster and is ready, in this
 * order, and stops in reverse.
 */
package io.fleetgauge.gateway;
