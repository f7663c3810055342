/**
 * What NCCL tells of the jobs of this node from outside of them: its RAS port, and the files of its
 * inspector.
 *
 * <p>In: the processes that hold GPUs, {@code /proc/PID/net} and {@code /proc/PID/status} of the
 * node, the RAS port of the jobs, {@code *.prom} files. Out: {@link
 * io.fleetgauge.probe.nccl.RasSampling} and {@link io.fleetgauge.probe.nccl.InspectorFiles}, the
 * series by GPU and communicator.
 *
 * <p>Law: nothing is asked of a process that does not listen. No answer is kept whole: of its ranks
 * only those of this node are. Bytes, time and connections of a reading are bounded, and it has a
 * thread of its own, so that no answer and no silence delays a tick. The text of an answer is of
 * the job, and no more than numbers are believed of it.
 */
package io.fleetgauge.probe.nccl;
