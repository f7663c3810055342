/**
 * A process: its command, event loops, the size of its heap, metrics of its own, the folder that it
 * has alone, starting in order and stopping in reverse; and the program by which a container engine
 * checks its health.
 *
 * <p>In: a command line, and the commands that {@link java.util.ServiceLoader} finds. Out: a
 * process that runs until it is stopped, or a message of one line and an exit code other than 0.
 *
 * <p>Law: what was started is stopped in the reverse order, each part within its time limit, also
 * when a later part fails to start. Under load the garbage in the old generation is at most half of
 * what was in use after the last collection and 32 MiB more, and after a load it is collected
 * within half a minute. {@link io.fleetgauge.runtime.process.HealthCheck} knows no library, so that
 * it starts in a fraction of a second.
 */
package io.fleetgauge.runtime.process;
