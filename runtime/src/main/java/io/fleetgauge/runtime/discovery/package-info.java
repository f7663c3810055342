/**
 * Finds addresses of gateways: for members of the cluster, and for probes; and of Alertmanagers.
 * Registers probes, so that others find them.
 *
 * <p>In: {@link io.fleetgauge.runtime.config.DiscoverySettings}. Out: a list of addresses, {@code
 * host:port} each, and calls when it changes. {@code Lookup} asks DNS, the Kubernetes API, Consul
 * or a file; {@code KubernetesAnswer}, {@code ConsulAnswer} and {@code AddressList} read answers;
 * {@link io.fleetgauge.runtime.discovery.DiscoveryMachine} decides what is used and when to ask
 * again, without clock and network; {@link io.fleetgauge.runtime.discovery.Discovery} carries that
 * out.
 *
 * <p>Law: an answer that is empty, damaged, too long or missing never changes the addresses in use;
 * it is counted and asked for again ({@code DiscoveryMachineTest}). The last good answer is on the
 * disk, and a start uses it until there is a newer one.
 */
package io.fleetgauge.runtime.discovery;
