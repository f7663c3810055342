package io.fleetgauge.runtime.process;

/**
 * A subcommand of the launcher, found by {@link java.util.ServiceLoader}. The class is a picocli
 * command and a {@code Callable<Integer>}; this type only marks it.
 */
public interface Command extends java.util.concurrent.Callable<Integer> {}
