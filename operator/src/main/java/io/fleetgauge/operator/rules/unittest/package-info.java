/**
 * Unit tests of rules, in the files of {@code promtool test rules}.
 *
 * <p>In: a test file, the rule files that it names. Out: what differs from what the tests expect.
 * Series are in memory; no server is asked.
 *
 * <p>Law: a file passes here exactly if it passes in promtool.
 */
package io.fleetgauge.operator.rules.unittest;
