/**
 * OTLP metrics, accepted by any gateway.
 *
 * <p>In: {@code POST /api/v1/otlp/v1/metrics}, a request of the OpenTelemetry protocol as protobuf
 * or JSON, plain or gzip. Out: a message of remote write for {@code gateway.remotewrite}, and an
 * answer of the protocol that counts the data points which were not kept and says why.
 *
 * <p>Law: series and samples are those that Prometheus 3.5 makes of the same request with the same
 * settings. A metric that cannot be represented, such as one of delta temporality, costs itself and
 * is named; the other metrics of the request are kept.
 */
package io.fleetgauge.gateway.otlp;
