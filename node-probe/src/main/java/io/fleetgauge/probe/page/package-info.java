/**
 * What {@code /metrics} of the probe shows of the newest readings.
 *
 * <p>In: the newest reading of every series. Out: {@link io.fleetgauge.probe.page.MetricsPage}, the
 * text, with the names, units, types and labels of the vocabulary that was asked for.
 *
 * <p>Law: what is sent to gateways does not depend on what is shown.
 */
package io.fleetgauge.probe.page;
