/**
 * The clients of the commands: of a query API, and of the gateways of a cluster.
 *
 * <p>In: options of a command line: addresses, a token, the secret of the cluster, certificates.
 * Out: answers, or a failure with a message that is printed as it is.
 *
 * <p>Law: a gateway is asked as a process of the cluster asks it, and a query API with a token.
 */
package io.fleetgauge.operator.client;
