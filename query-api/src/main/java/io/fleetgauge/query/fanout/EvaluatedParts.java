package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.query.Provided;
import java.util.List;
import java.util.Map;

/**
 * What the gateways made of the parts of a query.
 *
 * @param parts one for each part that was asked for, in the same order; empty when {@code unfit}
 * @param unfit why the parts have to be evaluated from samples; empty when they need not
 * @param samples how many samples the gateways looked at
 * @param rollupCells how many kept folds they took
 * @param notes what they say of how parts were made, by the text of the part
 */
public record EvaluatedParts(
    List<Provided> parts,
    String unfit,
    long samples,
    long rollupCells,
    Map<String, String> notes) {}
