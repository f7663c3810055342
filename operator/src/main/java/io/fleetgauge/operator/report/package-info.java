/**
 * Reports of what GPUs were used for, in a terminal: {@code fleetgauge report}.
 *
 * <p>In: the query API's report and its faults. Out: tables, or the report as the query API sends
 * it. Nothing is computed here but sums of a job's hangs and the order of rows.
 */
package io.fleetgauge.operator.report;
