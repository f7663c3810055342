/**
 * Limits of tenants that hold for all query APIs together: the number of queries of each tenant
 * that may run on this one.
 *
 * <p>In: the list of query APIs ({@code cluster.peers}) with what each tells of its use, and what
 * this one uses. Out: its part of each limit. Each query API owns an even share of each limit, by
 * its place in the list. It lends places that it does not want to those that want more, and says so
 * in its heartbeats. Nobody divides for all.
 *
 * <p>The note in heartbeats, of topic {@code limits}:
 *
 * <pre>
 * note   = version:u8(=1) waiting:u8(0 or 1)
 *          n:uvar (key:string demand:uvar running:uvar allowed:uvar beyond:uvar
 *             places(lent) places(held))*n
 * places = n:uvar (life:u64 count:uvar)*n
 *          key    a tenant, or empty for the queries of all tenants
 *          lent   to whom places are lent
 *          held   whose places are used, or still in use by queries that have not ended
 * </pre>
 *
 * <p>Law: shares in force never add up to more than a limit, where an even share is at least 1,
 * however late heartbeats are. Exceptions: queries that run for longer than 4 s after their query
 * API was cut off, and a query API that nobody hears for more than 2 min ({@code LimitSharesTest}).
 */
package io.fleetgauge.cluster.limits;
