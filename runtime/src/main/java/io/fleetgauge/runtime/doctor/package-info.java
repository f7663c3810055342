/**
 * {@code fleetgauge doctor}: finds what is wrong with a process and its machine, before or after
 * its start, from its configuration file.
 *
 * <p>In: the configuration of a probe, gateway or query API, read by the {@link
 * io.fleetgauge.runtime.doctor.Examination} of its module. Out: findings, each with what was looked
 * at, what is wrong, and what to do.
 *
 * <p>Law: a check changes nothing but a file of its own, which it removes. What could not be looked
 * at is said, and is never taken for healthy.
 */
package io.fleetgauge.runtime.doctor;
