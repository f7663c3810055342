/**
 * What a gateway keeps of its hosts.
 *
 * <p>In: columns of samples, one tick at a time, from each host's one writer. Out: stretches of
 * series, and names and values of labels, to any number of readers.
 *
 * <p>A {@link io.fleetgauge.gateway.store.Lane} is one host's. Its writer looks a series up once
 * and holds on to it. Readers take what has been published and never block the writer.
 *
 * <p>Law: a reader sees a tick whole or not at all. Samples of a series ascend in time; the same
 * sample again changes nothing; another value at a time that is taken, an older sample and one from
 * the future are refused and counted. What is older than the retention, counted from the lane's
 * newest sample, goes.
 */
package io.fleetgauge.gateway.store;
