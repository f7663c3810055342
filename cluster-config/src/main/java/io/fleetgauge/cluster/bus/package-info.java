/**
 * Hints between gateways and query APIs over the clustered Vert.x event bus.
 *
 * <p>In: that the table or the tenants file of this process has changed; messages of other
 * processes. Out: calls that make this process read its table and its tenants file again.
 *
 * <p>Law: messages are hints. One that is lost, late, repeated or forged changes no answer and
 * loses no sample: tables and files are read again on a timer. A message that cannot be read, or
 * whose origin is not proven where a secret is set, is counted and ignored.
 */
package io.fleetgauge.cluster.bus;
