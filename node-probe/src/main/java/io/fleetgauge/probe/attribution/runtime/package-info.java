/**
 * Names that container runtimes give to the containers of the node, and the gRPC over Unix sockets
 * by which they and the kubelet are asked.
 *
 * <p>In: the Unix sockets of Docker, Podman, containerd and CRI-O, where they are. Out: {@link
 * io.fleetgauge.probe.attribution.runtime.ContainerNames}, the name of a container by its id, and
 * its pod and namespace where Kubernetes runs it.
 *
 * <p>Law: runtimes are asked on the event loop, at a pace of their own, and nobody waits for their
 * answers. An id never means another container, so a name is kept while somebody asks for it,
 * whether or not its runtime answers. What a runtime says cannot grow beyond the limits. A response
 * of gRPC is complete, of status 0 and below the limit, or it is a {@link
 * io.fleetgauge.probe.attribution.runtime.GrpcFailure}; nothing waits without a limit.
 */
package io.fleetgauge.probe.attribution.runtime;
