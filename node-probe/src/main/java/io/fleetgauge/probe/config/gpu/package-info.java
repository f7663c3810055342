/**
 * How a probe reads GPUs, how it finds out who owns them, and how its page shows them.
 *
 * <p>In: the sections {@code gpu}, {@code attribution} and {@code metrics} of a probe's
 * configuration. Out: one record for each subsection, with every key's default, range and meaning.
 *
 * <p>Law: as that of {@link io.fleetgauge.runtime.key}: every problem is told with its key, its
 * value and what is allowed.
 */
package io.fleetgauge.probe.config.gpu;
