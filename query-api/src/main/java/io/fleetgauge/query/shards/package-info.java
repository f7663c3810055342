/**
 * What holds data, as one interface: {@link io.fleetgauge.query.shards.Shards}.
 *
 * <p>In: reads in terms of plans, selections and label matchers, with a time limit and a
 * cancellation. Out: merged answers with the hosts that they cover. Gateways are behind {@code
 * query.fanout}; other stores can stand beside them. No HTTP and no addresses here.
 *
 * <p>Law: a read covers each host once or names it as missing ({@code ShardsContract}, which every
 * implementation passes). Only {@code query.answer} reads through this interface.
 */
package io.fleetgauge.query.shards;
