/**
 * The series of one host: where their samples are, and how their labels find them.
 *
 * <p>In: samples and changes of owner, from the lane's one writer. Out: published states of series,
 * the index from labels to series, and the newest sample of every series.
 *
 * <p>A series is a list of blocks on disk, packed runs in memory, an open page of raw values, and
 * samples that arrived late.
 *
 * <p>Law: readers take a published state and never block the writer.
 */
package io.fleetgauge.gateway.store.series;
