package io.fleetgauge.query.faults.detect;

/**
 * A reading that a finding rests on.
 *
 * @param what is read, such as {@code power, watts}
 * @param before usual value; {@code NaN} for none
 * @param now value while the fault lasts; {@code NaN} for none
 */
public record Evidence(String what, double before, double now) {}
