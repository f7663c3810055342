/**
 * Reports of what GPUs were used for, by job, user, tenant, rack or GPU over a period: {@code
 * /api/v1/report/usage}.
 *
 * <p>In: a period, the labels to group by, the terms by which usage is counted, prices and carbon.
 * Out: rows as JSON, CSV or a page that can be printed, and which hosts they cover. What owners had
 * of devices comes in whole numbers from the gateways, which count it ({@link
 * io.fleetgauge.promql.usage}).
 *
 * <p>The period is read in pieces that end where an interval ends or a price changes, so that a
 * piece has one price. Sums are exact, and a figure is rounded once; a figure without samples is
 * absent and never 0.
 *
 * <p>Law: the sums of all groupings are equal, and a period is the sum of its parts ({@code
 * UsageGroupsTest}); the worked example of docs/report.md is what a report says ({@code
 * ReportExampleTest}).
 */
package io.fleetgauge.query.report;
