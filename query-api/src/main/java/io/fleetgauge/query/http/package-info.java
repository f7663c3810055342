/**
 * The faces of the query API: Prometheus's HTTP API, version 1, with federation and remote read;
 * Grafana's data sources for JSON; a page for people.
 *
 * <p>In: requests of whoever the {@link io.fleetgauge.cluster.process.Guard} lets in. Out: JSON in
 * Prometheus's envelope, lines of text, messages of remote read, or what a data source can read;
 * errors in the same form.
 *
 * <p>Law: parameters, rounding, shapes, error types and statuses are those of Prometheus 3.5; where
 * that answers nonsense to nonsense (a time of NaN), the answer is 400. Whatever is asked, and by
 * whatever face, is asked with the matchers of the asker's scope; what is said of hosts that are
 * missing has no names in it for who does not see all.
 */
package io.fleetgauge.query.http;
