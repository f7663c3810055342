/**
 * Streams between gateways, on which bodies of samples travel: each gateway has one to every
 * gateway that it sends bodies to. It begins as an HTTP request, so that ports, certificates and
 * the proof of the cluster are the same. Questions about what another gateway has are HTTP requests
 * of their own ({@code gateway.peer}); hints are messages on the event bus ({@code cluster.bus}).
 *
 * <pre>
 * GET /v1/stream                     by the guard of peers, signed where the cluster has a secret
 *   Connection: upgrade
 *   Upgrade: fleetgauge-stream-1
 *   X-Fleetgauge-Nonce: NONCE        32 hexadecimal digits, random for each stream
 *
 * 101 | 400 | 401 | 426 | 503
 *
 * After that each end sends
 *
 * stream   = nonce:16 message*                     the opening end its NONCE first, the other end then
 *                                                  one of its own
 * message  = length:u32 headLength:u16 proofLength:u8 head proof body
 *                                                  length counts what follows it, at most 64 MiB
 *                                                  and a head
 * head     = kind:u8 number:uvar fields            little endian, as WireWriter writes it
 *                                                  kind 0 answers the question of that number;
 *                                                  whoever uses this package names the other kinds
 * proof    = HMAC                                  32 bytes; none in a cluster without a secret
 * </pre>
 *
 * <p>The proof is a signature of {@link io.fleetgauge.runtime.trust.Seal} for the purpose {@code
 * stream}, over the parts: both nonces and the direction; how many messages came before in this
 * direction; the head; the SHA-256 of the body. The first nonce is signed with the request, for its
 * receiver. So a message is believed once, in its place, on the stream for which it was made. A
 * stream with a message that is not proven, or too long, ends.
 *
 * <p>In: questions to gateways, from any thread. Out: one {@link
 * io.fleetgauge.gateway.stream.Outcome} for each.
 *
 * <p>Law: nothing waits. Questions are sent in their order and answered in any. A question without
 * an answer in time has failed; when the stream ends, all that have no answer have failed, and
 * nobody knows whether they were carried out. What is on its way to one gateway is bounded. An end
 * that does not read is not written to, and one that is not written to is not read from.
 */
package io.fleetgauge.gateway.stream;
