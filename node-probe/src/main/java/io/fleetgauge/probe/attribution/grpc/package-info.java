/**
 * Calls of gRPC over a Unix socket, as the kubelet and container runtimes offer them.
 *
 * <p>In: a socket, a method and a message. Out: the message that answers it, or a {@link
 * io.fleetgauge.probe.attribution.grpc.GrpcFailure} that says of which kind the failure is.
 *
 * <p>Law: an answer is whole, of status 0 and below the limit, or it is a failure. Nothing waits
 * without a limit.
 */
package io.fleetgauge.probe.attribution.grpc;
