/**
 * The commands that ask a query API one question: {@code status}, {@code slow-queries}, {@code
 * cardinality}, {@code storage} and {@code report}.
 *
 * <p>In: a command line with the address of a query API, and of a gateway for {@code status}. Out:
 * a table of at most 120 columns, or JSON; and an exit code that cron and Nagios understand.
 *
 * <p>Law: {@code --format=json} prints what the query API answered, and nothing else.
 */
package io.fleetgauge.operator.status;
