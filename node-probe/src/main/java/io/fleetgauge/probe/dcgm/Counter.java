package io.fleetgauge.probe.dcgm;

/**
 * A metric that was chosen.
 *
 * @param name as the list has it, which may be that of a newer vocabulary
 * @param type as the list declares it
 * @param help as the list has it
 */
public record Counter(String name, String type, String help) {}
