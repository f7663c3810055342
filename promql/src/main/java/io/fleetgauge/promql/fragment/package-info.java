/**
 * What a query asks of a gateway, and what the gateway answers: the one place where query API and
 * gateway meet.
 *
 * <p>In: a {@link io.fleetgauge.promql.fragment.Fragment} for named hosts at one epoch. Out: a
 * {@link io.fleetgauge.promql.fragment.FragmentAnswer}, which says which of these hosts it covers.
 * Both travel as bytes in an HTTP body.
 *
 * <pre>
 * fragment    = 'F' 'Q' version:u8(=1) kind:u8 epoch:uvar hosts:list(string) what
 *               kind  1 samples, 2 label names, 3 label values, 4 label sets
 * what        = samples:    budget:uvar list(matchers from:svar to:svar)
 *             | names:      search
 *             | values:     label:string search
 *             | label sets: search
 * search      = from:svar to:svar limit:uvar list(matchers)
 * matchers    = list(kind:u8 name:string value:string)
 *
 * answer      = 'F' 'A' version:u8(=1) kind:u8 epoch:uvar covered:list(string) what
 * what        = samples:    symbols list(list(labels samples))    one list a selection, in order
 *             | names, values: list(string)
 *             | label sets: symbols list(labels)
 * symbols     = list(string)
 * labels      = list(name:uvar value:uvar)                        numbers of symbols
 * samples     = n:uvar form:u8 times values
 * times       = svar, then differences of differences as svar
 * values      = form 0: f64 each; form 1 (all integers): svar, then differences as svar;
 *               form 2 (with histograms): each 0:u8 f64, or 1:u8 histogram as HistogramForm draws it
 * list(x)     = n:uvar x*n
 * </pre>
 *
 * <p>Law: what is decoded is what was encoded, bit for bit; any bytes give an answer or a {@link
 * io.fleetgauge.sample.wire.WireException}.
 */
package io.fleetgauge.promql.fragment;
