/**
 * Detectors: plain state machines that find faults of hosts, GPUs and jobs.
 *
 * <p>In: {@link io.fleetgauge.query.faults.reading.HostTick} and {@link
 * io.fleetgauge.query.faults.reading.JobStep}, in order of time, and {@link
 * io.fleetgauge.query.faults.detect.Thresholds}. Out: {@link
 * io.fleetgauge.query.faults.detect.Finding}, what is wrong at this tick, since when, with
 * evidence. A detector says at each tick what it finds; {@code faults.episode} makes episodes of
 * that.
 *
 * <p>A new kind of fault is a value of {@code FaultKind} with its line in {@code fault-kinds.tsv},
 * an entry of {@code fault-thresholds.yaml}, and one detector here that {@link
 * io.fleetgauge.query.faults.detect.Detectors} lists; a state, a rate or a count of a GPU or port
 * is a line of {@code fault-signs.tsv} ({@link io.fleetgauge.query.faults.detect.SignTable}). The
 * room has more than 20 files because each detector is one.
 *
 * <p>Law: no clock, no network; findings are a function of the ticks. Never a verdict from a single
 * gauge that healthy work shows, too; what cannot be decided is no finding.
 */
package io.fleetgauge.query.faults.detect;
