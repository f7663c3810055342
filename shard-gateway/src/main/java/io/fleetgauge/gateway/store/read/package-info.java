/**
 * Reading the samples and labels of hosts while their writers go on.
 *
 * <p>In: selections of series and times, searches for labels. Out: series in order of label sets,
 * label names and values, the newest sample of each series.
 *
 * <p>A series with owners is read as one series per owner, each with a staleness marker where
 * another owner took over.
 *
 * <p>Law: a reader never blocks a writer and sees a tick whole or not at all. A host of which
 * samples may be missing in the time read is reported, whatever could be read of it.
 */
package io.fleetgauge.gateway.store.read;
