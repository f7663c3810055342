/**
 * Sends alerts to Alertmanagers.
 *
 * <p>In: alerts of evaluations, as they are at the time, again and again while they fire. Out:
 * requests to each Alertmanager that is configured or discovered, by its API v2. {@code Outbox}
 * keeps those of a group until they may be told; {@code AlertForm} writes alerts; {@code
 * query.delivery} sends them.
 *
 * <p>Law: an alert is sent with the labels that relabelling leaves, and only while this process is
 * the one that may tell it.
 */
package io.fleetgauge.query.rules.notify;
