/**
 * Prometheus remote write, accepted by any gateway.
 *
 * <p>In: {@code POST /api/v1/write} or {@code /api/v1/prometheus}, a snappy block of a remote-write
 * message of version 1 or 2; or such a message that {@code gateway.otlp} has made. Out: frames at
 * the gateways that own the hosts, and the status, headers and text that Prometheus would answer.
 *
 * <p>A series belongs to the host that its labels name. The writer of a tenant recognises series it
 * has seen by their bytes, so that their label sets are built once, and numbers them in one run for
 * each host. The frames of a host go to its owner, on this gateway or over HTTP, and are sent again
 * if the host has moved or the owner needs the dictionary of the run.
 *
 * <p>Law: the status is 2xx only if all samples are kept. A message of version 1 with a sample that
 * is refused changes nothing: all owners are asked first. Of a message of version 2 the other
 * samples are kept, and counted in the answer. Series without the {@code write.labels} of their
 * tenant are refused in both versions, and what else the message has is kept. Samples that will
 * never be accepted get 400, those that may be sent again 503.
 */
package io.fleetgauge.gateway.remotewrite;
