/**
 * Who owns a GPU at what time.
 *
 * <p>In: the labels of a sample. Out: which of these labels identify the series, which name its
 * owner, and the owners of a series as intervals of time.
 *
 * <p>A reader sees the series that would exist if the owner were part of the labels, each with a
 * staleness marker where the owner ended.
 *
 * <p>Law: a change of owner adds an interval and no series, also when its samples come late; only
 * two owners at one time need two series. An interval that a reader holds does not change: a late
 * sample makes new ones. Only intervals that have expired are removed.
 */
package io.fleetgauge.gateway.store.owner;
