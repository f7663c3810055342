/**
 * Delivery of items to receivers over HTTP: alerts to Alertmanagers, faults to webhooks.
 *
 * <p>In: items, each with a key and its newest state. Out: requests to one {@link
 * io.fleetgauge.query.delivery.Receiver}, whose body the caller makes of the items; and what was
 * taken. {@code Delivery} decides what is sent and when, without clock and network; {@code
 * Receiver} carries that out; {@code ReceiverClient} sends.
 *
 * <p>Law: while a receiver is away, the newest state of each item waits for it, and no other
 * receiver waits with it. Every item that is not delivered is counted ({@code DeliveryTest}).
 */
package io.fleetgauge.query.delivery;
