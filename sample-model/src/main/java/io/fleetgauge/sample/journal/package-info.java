/**
 * A write-ahead journal: records that are on the disk before their sender is acknowledged.
 *
 * <p>In: records, which are opaque bytes. Out: a callback for each record once it is as durable as
 * the policy requires, and after a start all records that were kept, in order. Records that arrive
 * together are written together.
 *
 * <pre>
 * journal  = segment*                          files NUMBER.journal, sixteen digits, ascending
 * segment  = 'F' 'G' 'J' 'L' version:u8(=1) record*
 * record   = head payload
 * head     = 'R' 'E' 'C' '1' length:u32 check:u32 headCheck:u32
 *            check      CRC-32C of the payload
 *            headCheck  CRC-32C of the twelve bytes before it
 * packed   = 'F' 'G' 'J' 'P' version:u8(=1) contents part*   files NUMBER.packed
 * contents = head 'C' lines                        UTF-8; for each part its distance from the end of
 *                                                  the contents, its bytes, and what it has
 * part     = head 'P' records                      as a Packing writes them
 * </pre>
 *
 * <p>A closed segment may be packed: it is written beside the one that is there, forced, renamed,
 * its folder forced, and then the other one is removed. Where a crash leaves both, the packed one
 * is whole and is read.
 *
 * <p>{@code Journal} has the queue and the two threads that write and sync; {@code JournalFolder}
 * has the files; {@code UnsyncedRecords} has what is written but not yet on the disk.
 *
 * <p>Law: a record whose callback was given {@code true} is replayed after {@code kill -9}, and
 * after a power failure when the policy is {@code always} or the record was appended as forced
 * ({@code PowerFailureTest}). What a crash left unfinished at the end is cut off and counted. A
 * flipped bit is reported with file and offset and costs only the record it is in, or the part,
 * whose contents are named. When the disk fails, no record is lost whose callback was given {@code
 * true}; the journal reports the failure, rejects records meanwhile, and resumes by itself when the
 * disk does.
 */
package io.fleetgauge.sample.journal;
