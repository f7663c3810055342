/**
 * Other exporters of the node, scraped as Prometheus scrapes its targets.
 *
 * <p>In: pages over HTTP, in Prometheus's text format or OpenMetrics, from addresses that the
 * operator names. Out: their samples with the labels of their target, relabelled, and for each
 * target {@code up} and the other series that Prometheus makes of a scrape; and what the pages say
 * of type and help.
 *
 * <p>Law: of a page that Prometheus takes, the same series come with the same values; a page that
 * Prometheus refuses gives no sample, ends the target's series, and is counted with its reason
 * ({@code ScrapeComparisonTest}, {@code DamagedPagesTest}). A page is read while it arrives, and
 * never held; what is remembered of it is bounded by its limits. No exporter delays a tick: one
 * that answers after a third of it is read in a later one.
 */
package io.fleetgauge.probe.scrape;
