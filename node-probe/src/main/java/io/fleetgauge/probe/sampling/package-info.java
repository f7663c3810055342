/**
 * The ticks of a node: what is due is read, under the node's own labels.
 *
 * <p>In: {@link io.fleetgauge.probe.sampling.Reader}s of {@link
 * io.fleetgauge.probe.sampling.ProbePart}s, each with the {@link
 * io.fleetgauge.probe.sampling.TickClass}es of its series. Out: at every tick a {@link
 * io.fleetgauge.sample.Tick} with what was due, and a staleness marker for each series that ended.
 *
 * <p>Law: a series ends once, in the tick in which its own class was read without it. A class that
 * is not due neither repeats nor ends its series, except that what is read less often than every
 * four minutes is sent again, unread, so that a query always sees it. A reader that fails or does
 * not answer neither repeats nor ends anything. Samples that a reader has with other times are
 * ticks of their own, without markers.
 */
package io.fleetgauge.probe.sampling;
