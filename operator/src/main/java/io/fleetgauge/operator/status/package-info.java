/**
 * The commands that send one request to a query API and print the response: {@code status}, {@code
 * slow-queries}, {@code cardinality}, {@code storage} and {@code report}. Each is a class, named in
 * {@code META-INF/services}. A command that does more has a package of its own.
 *
 * <p>In: a command line with the address of a query API, and of a gateway for {@code status}. Out:
 * a table of at most 120 columns, or JSON; and an exit code that cron and Nagios understand.
 *
 * <p>Law: {@code --format=json} prints what the query API answered, and nothing else.
 */
package io.fleetgauge.operator.status;
