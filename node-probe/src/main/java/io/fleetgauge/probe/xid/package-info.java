/**
 * XID errors: what GPUs and NVSwitches report of themselves, as counters.
 *
 * <p>In: events of the driver, which a thread of its own waits for, and the kernel's log, which
 * another one follows. Out: {@link io.fleetgauge.probe.xid.XidSampling}, counters by GPU and code,
 * from 0 for those that call for a drain, the last code and when each was seen.
 *
 * <p>Lines of the log about faults are series, too: {@link io.fleetgauge.probe.xid.KernelLines},
 * also those about network adapters, hung threads and soft lockups.
 *
 * <p>Law: an error that both sources tell counts once. What the log held before the probe began is
 * remembered as the last error and not counted. A line that cannot be read is counted and changes
 * nothing else. Neither source can hold up the other, or a reading.
 */
package io.fleetgauge.probe.xid;
