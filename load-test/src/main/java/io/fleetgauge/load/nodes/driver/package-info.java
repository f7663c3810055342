/**
 * A GPU driver in Java: what NVML answers on a node whose GPUs do not exist.
 *
 * <p>In: boards, what each GPU does ({@link io.fleetgauge.load.nodes.driver.Work}), {@link
 * io.fleetgauge.load.nodes.driver.Incident incidents}, time. Out: {@link
 * io.fleetgauge.load.nodes.driver.DriverModel}, which the probe's own reading code calls as it
 * calls the library of a real driver.
 *
 * <p>Law: what a GPU shows is a function of its seed and of the times, work and faults that it was
 * told. A call that takes long or hangs does so in played time, never in real time.
 *
 * <p>The library in C that the tests of {@code node-probe} load is no substitute, nor is this one
 * for it: that library has NVML's ABI, holds one node in a process, answers from a script, and
 * needs a compiler; here many nodes run in one JVM without any library.
 */
package io.fleetgauge.load.nodes.driver;
