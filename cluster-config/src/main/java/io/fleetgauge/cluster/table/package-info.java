/**
 * Which gateways hold which host: the table, the pure function that makes the next one from the one
 * before, and the state machine of a member that decides which table it follows and when it writes
 * one.
 *
 * <p>In: the gateways that are present, the known hosts, what owners report of their copies, the
 * previous table. Out: the next {@link io.fleetgauge.cluster.table.OwnershipTable}, or the same one
 * when nothing has to change; and the effects of {@link io.fleetgauge.cluster.table.TableMachine},
 * which {@code cluster.member} carries out in production and the cluster simulation in tests. No
 * clock, no network, no randomness: the same input gives the same table on every member.
 *
 * <p>A host that is to change its owner gets a copy on the next owner first; that copy becomes the
 * owner when the present owner has reported that it is complete. Only a few hosts move at a time. A
 * host whose owner is gone is given to one of its copies at once.
 *
 * <p>Reports that only call more copies complete are gathered for up to five seconds before a table
 * is written for them. A copy that fell behind is written at once: an owner waits for it before it
 * acknowledges anything without that copy.
 *
 * <p>What members share, and what a gateway keeps in its table file, are these bytes:
 *
 * <pre>
 * table   = version:u8(=1) generation:u64 epoch:uvar n:uvar member*n
 *           n:uvar (host:string holders)*n n:uvar (host:string removed:uvar)*n
 *           members by id and hosts ascending; generation is 0 for the empty table only
 *           removed  when an operator removed a host, ms since the epoch; at most 1,000, the latest
 * member  = id:string start:u64
 *           start  the one that its holdings take account of; 0 for none
 * holders = owner:string since:uvar n:uvar behind:string*n next:string n:uvar copy*n
 *           stay:u8 tenant:string admitted:uvar
 *           behind ascending; next is empty when the host does not move; stay is 0 for a host that
 *           is kept, 1 expiring, 2 removed; admitted in ms since the epoch
 * copy    = gateway:string since:uvar synced:u8(0 or 1)
 *
 * report  = version:u8(=1) owner:string since:uvar n:uvar behind:string*n n:uvar synced:string*n
 *           idle:u8(0 or 1)
 *           an owner's word on one host; synced are keys of copies, GATEWAY@SINCE, ascending
 *
 * host    = version:u8(=1) tenant:string admitted:uvar removed:u8(0 or 1)
 *           what the registry says of one host; of one that is to be removed, admitted is when
 *           that was wanted
 *
 * status  = version:u8(=1) standing:u8 generation:u64 start:u64 keptgeneration:u64 kept:uvar
 *           standing    0 present, 1 may be given hosts, 2 has left on purpose
 *           generation  of the table that the gateway follows; 0 for none
 *           start       another number for each start of its process
 *           kept        the epoch of the table that it had kept when it started; 0 for none
 * </pre>
 *
 * <p>A number, string or count is written as {@code sample.wire} draws it. A program that reads a
 * higher version than its own ignores that value, says so by name and keeps what it has. Lower
 * versions are not read either, so all processes have to be updated together when one changes.
 *
 * <p>A cluster that begins without any table draws a <em>generation</em> for its first one. Tables
 * of one generation are compared by their epochs, and an older one is never followed. When gateways
 * of two generations meet, because some lost their stores, the table that more of them follow wins,
 * if it is a tie the one of the higher epoch; those of the other generation follow it although its
 * epoch may be lower, and so does every process that only reads.
 *
 * <p>A gateway may lose its store and start again before a table was made without it. So each start
 * has a number, a gateway states it with the epoch of the table that it had kept, and a table says
 * which start of each member it takes account of. What a gateway was given after the table that it
 * had kept, and before its start was taken account of, it may not have: a synced copy becomes the
 * owner, or else the owner is called behind until it has asked all others. Until there is such a
 * table, the gateway itself names its hosts as incomplete.
 *
 * <p>A host leaves the table when no gateway that is there has a sample of it within retention, or
 * when an operator removes it ({@link io.fleetgauge.cluster.table.Departures}). A gateway that has
 * a sample of a host that the table lacks makes it known again, but for one that was away while the
 * host was removed: the table remembers when that was.
 *
 * <p>Law: every host has one owner. When all moves are done, no gateway owns more than {@code
 * max(15, ceil(hosts/gateways))} hosts, none fewer than {@code min(10, floor(hosts/gateways))}; a
 * host changes its owner only if that one left, or as one of the fewest that these bounds need to
 * move. At most two hosts are moving to or from a gateway. Copies are on other gateways than the
 * owner, in other zones where there are any ({@code AssignmentTest}).
 */
package io.fleetgauge.cluster.table;
