/**
 * The reads of a gateway: questions, their answers and the bytes of both, the only types that query
 * APIs and gateways share.
 *
 * <p>In: a {@link io.fleetgauge.promql.fragment.Fragment}, a question about named hosts at one
 * epoch; and, at a gateway, the {@link io.fleetgauge.promql.fragment.Holdings} that it is answered
 * from. Out: a {@link io.fleetgauge.promql.fragment.FragmentAnswer}, which names the hosts that it
 * covers; and the answers of several gateways as one.
 *
 * <p>Each kind of read is one file: a {@link io.fleetgauge.promql.fragment.Question} with its
 * answer. The room has more than 20 files because it has one for each of them, so that a new kind
 * is a file here and a line in {@code Question}.
 *
 * <pre>
 * request     = 'F' 'Q' version:u8(1) kind:u8 load epoch:uvar hosts:list(string) what
 *               kind  1 samples, 2 label names, 3 label values, 4 label sets, 5 parts of a query,
 *                     6 extents, 7 changes, 8 metadata, 9 hosts, 10 newest, 11 reductions,
 *                     12 owners, 14 several, 15 usage, 16 its extent, 17 retention;
 *                     13 was once another
 * load        = tenant:string weight:uvar work:uvar
 * what        = samples:    budget:uvar list(selection)
 *             | parts:      start:svar end:svar step:uvar lookback:uvar maxSamples:uvar
 *                           subqueryStep:uvar features:list(string) timeoutMillis:uvar
 *                           list(promql:string list(list(reading)) start:svar step:uvar end:svar
 *                           flags:u8)
 *                           flags  bit 0: fold only; bit 1: rollups are allowed
 *                           more:u8 [since] [name:string value:string]
 *                           more  bit 0: asks what has changed; bit 1: a label that series get
 *             | extents:    list(selection)
 *             | changes:    since
 *             | metadata:   tenants:list(string)
 *             | hosts:      scope:matchers
 *             | newest:     list(matchers) after:svar to:svar escaping:u8 gzip:u8
 *                           mostSeries:uvar mostBytes:uvar
 *                           escaping  0 underscores, 1 allow-utf-8, 2 dots, 3 values
 *             | reductions: names:list(matchers) scope:matchers after:svar to:svar
 *             | names:      search
 *             | values:     label:string search
 *             | label sets, owners: search
 *             | several:    list(kind:u8 what)                      1 and 5 only
 *             | retention:
 *             | usage, its extent: matchers kept:list(string) from:svar to:svar step:uvar lookback:uvar
 *                           bridge:uvar busy:uvar highPower:uvar budget:uvar
 * since       = incarnation:u64 cursor:uvar
 * selection   = matchers from:svar to:svar
 * search      = from:svar to:svar limit:uvar list(matchers)
 * matchers    = list(kind:u8 name:string value:string)
 * reading     = matchers (0:u8 | 1:u8 name:string stored:string multiply:f64 divide:f64)
 *               list(name:string stored:string)                     aliases of labels
 *
 * answer      = 'F' 'A' version:u8(1) kind:u8 epoch:uvar covered:list(string) what
 * what        = samples:    symbols list(list(labels samples))    one list a selection, in order
 *             | names, values: list(string)
 *             | label sets: symbols list(labels)
 *             | parts:      0:u8 reason:string                    it cannot be exact
 *                         | 1:u8 read:list(string) hostLabels:list(string) notes:list(string)
 *                           (0:u8 | 1:u8 changes) symbols rollupCells:uvar list(part)
 *             | extents:    list(series:uvar samples:uvar)
 *             | metadata:   list(metric:string type:string help:string unit:string)
 *             | hosts:      list(host:string newest:svar tickMillis:uvar series:uvar)
 *             | newest:     gzip:u8 list(metric:string series:uvar length:uvar [plain:uvar crc:u32]
 *                           lines)
 *             | reductions: symbols list(by:list(string) groups:list(labels) list(metric:string
 *                           count:uvar*groups numbers*4 newest:svar*groups)); the numbers are
 *                           sums, carries, minima, maxima; times are differences
 *             | owners:     symbols omitted:uvar list(identity:labels list(owner:labels
 *                           from:svar length:svar))    from: less the end of the one before
 *             | changes:    changes
 *             | several:    list(length:uvar (2:u8 reason:string
 *                           | (1:u8 | 0:u8 covered:list(string)) what))   2: refused
 *             | retention:  list(host:string oldest:svar retentionMillis:uvar)
 *             | usage extent: series:uvar samples:uvar bytes:uvar
 *             | usage:      notes:u8 usage
 *                           notes  1 hours were rounded, 2 other terms than asked for, 3 both
 * changes     = incarnation:u64 cursor:uvar watermark:svar
 *               list(host:string all:u8 buckets:list(svar))
 * </pre>
 *
 * <p>{@code promql.fragment.form} draws the rest.
 *
 * <p>Law: an answer never covers a host whose samples it lacks. What is decoded is what was
 * encoded, bit for bit; any bytes give a value or a {@link
 * io.fleetgauge.sample.wire.WireException}. A form of another version is refused by its number.
 */
package io.fleetgauge.promql.fragment;
