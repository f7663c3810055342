/**
 * Reports that are made by a timer, by one query API for the whole cluster.
 *
 * <p>In: {@code report.scheduled}, the other query APIs, and time. Out: files in folders, and
 * requests to receivers ({@code query.delivery}). {@code query.report} makes the reports.
 *
 * <p>Law: a file has its whole report or is not there, and one that is there is not written again;
 * a report that lacks hosts has another name and is made again until it is whole, or the next
 * period is over ({@code ScheduledReportsTest}). The identity in a request is the same whoever
 * sends it.
 */
package io.fleetgauge.query.report.scheduled;
