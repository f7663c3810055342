/**
 * Who owns a GPU at what time.
 *
 * <p>In: the labels of a sample. Out: which of these labels identify the series, which name its
 * owner, and the owners of a series as intervals of time.
 *
 * <p>A reader sees the series that would exist if the owner were part of the labels, each with a
 * staleness marker where the owner ended.
 *
 * <p>Law: a change of owner adds an interval and no series. An interval that a reader has seen does
 * not change; only intervals that have expired are removed.
 */
package io.fleetgauge.gateway.store.owner;
