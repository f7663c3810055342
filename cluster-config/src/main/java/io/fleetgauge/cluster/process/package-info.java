/**
 * The manners of a process: its command, its logs, its HTTP listener with {@code /-/healthy},
 * {@code /-/ready} and {@code /metrics}, who is let in there and how slowly bodies may come, how it
 * asks others, starting in order and stopping in reverse.
 *
 * <p>In: a command line, and the commands that {@link java.util.ServiceLoader} finds. Out: a
 * process that runs until it is told to stop, or a message of one line and an exit code other than
 * 0.
 *
 * <p>Law: what was started is stopped in the reverse order, each part within its time limit, also
 * when a later part fails to start. Nobody is told {@code ready} before everything has started.
 */
package io.fleetgauge.cluster.process;
