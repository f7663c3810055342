/**
 * Fragments of queries, run.
 *
 * <p>In: the bytes of a {@link io.fleetgauge.promql.fragment.Fragment}. Out: the bytes of its
 * answer: samples, or what this gateway can evaluate of a query alone.
 *
 * <p>A fold that a rollup's rule keeps is put together from pages of many hosts as one ({@link
 * io.fleetgauge.gateway.serve.CombinedPages}), then from pages of single hosts, then from samples;
 * what takes next to no work is answered on the thread that has the question. Of newest samples,
 * which are asked for again and again, it is kept which series are meant and what is written of
 * each ({@link io.fleetgauge.gateway.serve.NewestLines}).
 *
 * <p>Law: a fragment is answered for the hosts that are this gateway's by its own table and for no
 * others; the answer says which. However a fold is put together, it is that of all samples, to the
 * last bit. Whoever's asker has left stops, and heavy fragments give way to light ones.
 */
package io.fleetgauge.gateway.serve;
