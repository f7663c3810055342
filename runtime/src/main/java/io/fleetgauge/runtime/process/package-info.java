/**
 * A process: its command, event loops, metrics of its own, the folder that it has alone, starting
 * in order and stopping in reverse.
 *
 * <p>In: a command line, and the commands that {@link java.util.ServiceLoader} finds. Out: a
 * process that runs until it is stopped, or a message of one line and an exit code other than 0.
 *
 * <p>Law: what was started is stopped in the reverse order, each part within its time limit, also
 * when a later part fails to start.
 */
package io.fleetgauge.runtime.process;
