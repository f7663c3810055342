/**
 * The samples that a gateway stores.
 *
 * <p>In: columns of samples, one tick at a time, from each host's one writer. Out: samples of
 * series, names and values of labels, and what has changed, to any number of readers.
 *
 * <p>A {@link io.fleetgauge.gateway.store.Lane} stores one host. Its writer looks a series up once
 * and keeps a handle to it. Readers take what has been published and never block the writer.
 * Samples are first in memory ({@code store.run}). When they have been in memory long enough, a
 * block file takes those of half that time ({@code store.block}). Who owns a GPU is an interval of
 * time beside its series ({@code store.owner}).
 *
 * <p>Law: a reader sees a tick whole or not at all. Samples of a series ascend in time; the same
 * sample again changes nothing; a late sample goes where it belongs; another value at a time that
 * is taken, a sample that is later than allowed and one from the future are refused and counted. A
 * sample of a known series is always accepted; a new series above a limit is refused, with the name
 * of the limit. A reader of a time that was lost is informed that the host is incomplete.
 *
 * <p>It has more than 20 files, because the parts of a lane see each other and nobody else does.
 */
package io.fleetgauge.gateway.store;
