package io.fleetgauge.load.nodes;

import io.fleetgauge.sample.gpu.FaultKind;

/**
 * A fault that a trace has: what should be told of it.
 *
 * @param host empty for a whole job
 * @param uuid of the GPU; empty for none
 * @param part an NVLink's number, or a port such as {@code mlx5_0/1}; empty for none
 * @param job that has the host or GPU then; empty for none
 * @param cause a word such as the code of an XID, {@code collective} or {@code clock}
 * @param firstRank the rank of the job that was first, or is the cause; -1 for none
 * @param from when the trace first shows it, ms since the epoch
 * @param to when it shows it no more, ms since the epoch
 */
public record TraceLabel(
    FaultKind kind,
    String host,
    String uuid,
    String part,
    String job,
    String cause,
    int firstRank,
    long from,
    long to) {}
