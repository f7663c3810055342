/**
 * Reports of how much of the GPUs each container, pod, job, tenant, rack or GPU used over a period:
 * {@code /api/v1/report/gpu-memory}.
 *
 * <p>In: a period and the labels to group by. Out: rows as JSON, CSV or a page that can be printed,
 * and which hosts they cover.
 *
 * <h2>What is counted</h2>
 *
 * <p>A series has at any time the value that an instant selector sees: that of its newest sample,
 * until the next sample or staleness marker, and for the lookback at most. A device is a GPU, or a
 * MIG instance; a GPU counts nothing itself while one of its instances has a value. Of several
 * label sets of a device those with the newest sample count, so that an owner who has gone does not
 * count beside the next one, with or without a staleness marker.
 *
 * <p>A device's value is divided into parts. What series of processes or containers say belongs to
 * their labels; the rest belongs to the device's owner, in equal parts if several label sets have
 * samples of the same time. A device whose parts are more than the whole has the sum of its parts.
 * So every grouping has the same total. An hour for which a device is allocated is divided equally
 * among the allocations that {@code gpu_allocation_info} tells of.
 *
 * <h2>Why not PromQL</h2>
 *
 * <p>Subqueries see values at the steps of a grid, {@code _over_time} functions weigh samples
 * alike, whatever the time between them, and the average of a group that gains and loses members is
 * neither. The exact figure needs every sample, so the samples are read, through {@link
 * io.fleetgauge.query.answer.Request.Folded}: one request with one cost, one place, one deadline
 * and the caller's scope and limits. They are read piece by piece of time. What is kept between
 * pieces is a value for each series that has one, and the rows.
 *
 * <p>Bytes and millionths of a GPU are whole numbers here and integrals have 128 bits, so a figure
 * depends neither on the order of series nor on where time is cut.
 *
 * <p>Law: the report equals a ledger that looks at every millisecond ({@code LedgerTest}).
 */
package io.fleetgauge.query.report;
