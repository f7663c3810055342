package io.fleetgauge.query.fleet;

import io.fleetgauge.query.source.OtherStores;
import io.fleetgauge.query.source.Source;

/**
 * The data behind the door.
 *
 * @param source of samples and labels
 * @param fleet of gateways, which answer what no other store can
 * @param others stores besides the gateways that the source reads
 */
public record Stores(Source source, Fleet fleet, OtherStores others) {
  /** Gateways alone. */
  public Stores(Source source, Fleet fleet) {
    this(source, fleet, OtherStores.NONE);
  }
}
