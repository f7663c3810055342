/**
 * Who evaluates which rule group, and which slot is next.
 *
 * <p>In: the groups that this query API knows, the list of the other ones ({@code cluster.peers})
 * with what each tells, states that come from them, from disk and from evaluations, and time. Out:
 * effects for {@code rules.running}: states to fetch, slots to evaluate, results to publish, states
 * to hand over and to keep, series to end; and a note for heartbeats. No clock, no network.
 *
 * <p>Every live query API that knows a group with the same definition can own it; the owners are a
 * pure function of who is alive and of who knows what, so nobody has to be asked. Views differ for
 * a moment when somebody dies or comes. Then a group has two owners, which come to equal results,
 * or none, whose slots are evaluated later.
 *
 * <p>{@code SingleOwner} is simpler: it says who of all does a work that one does for the cluster,
 * such as the evaluation of faults.
 *
 * <p>The note in heartbeats, of topic {@code rules}:
 *
 * <pre>
 * note = version:u8(=1) serving:u8(0 or 1)
 *        count:uvar (group:u64 definition:u64 weight:uvar slot:svar)*
 * </pre>
 *
 * <p>Law: no slot is skipped that is not older than the configured limit, unless the evaluations of
 * its group take longer than the interval; the alerts of a group that is evaluated are told,
 * however late its slots are; a process whose loop stood still for longer than the lease publishes
 * nothing until it has heard again from the others and has the newest state that any of them has;
 * alerts that were left from before another owner went on are not told ({@code notify.Outbox}).
 */
package io.fleetgauge.query.rules.ownership;
