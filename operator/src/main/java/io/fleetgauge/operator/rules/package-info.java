/**
 * The commands on rule files: {@code rules check}, {@code rules test} and {@code rules backfill}.
 *
 * <p>In: rule files; for a backfill a range of time, and a query API and a gateway to ask. Out:
 * problems of the files; the samples that the evaluation of the groups would have written,
 * staleness markers included.
 *
 * <p>The only room of operator that knows PromQL and the rooms {@code query.rules}: a file is read,
 * checked and evaluated by the code that the query API reads, checks and evaluates it with.
 *
 * <p>Law: a file of unit tests passes exactly if it passes in promtool; its series are in memory,
 * and no server is asked. A back-filled series has the samples that it would have if its rule had
 * been evaluated at the time; a rule that reads what it, or a rule behind it, writes is the
 * exception.
 */
package io.fleetgauge.operator.rules;
