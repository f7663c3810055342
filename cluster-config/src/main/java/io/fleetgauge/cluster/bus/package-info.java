/**
 * Messages between gateways and query APIs over the clustered Vert.x event bus.
 *
 * <p>In: what this process uses of shared limits, which queries it runs, and that its table or its
 * tenants file has changed; messages of other processes. Out: how many queries of each tenant may
 * run here ({@link io.fleetgauge.cluster.bus.SharedUsage}), the running queries of all query APIs
 * ({@link io.fleetgauge.cluster.bus.RunningDirectory}), and calls that make this process look again
 * at its table and its tenants file. Neither samples nor partial results pass here.
 *
 * <p>Law: messages are hints. One that is lost, late, repeated or forged changes no answer and
 * loses no sample: tables and files are read again on a timer, and without messages each query API
 * keeps an even share of every limit. A message that cannot be read, or whose origin is not proven
 * where a secret is set, is counted and ignored.
 */
package io.fleetgauge.cluster.bus;
