/**
 * Keys about servers of other systems: exporters that a probe scrapes, Alertmanagers that a query
 * API sends alerts to.
 *
 * <p>In: the sections {@code scrape} of probes, {@code rules.alertmanagers} and {@code
 * rules.notifications} of query APIs. Out: records. {@code AccessSettings} say what such a server
 * is shown, and how it is known.
 *
 * <p>Law: a server is known by its certificate unless a key says otherwise.
 */
package io.fleetgauge.cluster.config.external;
