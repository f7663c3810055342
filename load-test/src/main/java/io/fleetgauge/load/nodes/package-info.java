/**
 * The nodes of a simulated fleet: what the probe of each node sends, and which faults that shows.
 *
 * <p>In: a {@link io.fleetgauge.load.nodes.jobs.FleetLayout} (hosts, seed), incidents, and time; or
 * a {@link io.fleetgauge.load.nodes.TraceSpec}. Out: the ticks of each node, made by the probe's
 * own sampling, GPU reading and XID code over a {@link
 * io.fleetgauge.load.nodes.driver.DriverModel}; and those of the cluster's controller, whose probe
 * reads the exporters of the scheduler and of Kubernetes. A {@link
 * io.fleetgauge.load.nodes.TraceLabel} says of each fault that is played what should be told: kind,
 * place, job, cause, first rank, from when to when. Of NVLinks, ranks and owners' CPU time the
 * host's model makes the series that the probe reads from the system; the processes that hold GPUs
 * are in a folder like {@code /proc}, which the probe's code reads. {@link
 * io.fleetgauge.load.nodes.PlayedDevice} tells what was played, without samples.
 *
 * <p>Law: the ticks of a node are a function of the fleet's seed, of the node and of the times that
 * are played, so that history and live readings of one play agree, and each trace can be played
 * again; a fault shows in its series from the beginning to the end of its label, and not before.
 *
 * <p>The room has more than 20 files because each thing that a node has, such as its GPUs, log,
 * processes and exporters, is one.
 *
 * <p>A node of a trace makes some 2,400 ticks a second on one core, the whole code of the probe
 * included: 200 days of a node take eight minutes.
 */
package io.fleetgauge.load.nodes;
