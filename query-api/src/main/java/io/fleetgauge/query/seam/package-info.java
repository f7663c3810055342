/**
 * Samples of the gateways and of other stores as one {@link io.fleetgauge.query.source.Source}.
 *
 * <p>In: reads of samples and labels. Out: the same reads of the gateways and, where that is
 * needed, of {@link io.fleetgauge.query.store.ForeignStore}s, merged. A read that lies after all
 * seams asks no store.
 *
 * <p>The seam. Each host has one time, its seam: from then on its samples are read from the
 * gateways, and strictly before from stores with older samples. It is the oldest sample that the
 * gateways keep of the host, but not before the time at which their retention removes samples in
 * the next minute, so that nothing leaves while it is read. A host that only a store has is read
 * there at all times.
 *
 * <p>A series without a label of a host belongs to one of four pseudo-hosts, by its labels, as at
 * the gateways, and has that one's seam; if gateways do not have it, the earliest seam of all. So
 * results of rules that were sent to the store do not count twice, and newer series of other
 * exporters are not read from a store with older samples.
 *
 * <p>The reach. No seam is before the time that retention reaches back to, and the seams of nearly
 * all hosts are there. From then on a store is asked only for hosts whose seam is later: those that
 * only it has, and new ones, unless it has said that it has nothing older of them. So a host that
 * joins does not change how queries are executed.
 *
 * <p>Of several stores with older samples the one that is configured first counts: of the next one,
 * only samples are taken that are older than the oldest that was found of the same host. A store
 * with other series adds a series only where no other place has one with the same labels.
 *
 * <p>Owners. Which tenant or job had a GPU is not a label of the stored series but an interval at
 * the gateways. A store whose series do not have the labels of owners is not asked by a selector
 * that has a matcher of one, because a matcher that is left out, or that an absent label satisfies,
 * would select what others own; the answer names the store as lacking.
 *
 * <p>Law: nothing counts twice. An answer that a store should have added to, and did not, says so.
 */
package io.fleetgauge.query.seam;
