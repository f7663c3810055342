/**
 * What GPUs were used for: exact integrals of the samples of one host over the intervals of their
 * owners.
 *
 * <p>In: series of one host, and the terms by which they count. Out: rows of whole numbers, one for
 * each device, owner and interval of time.
 *
 * <h2>What is counted</h2>
 *
 * <p>A device is a GPU, or a MIG instance; a GPU counts nothing itself while one of its instances
 * has a value, or has had one at the GPU's newest sample. A value of a device, such as its memory,
 * is that of its newest sample of whatever owner, until a staleness marker of that owner, and for
 * the lookback at most. So an owner who has gone does not count beside the next one.
 *
 * <p>A device belongs to the label sets with the newest sample of the first metric of {@code
 * Measure} that has a value. It is allocated while {@code gpu_allocated} is 1, and then belongs to
 * those that {@code gpu_allocation_info} tells of, if any; without {@code gpu_allocated} it is
 * allocated while a label of its owner says that somebody holds it; the pod of an exporter is no
 * owner. Allocated time is of one class: busy, execution-idle, idle or unknown. Whoever has a
 * device before and after a gap has it in the gap, whose class is unknown, if there are samples
 * within the bridge.
 *
 * <p>What processes or containers have of the device's memory and activity is theirs; the rest of
 * it, all other values, the allocated time and the time for which values are known are divided
 * equally among those that the device belongs to.
 *
 * <p>The increase of a counter is spread evenly over the time between its two samples, rounded down
 * at every time, and belongs to those that the device belongs to at each time; after a reset it is
 * the new value. Over a gap longer than the bridge there is none. What belongs to nobody has an
 * owner without labels. Energy, traffic and power are those of a GPU as a whole; its instances
 * share them by their compute slices, and keep their parts in a gap.
 *
 * <h2>How</h2>
 *
 * <p>Time goes on from one sample, or end of a sample's lookback, to the next ({@code GpuUsage}).
 * Nearly always the next samples change values only: {@code SteadyRun} takes all of these at once,
 * metric by metric. What becomes known late, which is whose a gap was and whether a counter covers
 * a time, waits for the bridge at most.
 *
 * <p>Memory of the host is that of an owner and its host, whichever GPUs it has there. It is a
 * device by itself, which nobody holds.
 *
 * <p>Days that are kept after their samples have expired stand in for these samples, hour by hour,
 * and months for their days. They are read into {@code UsageSums}, and so are samples: by the
 * labels that are asked for, after the matchers have been applied to each row as it is.
 *
 * <p>It has more than 20 files, because the integral of a host's series, device by device and
 * measure by measure, and what is kept of it share the rows and their terms.
 *
 * <p>Law: rows add up. The rows of two adjoining intervals are those of both together, bit for bit;
 * the classes are the allocated time; the sums over owners, devices and racks are equal. They are
 * those of a ledger that looks at every millisecond ({@code UsageLedgerTest}).
 */
package io.fleetgauge.promql.usage;
