/**
 * Records that are on the disk before anybody is told that they are kept.
 *
 * <p>In: records, which are bytes of somebody else's. Out: a word for each when it is as safe as
 * the policy says, and after a start all that were kept, in order. Records are gathered and written
 * together.
 *
 * <pre>
 * journal  = segment*                          files NUMBER.journal, sixteen digits, ascending
 * segment  = 'F' 'G' 'J' 'L' version:u8(=1) record*
 * record   = head payload
 * head     = 'R' 'E' 'C' '1' length:u32 check:u32 headCheck:u32
 *            check      CRC-32C of the payload
 *            headCheck  CRC-32C of the twelve bytes before it
 * </pre>
 *
 * <p>Law: a record whose word was given comes back after {@code kill -9}, and after a power failure
 * when the policy is {@code always}. What a crash left unfinished at the end is cut and counted; a
 * bit that flipped is reported with the file and where in it, and costs the record it hit and no
 * other. A disk that fails loses no record whose word was given; the journal says what is wrong,
 * takes nothing meanwhile, and goes on by itself when the disk does.
 */
package io.fleetgauge.sample.journal;
