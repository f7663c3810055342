/**
 * The commands that ask a query API from a terminal: {@code status}, {@code slow-queries}, {@code
 * cardinality}, {@code storage}; and how {@code report} asks.
 *
 * <p>In: a command line with the address of a query API, and of a gateway for {@code status}. Out:
 * a table of at most 120 columns, or JSON; and an exit code that cron and Nagios understand.
 */
package io.fleetgauge.query.terminal;
