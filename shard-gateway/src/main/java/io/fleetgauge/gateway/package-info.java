/**
 * The gateway's process: takes in the samples of the hosts it owns, keeps them, and runs fragments
 * of queries on them.
 *
 * <p>In: a {@link io.fleetgauge.cluster.config.GatewayConfig}. Out: {@link
 * io.fleetgauge.gateway.GatewayProcess}, which listens, joins the cluster and is ready, in this
 * order, and stops in reverse.
 */
package io.fleetgauge.gateway;
