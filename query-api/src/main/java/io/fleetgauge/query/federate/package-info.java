/**
 * {@code /federate}: the newest sample of each series and of each reduction, for another Prometheus
 * to scrape.
 *
 * <p>In: selectors, and optionally which of several shards of the answer. Out: Prometheus's text
 * format, compressed where the scraper accepts it, sent while it is written.
 *
 * <p>Law: the lines are those of Prometheus's {@code /federate}, with the times of the samples; a
 * series is in exactly one shard.
 */
package io.fleetgauge.query.federate;
