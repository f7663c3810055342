/**
 * Where samples and labels come from, as one interface: {@link io.fleetgauge.query.source.Source}.
 *
 * <p>In: reads in terms of selections and label matchers, with a time limit and a cancellation.
 * Out: merged answers with the hosts that they cover and the stores that they lack. {@code
 * query.fanout} implements it for gateways, and {@code query.seam} for gateways with other stores,
 * of which {@link io.fleetgauge.query.source.OtherStores} tells. What only gateways can return is
 * in {@code query.fleet}. No HTTP and no addresses here.
 *
 * <p>Law: a read covers each host once or names it as missing ({@code SourceContract}, which every
 * implementation passes).
 */
package io.fleetgauge.query.source;
