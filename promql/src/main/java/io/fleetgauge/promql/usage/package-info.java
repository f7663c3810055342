/**
 * What GPUs were used for: exact integrals of the samples of one host over the intervals of their
 * owners.
 *
 * <p>In: series of one host, and the terms by which they count. Out: rows of whole numbers, one for
 * each device, owner and interval of time.
 *
 * <p>A device is a GPU, or a MIG instance; a GPU counts nothing itself while one of its instances
 * has a value. A series has the value of its newest sample until the next one or a staleness
 * marker, and for the lookback at most. While a device is allocated, its time is of one class:
 * busy, execution-idle, idle or unknown. An increase of a counter belongs to the owner at its first
 * sample. What several owners share is divided: by their processes' series where there are any,
 * equally otherwise.
 *
 * <p>Law: rows add up. The rows of two adjoining intervals are those of both together, bit for bit;
 * the classes are the allocated time; the sums over owners, devices and racks are equal.
 */
package io.fleetgauge.promql.usage;
