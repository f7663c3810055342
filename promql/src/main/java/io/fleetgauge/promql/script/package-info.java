/**
 * Scripts that load series, ask queries and say what must come out: the format of Prometheus's own
 * tests of its evaluator.
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
 * <p>Law: a case passes only if the label sets, times, values (within a millionth), the order where
 * the script wants it, and the annotations that it names are all as it says; also with {@code @}
 * put on every selector, and as the middle step of a range query.
 *
 * @see <a
 *     href="https://github.com/prometheus/prometheus/blob/main/promql/promqltest/README.md">Prometheus:
 *     the language of its tests</a>
 */
package io.fleetgauge.promql.script;
