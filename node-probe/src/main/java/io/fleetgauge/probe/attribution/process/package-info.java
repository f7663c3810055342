/**
 * Owners of the processes that use a GPU, and what each of them, each container, pod and Slurm job
 * uses of it.
 *
 * <p>In: the processes that the driver lists, {@code /proc/PID} of the node, the names that
 * container runtimes give, and what schedulers say of a GPU. Out: {@link
 * io.fleetgauge.probe.attribution.process.ProcessOwners}, claims for those who ask whose a GPU is,
 * and {@link io.fleetgauge.probe.attribution.process.ProcessSampling}, the series.
 *
 * <p>Law: what a process says of itself (its environment) tells no container, pod, user or tenant.
 * Each byte that the driver lists is once in the series of processes, and at most once in those of
 * containers, of pods and of jobs, however the GPU is shared. Series of one GPU are told apart by
 * the label {@code slot}, which is used again, so that processes come and go without new series.
 */
package io.fleetgauge.probe.attribution.process;
