/**
 * Tells receivers of faults: webhooks, NVSentinel, Loki, OpenTelemetry.
 *
 * <p>In: episodes that have begun, tell more than before or are over, from the one query API that
 * evaluates; each with the kernel's own lines. Out: requests in the form of each receiver, through
 * {@code query.delivery}; and which state of which episode a receiver has taken.
 *
 * <p>A new form is a value of {@code FaultReceiverSettings.Form} and a class here that implements
 * {@link io.fleetgauge.query.faults.tell.ReceiverForm}.
 *
 * <p>Law: a receiver gets what its section selects, the newest state of each episode, until it has
 * taken it; a request that is repeated has the same {@code Idempotency-Key}. An episode in shadow
 * mode is not told.
 */
package io.fleetgauge.query.faults.tell;
