/**
 * Commands about faults: what is wrong, since when, why and what to do.
 *
 * <p>In: a query API's address, and filters. Out: {@code fleetgauge faults}, a table of episodes or
 * those that come, one by one; {@code fleetgauge diagnose}, all about one job, host or GPU.
 *
 * <p>Law: everything that is printed comes from the query API, with the rights of the token that is
 * given; warnings about hosts that are missing in an answer are printed, too.
 */
package io.fleetgauge.operator.faults;
