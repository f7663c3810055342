/**
 * Sends alerts to Alertmanagers.
 *
 * <p>In: alerts of evaluations, as they are at the time, again and again while they fire. Out:
 * requests to each Alertmanager that is configured or discovered, by its API v2. {@code Outbox}
 * keeps those of a group until they may be told; {@code AlertForm} writes alerts; {@code Delivery}
 * decides for one Alertmanager what is sent and when, without clock and network; {@code
 * Alertmanager} carries that out.
 *
 * <p>Law: while an Alertmanager is away, the newest state of each alert waits for it, and no other
 * Alertmanager waits with it. Every alert that is not delivered is counted ({@code DeliveryTest}).
 */
package io.fleetgauge.query.rules.notify;
