/**
 * The other query APIs of the cluster, with which this one shares the limits of tenants and the
 * queries that run.
 *
 * <p>In: the link to the other query APIs, once the cluster has been joined; the queries of this
 * process. Out: how many places this process has of a limit, and the queries of the others, to list
 * and to cancel.
 *
 * <p>Law: a query API that has not joined counts as alone: it has the whole of each limit.
 */
package io.fleetgauge.query.peers;
