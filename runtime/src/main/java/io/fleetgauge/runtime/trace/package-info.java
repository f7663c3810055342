/**
 * Traces of what a process does: where the time of a query, or of a tick that is taken in, went.
 *
 * <p>In: spans that begin and end, each within another one, and the W3C header {@code traceparent}
 * of a request. Out: spans in OpenTelemetry's protocol (OTLP over HTTP) to a collector, and the
 * header for requests to other processes.
 *
 * <p>Law: tracing changes no answer and delays none. Spans wait in a bounded queue; what does not
 * fit, or what the collector does not take, is dropped and counted. Without a collector nothing is
 * made, and the classes of OpenTelemetry are not loaded.
 */
package io.fleetgauge.runtime.trace;
