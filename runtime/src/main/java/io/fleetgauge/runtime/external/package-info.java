/**
 * Requests to servers of other systems, such as exporters and Alertmanagers.
 *
 * <p>In: {@link io.fleetgauge.runtime.config.AccessSettings}. Out: HTTP clients that know such a
 * server by its certificate, and requests with the token or password that it wants.
 *
 * <p>Law: nothing that proves membership of the cluster is shown to another system.
 */
package io.fleetgauge.runtime.external;
