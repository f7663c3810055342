/**
 * Status of the cluster: its gateways, hosts, replicas and disks; problems come first.
 *
 * <p>In: the newest view of the cluster, and what each gateway says of itself at {@code GET
 * /v1/status}. Out: one JSON object, the same from every process that can be asked, in the form
 * that {@link io.fleetgauge.cluster.status.ClusterStatus} draws.
 *
 * <p>Law: a gateway that does not answer is named and is a problem; what is not known is absent and
 * never 0. Fields are added to these forms, and none is removed or changes its meaning.
 */
package io.fleetgauge.cluster.status;
