/**
 * HTTP of every process: its listener with {@code /-/healthy}, {@code /-/ready} and {@code
 * /metrics}, authentication of requests, limits on slow bodies, requests to other processes.
 *
 * <p>In: settings of the listener, tokens, secrets and certificates, whose files are read again
 * when they change. Out: routes for the rooms that answer, clients for the rooms that ask.
 *
 * <p>Law: {@code /-/ready} answers 503 until everything has started. A request reaches a route only
 * with the right that the route needs. A secret or a certificate that cannot be read leaves the one
 * before in use.
 */
package io.fleetgauge.runtime.http;
