/**
 * Reads of stored series besides PromQL: label names and values, label sets, owners, newest samples
 * and hosts.
 *
 * <p>In: nothing; these are the types of questions and of results, which gateways, the wire and the
 * query API share. Out: plain records.
 *
 * <p>Law: nothing here knows where the series are or how they are asked for.
 */
package io.fleetgauge.promql.lookup;
