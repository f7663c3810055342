/**
 * Metrics that other programs of the node leave in files, as for node_exporter's collector of that
 * name.
 *
 * <p>In: a folder of {@code *.prom} files in Prometheus's text format. Out: their samples, and what
 * they say of type and help.
 *
 * <p>Law: a file that is damaged, too large or has a timestamp gives no sample, and {@code
 * node_textfile_scrape_error} is 1 ({@code TextfileTest}). Everything is bounded.
 */
package io.fleetgauge.probe.host.textfile;
