/**
 * What the GPUs of a host were used for, kept after its samples expire: a file for each whole day
 * of UTC, {@code HOST/YYYY-MM-DD.usage} beside the host's blocks.
 *
 * <p>In: rows that were computed of the samples of a day; files of other gateways and of backups.
 * Out: the same rows and files.
 *
 * <pre>
 * usage   = 'F' 'G' 'U' 'S' version:u8(=2) host:string day:svar terms from:svar blocks:u32
 *           section section check:u32
 *           day     its start, ms since the epoch
 *           from    the start of the first block that it was made of, ms
 *           blocks  a checksum of the times and sizes of these blocks
 *           check   CRC-32C of all before it
 * terms   = lookback:uvar bridge:uvar busy:uvar highPower:uvar
 * section = length:u32 inflated:u32 deflated( answer )       first the day as one interval, then its
 *           hours; the answer is that of a UsageQuestion ({@code promql.fragment}) without matchers
 * </pre>
 *
 * <p>A file is the answer that its samples give. While they are here, it is valid if the blocks of
 * its time are those that it was made of; otherwise it is stale, and computed again. When the first
 * of them has been dropped, it is the record, and does not change any more.
 *
 * <p>Law: a file is written under another name, forced to the disk and renamed, so it is complete
 * or absent. A damaged one is counted, named in the log and removed: it is computed again or
 * fetched from another gateway.
 */
package io.fleetgauge.gateway.usage;
