/**
 * The chart, run on one machine: Pods by Podman, each with an address of its own, and the part of
 * Kubernetes that the chart relies on.
 *
 * <p>In: what Helm renders. Out: containers, and what the tests see of them. Law: a field of a
 * manifest that is not translated fails the test.
 *
 * <p>{@code podman kube play} starts Pods from YAML, but cannot run these; tried with Podman 4.3.1:
 *
 * <ul>
 *   <li>It refuses StatefulSets, DaemonSets and Secrets, projected volumes, annotations of more
 *       than 63 characters, such as a checksum of the configuration, and ports on the host's
 *       network.
 *   <li>References of the environment to {@code metadata.namespace}, {@code status.podIP}, {@code
 *       status.hostIP} and {@code spec.nodeName} fail.
 *   <li>A Pod cannot join a network namespace, so several gateways cannot listen on the same port
 *       without a bridge and its name server.
 *   <li>It ignores {@code hostPID}, {@code fsGroup}, {@code dnsConfig} on the host's network,
 *       {@code preStop} hooks, the time to terminate, requests of CPU, and size limits; all Pods
 *       share an {@code emptyDir} of one name.
 *   <li>It runs HTTP probes with curl inside the container, where there is none, and restarts
 *       containers that a test has killed.
 *   <li>There are no Services, no names of Pods, and no updates in the order of a controller.
 * </ul>
 *
 * The rest is an image, its arguments, user, capabilities and mounts, which are options of {@code
 * podman run} too.
 */
package io.fleetgauge.distribution.kubernetes.pods;
