/**
 * What the GPUs of a host were used for, kept after its samples expire: a file for each whole day
 * of UTC, {@code HOST/YYYY-MM-DD.usage} beside the host's blocks, and one for each month, {@code
 * HOST/YYYY-MM.usage}.
 *
 * <p>In: rows that were computed of the samples of a day; files of days of other gateways and of
 * backups. Out: the same rows and files.
 *
 * <pre>
 * usage   = 'F' 'G' 'U' 'S' version:u8(=4) host:string start:svar flags:u8 terms from:svar
 *           blocks:u32 length:u32 whole [length:u32 inflated:u32 deflated( hours )] check:u32
 *           start   that of the day or month, ms since the epoch
 *           flags   1 a month, which has no hours; 2 GPUs seem to be those of an exporter's pod
 *           from    the start of the first block that a day was made of, ms
 *           blocks  a checksum of the times and sizes of these blocks
 *           whole   the day or month as one interval, without labels that tell the GPUs of a host
 *                   apart
 *           hours   the hours of the day
 *           check   CRC-32C of all before it
 * terms   = lookback:uvar bridge:uvar busy:uvar highPower:uvar
 * whole, hours: rows of usage as {@code promql.fragment.form} draws them
 * </pre>
 *
 * <p>The file of a day is the answer that its samples give. While they are here, it is valid if the
 * blocks of its time are those that it was made of; otherwise it is stale, and computed again. When
 * the first of them has been dropped, it is the record, and does not change any more.
 *
 * <p>The file of a month is the sum of the days that are here, and answers in their place what asks
 * for the whole month. It is removed before one of its days is written or expires, and made again
 * of what is there then. So it is copied nowhere: each gateway makes its own.
 *
 * <p>Law: a file is written under another name, forced to the disk and renamed, so it is complete
 * or absent. A damaged one is counted, named in the log and removed: a day is computed again or
 * fetched from another gateway, a month made again.
 */
package io.fleetgauge.gateway.usage;
