/**
 * Scripts that load series, run queries and list the expected results: the format of Prometheus's
 * own tests of its query engine.
 *
 * <p>In: the text of a script. Out: a {@link io.fleetgauge.promql.script.CaseResult} for each
 * query.
 *
 * <pre>
 * clear
 * load 5m
 *   http_requests_total{job="api"}  0+10x10 _ stale 7
 * eval instant at 50m rate(http_requests_total[5m])
 *   {job="api"} 0.033333
 * eval range from 0 to 10m step 5m http_requests_total
 *   http_requests_total{job="api"} 0 10 20
 * </pre>
 *
 * <p>Law: a case passes only if the label sets, times and values (within a millionth) are as
 * expected, and, where the script lists them, the order and the annotations. An instant query must
 * also pass with {@code @} on every selector, and as the middle step of a range query.
 *
 * @see <a
 *     href="https://github.com/prometheus/prometheus/blob/main/promql/promqltest/README.md">Prometheus:
 *     the language of its tests</a>
 */
package io.fleetgauge.promql.script;
