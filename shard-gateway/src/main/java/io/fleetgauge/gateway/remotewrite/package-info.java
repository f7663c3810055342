/**
 * Remote writes, taken in at any gateway.
 *
 * <p>In: {@code POST /api/v1/write} or {@code /api/v1/prometheus}, a snappy block of a remote-write
 * message of version 1 or 2. Out: frames at the gateways that own the hosts, and the status,
 * headers and text that Prometheus would answer.
 *
 * <p>A series goes to the host that its labels name. The door knows the series it has seen by their
 * bytes, so that no label set is built for them again, and numbers them in a run of its own for
 * each host. A body of a host goes to its owner, here or over HTTP, and is sent again when it has
 * moved or its dictionary is wanted.
 *
 * <p>Law: 2xx is said only when all samples are kept. A message of version 1 with a bad sample
 * changes nothing: all owners are asked first. Of a message of version 2 the good samples are kept,
 * and counted in the answer. What will never be taken gets 400, what may come again 503.
 */
package io.fleetgauge.gateway.remotewrite;
