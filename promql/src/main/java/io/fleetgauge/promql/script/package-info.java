/**
 * Series written in the notation of Prometheus's own tests of its query engine.
 *
 * <p>In: lines such as {@code http_requests_total{job="api"} 0+10x10 _ stale 7}. Out: a {@link
 * io.fleetgauge.promql.script.TestSeries}, which queries can read; the unit tests of rules are
 * evaluated on it. The scripts themselves, which also list queries and their expected results, are
 * read and run by code of this module's tests, which other modules get as its test jar.
 *
 * <p>Law: a line that is not understood is an error that names it ({@code ScriptReaderTest}).
 *
 * @see <a
 *     href="https://github.com/prometheus/prometheus/blob/main/promql/promqltest/README.md">Prometheus:
 *     the language of its tests</a>
 */
package io.fleetgauge.promql.script;
