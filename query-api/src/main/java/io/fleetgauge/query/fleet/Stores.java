package io.fleetgauge.query.fleet;

import io.fleetgauge.query.source.Source;

/**
 * The data behind the door.
 *
 * @param source of samples and labels
 * @param fleet of gateways, which answer what no other store can
 */
public record Stores(Source source, Fleet fleet) {}
