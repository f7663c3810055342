/**
 * Proof that bytes and requests come from a process of this cluster.
 *
 * <p>In: the secrets of the cluster, and bytes that are sent, published or received. Out:
 * signatures, and whether a signature is one of this cluster ({@link
 * io.fleetgauge.runtime.trust.Seal}); the header that proves a request ({@link
 * io.fleetgauge.runtime.trust.RequestSigner}), and whether a request is proven ({@link
 * io.fleetgauge.runtime.trust.RequestVerifier}).
 *
 * <pre>
 * key       = HKDF-SHA256(input: secret, salt: "fleetgauge cluster 1", info: label of the purpose), 32 bytes
 * signature = HMAC-SHA256(key, part*), 32 bytes
 * part      = length:4 bytes:length            the length is an unsigned big-endian integer
 * sealed    = bytes signature                  of the place for which they were made, and of the bytes
 * </pre>
 *
 * <p>The labels of the purposes are {@code request}, {@code entry}, {@code message}, {@code
 * connection} and {@code stream}, and the secrets, the salt and the labels are in UTF-8. A
 * signature for one purpose therefore never verifies for another, and parts never verify when they
 * are divided at other places.
 *
 * <p>A request has one header:
 *
 * <pre>
 * X-Fleetgauge-Signature: 1 RECEIVER TIME SENDER NUMBER BODY SIGNATURE
 *
 * 1          version of this form
 * RECEIVER   host:port that the sender connects to, in lower case; an IPv6 address in
 *            brackets and with all its eight groups
 * TIME       when it was signed, ms since 1970, by the sender's clock
 * SENDER     16 hexadecimal digits, random for each start of a sender
 * NUMBER     decimal; rises with each request of the sender; SENDER and NUMBER are the nonce
 * BODY       SHA-256 of the body
 * SIGNATURE  for the purpose request, over the parts: the words before it, with one space between
 *            two; the method; the path with the query, as sent; each other header whose name begins
 *            with X-Fleetgauge-, as name:value with the name in lower case, sorted
 * </pre>
 *
 * <p>BODY and SIGNATURE are in base64url without padding, texts in ISO 8859-1. A receiver rejects a
 * request of another version; one whose signature does not verify; one that names another receiver;
 * one whose time differs from its own clock by more than {@code trust.clockSkew}; and one whose
 * nonce was used. When the body has arrived, and before it is used, its digest is compared.
 *
 * <p>Law: the secret is never sent. There may be two secrets while the secret is being changed: the
 * first one signs, and what either of them signed verifies. Without a secret nothing is signed, and
 * a signature does not verify: processes with and without a secret do not believe each other. What
 * is remembered of requests is bounded; a request that cannot be told from a repeated one is
 * rejected.
 */
package io.fleetgauge.runtime.trust;
