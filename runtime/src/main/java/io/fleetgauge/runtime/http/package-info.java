/**
 * HTTP of every process: its listener with {@code /-/healthy}, {@code /-/ready} and {@code
 * /metrics}, authentication of requests, limits on slow bodies, clients for requests to other
 * processes and other systems.
 *
 * <p>In: settings of the listener, tokens, secrets and certificates, whose files are read again
 * when they change. Out: routes for the rooms that answer; {@link
 * io.fleetgauge.runtime.http.OutgoingHttp} for the hot path, {@link
 * io.fleetgauge.runtime.http.WebRequests} for every other request.
 *
 * <p>Law: {@code /-/ready} answers 503 until everything has started. A request reaches a route only
 * with the permission that the route needs. A secret or a certificate that cannot be read leaves
 * the one before in use. Nothing that proves membership of the cluster is shown to another system.
 * {@link io.fleetgauge.runtime.http.HttpClients} makes every client.
 */
package io.fleetgauge.runtime.http;
