/**
 * Which pods have which GPUs, as the kubelet of the node tells.
 *
 * <p>In: the kubelet's pod-resources API, gRPC over a Unix socket, polled at a pace of its own; the
 * folder of the pods' logs and the cgroups, which show whether a pod still runs. Out: {@link
 * io.fleetgauge.probe.attribution.kubelet.KubeletSource}, claims of pods, and series of the devices
 * that the kubelet has to give away.
 *
 * <p>Law: an answer that is damaged, too large or contradictory gives no owner, never a wrong one.
 * The last good answer holds for a limited time, whatever happens to the kubelet.
 */
package io.fleetgauge.probe.attribution.kubelet;
