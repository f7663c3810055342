package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.query.ProvidedPart;
import java.util.List;
import java.util.Map;

/**
 * The parts of a query plan that shards executed, merged.
 *
 * @param parts one for each cut of the plan, in the same order; empty when {@code unfit} is not
 * @param unfit why the query has to be evaluated from samples instead; empty when it need not
 * @param samples how many samples the shards read
 * @param rollupCells how many cells of rollups they read
 * @param notes what the shards report about how they executed a part, by the part's text
 */
public record EvaluatedParts(
    List<ProvidedPart> parts,
    String unfit,
    long samples,
    long rollupCells,
    Map<String, String> notes) {
  /** The parts of a plan without cuts. */
  public static final EvaluatedParts NONE = new EvaluatedParts(List.of(), "", 0, 0, Map.of());

  /** The parts cannot be merged exactly. */
  public static EvaluatedParts unfit(String reason) {
    return new EvaluatedParts(List.of(), reason, 0, 0, Map.of());
  }
}
