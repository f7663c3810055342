/**
 * Samples of a series as packed runs, and the columns of times that runs share.
 *
 * <p>In: samples of one series, oldest first, from its lane's one writer. Out: packed bytes, and
 * from those bytes the same samples, to any number of readers.
 *
 * <pre>
 * runs      = run*
 * run       = column:svar head:u8 [from:u8] values
 *             column  distance from the column of the run before; the first counts from a base
 *                     that is stored beside the runs
 *             head    bits 0-6 number of samples - 1; bit 7: from follows, otherwise it is 0
 *             from    index of the run's first time in the column
 *             values  as gateway.store.chunk draws them
 * </pre>
 *
 * <p>Times are stored in columns of up to 64, once for all series of a tick stream. A series that
 * leaves its tick stream gets columns of its own.
 *
 * <p>Law: a reader that has read a size sees every sample below it, and those samples do not
 * change.
 */
package io.fleetgauge.gateway.store.run;
