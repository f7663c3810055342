/**
 * The nodes of a simulated fleet: boards, racks, jobs, faults, and what the probe of each node
 * sends.
 *
 * <p>In: a {@link io.fleetgauge.load.nodes.FleetLayout} (hosts, seed, faults) and time. Out: the
 * ticks of each node, made by the probe's own sampling, GPU reading and XID code over a {@link
 * io.fleetgauge.load.nodes.driver.DriverModel}; and those of the cluster's controller, whose probe
 * reads the exporters of the scheduler and of Kubernetes.
 *
 * <p>Law: the ticks of a node are a function of the fleet's seed, of the node and of the times that
 * are played, so that history and live readings of one play agree.
 */
package io.fleetgauge.load.nodes;
