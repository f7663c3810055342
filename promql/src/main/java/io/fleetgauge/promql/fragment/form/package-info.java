/**
 * The bytes of fragments and their answers.
 *
 * <p>In: a {@link io.fleetgauge.promql.fragment.FragmentRequest} or a {@link
 * io.fleetgauge.promql.fragment.FragmentAnswer}. Out: the body of an HTTP request or response; and
 * the way back.
 *
 * <pre>
 * request     = 'F' 'Q' version:u8(6 to 8) kind:u8 load epoch:uvar hosts:list(string) what
 *               kind  1 samples, 2 label names, 3 label values, 4 label sets, 5 parts of a query,
 *                     7 extent, 8 changes, 9 metadata, 10 hosts, 11 newest, 12 reduced, 13 owners,
 *                     14 several
 * load        = tenant:string weight:uvar work:uvar
 * what        = samples:    budget:uvar list(selection)
 *             | parts:      text:string start:svar end:svar step:uvar lookback:uvar
 *                           maxSamples:uvar subqueryStep:uvar features:list(string) matchers
 *                           [aliases] timeoutMillis:uvar           aliases since version 7
 *                           list(number:uvar start:svar step:uvar end:svar flags:u8)
 *                           flags  bit 0: fold only; bit 1: rollups are allowed
 *                           (0:u8 | 1:u8 since)                   1: asks what has changed
 *             | extent:     list(selection)
 *             | changes:    since
 *             | metadata:   tenants:list(string)
 *             | hosts:      scope:matchers
 *             | newest:     list(matchers) after:svar to:svar escaping:u8 gzip:u8
 *                           mostSeries:uvar mostBytes:uvar
 *                           escaping  0 underscores, 1 allow-utf-8, 2 dots, 3 values
 *             | reduced:    names:list(matchers) scope:matchers after:svar to:svar
 *             | names:      search
 *             | values:     label:string search
 *             | label sets, owners: search
 *             | several:    list(kind:u8 what)                      since version 8; 1 and 5 only
 * since       = incarnation:u64 cursor:uvar
 * selection   = matchers from:svar to:svar
 * search      = from:svar to:svar limit:uvar list(matchers)
 * matchers    = list(kind:u8 name:string value:string)
 * aliases     = list(name:string stored:string multiply:f64 divide:f64)    of metrics
 *               list(name:string stored:string)                            of labels
 *
 * answer      = 'F' 'A' version:u8(6 to 8) kind:u8 epoch:uvar covered:list(string) what
 * what        = samples:    symbols list(list(labels samples))    one list a selection, in order
 *             | names, values: list(string)
 *             | label sets: symbols list(labels)
 *             | parts:      (1:u8 | 0:u8 read:list(string)) hostLabels:list(string) notes:list(string)
 *                           (0:u8 | 1:u8 changes) symbols rollupCells:uvar list(part)
 *             | unfit (kind 6): reason:string
 *             | extent:     series:list(uvar) samples:list(uvar)
 *             | metadata:   list(metric:string type:string help:string unit:string)
 *             | hosts:      list(host:string newest:svar tickMillis:uvar series:uvar)
 *             | newest:     gzip:u8 list(metric:string series:uvar length:uvar [plain:uvar crc:u32]
 *                           lines)
 *             | reduced:    symbols list(by:list(string) groups:list(labels) list(metric:string
 *                           count:uvar*groups numbers*4 newest:svar*groups)); the numbers are
 *                           sums, carries, minima, maxima; times are differences
 *             | owners:     symbols omitted:uvar list(identity:labels list(owner:labels
 *                           from:svar length:svar))    from: less the end of the one before
 *             | changes:    changes
 *             | several:    list(length:uvar kind:u8 (1:u8 | 0:u8 covered:list(string)) what)
 *             | refused (kind 15, one of several): reason:string
 * changes     = incarnation:u64 cursor:uvar watermark:svar
 *               list(host:string all:u8 buckets:list(svar))
 * part        = samples:uvar list(warning:u8 text:string start:uvar end:uvar)
 *               list(labels dropped:u8 steps:uvar (0:u8 | 1:u8 present:bit*steps) numbers)
 *               list(group:labels first:labels dropped:u8 counts:numbers rows:u8 numbers*rows)
 *               the second list has columns, the third folds: rows are the sum and, twice, what it
 *               lost to rounding, or the minimum or maximum, or there is none
 * numbers     = 0:u8 n:uvar f64*n | 1:u8 n:uvar (difference:svar)*n | 2:u8 n:uvar f64 (all the same)
 *             | 3:u8 (a row of zeros, left out)
 * symbols     = list(string)
 * labels      = list(name:uvar value:uvar)                        numbers of symbols
 * samples     = n:uvar form:u8 times values
 * times       = svar, then differences of differences as svar
 * values      = form 0: f64 each; form 1 (all integers): svar, then differences as svar;
 *               form 2 (with histograms): each 0:u8 f64, or 1:u8 histogram as HistogramForm draws it
 * list(x)     = n:uvar x*n
 * </pre>
 *
 * <p>Law: what is decoded is what was encoded, bit for bit; any bytes give a value or a {@link
 * io.fleetgauge.sample.wire.WireException}. A request is sent in the newest version that both sides
 * know, and answered in its own. A gateway states the newest that it knows in a header of each
 * response; one of the release before does not, and refuses what is newer. Then the query API asks
 * again in the older version. What an older version cannot express is unfit, so that samples are
 * asked for instead; what is several is asked one by one.
 */
package io.fleetgauge.promql.fragment.form;
