/**
 * The query API's process: answers Prometheus's HTTP API from the gateways.
 *
 * <p>In: a {@link io.fleetgauge.query.config.QueryConfig}. Out: {@link
 * io.fleetgauge.query.QueryProcess}, which joins the cluster as a member without data and listens.
 */
package io.fleetgauge.query;
