/**
 * The state of a gateway and the use of its disk: {@code /v1/status} and {@code /v1/storage}; and
 * of the cluster, {@code /v1/status/cluster}.
 *
 * <p>In: requests of operators and of the cluster's own processes. Out: JSON, in the forms that
 * {@link io.fleetgauge.gateway.status.StatusRoute} draws; a disk and a host have one form in all of
 * them.
 *
 * <p>Law: what is not known yet is absent. Disks are asked, and blocks walked over, on no thread of
 * the data path.
 */
package io.fleetgauge.gateway.status;
