/**
 * Proof that bytes come from a process of this cluster.
 *
 * <p>In: the secrets of the cluster, and bytes that are sent, published or received. Out:
 * signatures, and whether a signature is one of this cluster ({@link
 * io.fleetgauge.cluster.trust.ClusterKey}).
 *
 * <pre>
 * key       = HKDF-SHA256(input: secret, salt: "fleetgauge cluster 1", info: label of the purpose), 32 bytes
 * signature = HMAC-SHA256(key, part*), 32 bytes
 * part      = length:4 bytes:length            the length is an unsigned big-endian integer
 * </pre>
 *
 * <p>The labels of the purposes are {@code request}, {@code entry}, {@code message} and {@code
 * connection}, and the secrets, the salt and the labels are in UTF-8. A signature for one purpose
 * therefore never verifies for another, and parts never verify when they are divided at other
 * places.
 *
 * <p>Law: the secret is never sent. There may be two secrets while the secret is being changed: the
 * first one signs, and what either of them signed verifies. Without a secret nothing is signed, and
 * a signature does not verify: processes with and without a secret do not believe each other.
 */
package io.fleetgauge.cluster.trust;
